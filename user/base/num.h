/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns numbers that may be unknown. An unknown number has a reason and is never printed as 0. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* An unsigned number. reason: a static string, set if the number is unknown. */
struct num {
	uint64_t value;
	bool known;
	const char *reason;
};

struct real {
	double value;
	bool known;
	const char *reason;
};

struct flag {
	bool value;
	bool known;
	const char *reason;
};

/* Median and extremes over rounds. */
struct spread {
	double median, low, high;
	unsigned int n; /* 0: unknown */
};

#endif
