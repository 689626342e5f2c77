/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A claim: that one cell's number is higher or lower than another's, or why that cannot be said,
 * with the evidence. base/rank_test.h decides. Pure: sentences are made from claims, elsewhere.
 */
#ifndef NETIOTRACE_CLAIM_H
#define NETIOTRACE_CLAIM_H

#include "base/estimate.h"
#include "base/rank_test.h"

struct claim {
	struct estimate a, b;       /* over all rounds of each */
	double change;              /* of the medians, a / b - 1; NaN: unknown, or b is 0 */
	double low, high, coverage; /* interval of the change; NaN: none */
	int sign;                   /* which way the medians differ, claimed or not: 1, -1, 0 */
	double p;                   /* of this comparison alone; NaN: unknown */
	size_t tests;               /* comparisons that are made together */
	enum difference difference;
};

/* What the test says, with the evidence of both. */
struct claim claim__make(const struct estimate *a, const struct estimate *b,
			 const struct rank_test *t, size_t tests);

/* Nothing is known of one of the two. */
struct claim claim__unknown(const struct estimate *a, const struct estimate *b);

/* Is it claimed, either way? */
bool claim__holds(const struct claim *c);

/* Of DIFFERENCE_POINT: "one run each", or "one run of one of them". */
const char *claim__of_how_little(const struct claim *c);

#endif
