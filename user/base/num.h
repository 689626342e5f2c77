/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that may be unknown. One that was not measured is marked so and says why; no view may
 * print it as 0.
 */
#ifndef NETIOTRACE_NUM_H
#define NETIOTRACE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* An unsigned number that may be unknown; reason is a static string, set when it is. */
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

/* Something that is so, is not, or is not known; reason as above. */
struct flag {
	bool value;
	bool known;
	const char *reason;
};

/* Median and extremes over the rounds of one thing. */
struct spread {
	double median, low, high;
	unsigned int n; /* 0: unknown */
};

#endif
