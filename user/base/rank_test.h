/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one rule by which run, report and compare call two things different. Pure.
 *
 * 1. Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m quotients.
 * 2. The interval of A / B runs from the k-th smallest to the k-th largest quotient. k is the
 *    largest rank with 2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U of n and m rounds.
 * 3. There is a difference only if the whole interval is above 1 or the whole interval is below 1.
 * 4. T is the number of comparisons that are made together; a single comparison has T = 1.
 * 5. If no k is possible, there are too few rounds; one round each is a point without an interval.
 *
 * On data in which nothing differs, any of T comparisons is called different in at most 5 % of
 * cases, whatever the distribution of the rounds (Mann and Whitney 1947; Bonferroni). A quotient
 * that is exactly 1 counts against a difference. For T = 1, k is 1 with 4 rounds each, 3 with 5,
 * 6 with 6, 9 with 7 and 38 with 12. A disturbance that all things share in one round makes the
 * interval wider, never too narrow.
 */
#ifndef NETIOTRACE_RANK_TEST_H
#define NETIOTRACE_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

#define RANK_LEVEL 0.05

/* Both sides may have this many rounds for the exact distribution of U; else it is the normal one.
 */
#define RANK_EXACT_MAX 20

enum difference {
	DIFFERENCE_UNKNOWN, /* one of the two has no value */
	DIFFERENCE_POINT,   /* one of the two has one round only: no interval, nothing is claimed */
	DIFFERENCE_FEW,     /* so few rounds that no data could show a difference */
	DIFFERENCE_NOISE,   /* no difference: the interval holds 1 */
	DIFFERENCE_HIGHER,  /* the first is higher than the second */
	DIFFERENCE_LOWER,
};

struct rank_test {
	unsigned int n, m; /* rounds with a value */
	double a, b;       /* medians; NaN: no value */
	double change;     /* a / b - 1; NaN: b is 0, or one is unknown */
	double low, high;  /* interval of the change, which holds it; NaN: none, or b is 0 there */
	double coverage;   /* share of such intervals that hold the true quotient; NaN: none */
	double p;          /* two-sided, of this comparison alone; NaN: unknown */
	int sign;          /* which way the medians differ, claimed or not: 1, -1, 0 */
	enum difference difference;
};

/*
 * A against B, as one of `tests` comparisons that are made together. Values that are not finite are
 * left out. 0 or -ENOMEM; *t is then unknown.
 */
int rank_test__of(struct rank_test *t, const double *a, size_t n, const double *b, size_t m,
		  size_t tests);

/* Can n and m rounds show a difference as one of so many comparisons, if they differ enough? */
bool rank_test__can_tell(size_t n, size_t m, size_t tests);

/* The fewest rounds of each with which so many comparisons together can show a difference. */
unsigned int rank_test__rounds_needed(size_t tests);

/* Is it claimed that the two differ, either way? */
bool difference__holds(enum difference d);

/*
 * How much a is above b: (a - b) / mean(a, b). It changes its sign when the two change places,
 * grows with a / b, and exists where one of the two is 0. NaN: one is unknown.
 */
double rank_test__apart(double a, double b);

/* That, as a / b - 1. NaN where b is 0. */
double rank_test__as_change(double apart);

#endif
