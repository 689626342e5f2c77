/* SPDX-License-Identifier: GPL-2.0-only */
/* Rounds with planted effects. */
#ifndef SUPPORT_PLANTED_H
#define SUPPORT_PLANTED_H

#include "study.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

static inline struct dataset_row *put(struct study *s, enum mode mode, uint64_t size,
				      unsigned int threads, unsigned int round, double gbps)
{
	struct dataset_row *row = study__row(s, mode, size, threads, round);

	row->value[METRIC_GBPS] = gbps;
	return row;
}

/* Seven rounds around a value, each off by up to this share of it. */
static inline void put_rounds(struct study *s, enum mode mode, uint64_t size, unsigned int threads,
			      double gbps, double noise)
{
	static const double off[] = {-1, 0.5, 0, -0.5, 1, 0.25, -0.25};
	/* The error differs between cells: a round is not 1 % faster as a whole. */
	unsigned int r, turn = (unsigned int)mode * 3 + (unsigned int)(size / 1024) % 5;

	for (r = 0; r < 7; r++)
		put(s, mode, size, threads, r, gbps * (1 + noise * off[(r + turn) % 7]));
}

/* One-copy is 20 % slower below 16 KiB, equal there, 20 % faster above. */
static inline void put_crossing(struct study *s, double noise)
{
	static const double factor[] = {0.8, 0.8, 1, 1.2, 1.2};
	int i;

	for (i = 0; i < 5; i++) {
		put_rounds(s, MODE_TWOCOPY, KIB(4) << i, 1, 10.0 * (i + 1), noise);
		put_rounds(s, MODE_ONECOPY, KIB(4) << i, 1, 10.0 * (i + 1) * factor[i], noise);
	}
}

#endif
