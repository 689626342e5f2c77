/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the one rule by which run, report and compare call two things different. Pure.
 *
 * 1. Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m quotients.
 * 2. The interval of A / B runs from the k-th smallest to the k-th largest quotient. k is the
 *    largest rank with 2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U of n and m rounds.
 * 3. A and B differ only if the whole interval is above 1 or the whole interval is below 1.
 * 4. T is the number of simultaneous comparisons; a single comparison has T = 1.
 * 5. If no k is possible, there are too few rounds. One round a side is a point without interval.
 *
 * If nothing differs, the chance of any false difference among T comparisons is at most 5 %, for
 * any distribution (Mann and Whitney 1947; Bonferroni). A quotient of exactly 1 counts against a
 * difference. For T = 1, k is 1 with 4 rounds each, 3 with 5, 6 with 6, 9 with 7 and 38 with 12. A
 * disturbance common to a round only widens the interval.
 */
#ifndef BASE_RANK_TEST_H
#define BASE_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

#define RANK_LEVEL 0.05

/* Up to this many rounds on both sides U has its exact distribution, above the normal one. */
#define RANK_EXACT_MAX 20

enum difference {
	DIFFERENCE_UNKNOWN, /* one side has no value */
	DIFFERENCE_POINT,   /* one side has one round only: no interval, no claim */
	DIFFERENCE_FEW,     /* too few rounds to show any difference */
	DIFFERENCE_NOISE,   /* the interval holds 1 */
	DIFFERENCE_HIGHER,  /* the first is higher */
	DIFFERENCE_LOWER,
};

struct rank_test {
	unsigned int n, m; /* rounds with a value */
	double a, b;       /* medians; NaN: no value */
	double change;     /* a / b - 1; NaN: b is 0, or a value is unknown */
	double low, high;  /* interval that holds the change; NaN: none, or b is 0 there */
	double coverage;   /* share of such intervals that hold the true quotient; NaN: none */
	double p;          /* two-sided, of this comparison alone; NaN: unknown */
	int sign;          /* of the difference of the medians, claimed or not: 1, -1, 0 */
	enum difference difference;
};

/* Compares n rounds of A with m of B, as one of `tests` comparisons. */
struct rank_test rank_test__of(const double *a, size_t n, const double *b, size_t m, size_t tests);

/* The fewest rounds a side with which `tests` comparisons can show a difference. */
unsigned int rank_test__rounds_needed(size_t tests);

/*
 * Relative difference (a - b) / mean(|a|, |b|): grows with a / b, changes its sign with the order
 * of a and b, exists if one is 0. NaN: one is unknown.
 */
double rank_test__relative(double a, double b);

/* Converts a relative difference to a / b - 1. NaN where b is 0. */
double rank_test__as_change(double apart);

#endif
