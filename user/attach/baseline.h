/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sweep of this machine found of zero-copy against copying, by message size: which of the
 * two costs less CPU time. Only what its rounds bear out by the rule of base/rank_test.h.
 */
#ifndef NETIOTRACE_BASELINE_H
#define NETIOTRACE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BASELINE_SIZES_MAX 64

struct baseline_point {
	uint64_t size;
	int order;     /* of the CPU time per KiB of zero-copy against one-copy: 1 more, -1 less;
			  0: not claimed */
	double change; /* 0.35: 35 % more */
};

struct baseline {
	const char *path;
	struct baseline_point points[BASELINE_SIZES_MAX]; /* sizes ascend */
	size_t nr;
};

/* Reads a sweep's results. 0, or -errno with a sentence in message, of len bytes. path is kept. */
int baseline__read(struct baseline *b, const char *path, char *message, size_t len);

/* The largest size measured that is not above size; where all are above, the smallest. */
const struct baseline_point *baseline__near(const struct baseline *b, uint64_t size);

/* Of p and the sizes above it, the last up to which zero-copy costs more at each. p costs more. */
const struct baseline_point *baseline__dearer_to(const struct baseline *b,
						 const struct baseline_point *p);

#endif
