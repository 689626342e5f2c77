/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics: medians, intervals between ranks. Pure. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "num.h"

/* Below 0, 0 or above 0, for numbers or pointers into one array. Evaluates both twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The same of two values of an array, for qsort(). */
int order__u64(const void *a, const void *b);
int order__uint(const void *a, const void *b);

/* Median, minimum and maximum. Drops non-finite values, sorts in place. No value: unknown. */
struct spread stats__spread(double *values, size_t n);

/* Drops non-finite values, sorts the others in place, and returns their number. */
size_t stats__sort(double *values, size_t n);

/* The median of n sorted values; NaN: no value. */
double stats__median(const double *sorted, size_t n);

#define ESTIMATE_LEVEL 0.95 /* target; fewer than 6 values cannot reach it */

struct estimate {
	double median;    /* NaN when n is 0 */
	double low, high; /* confidence interval; NaN: none */
	double coverage;  /* share of such intervals that hold the true median; NaN: no interval */
	unsigned int n;   /* number of finite values */
};

/*
 * Estimates the median of n values. The interval runs from the k-th smallest to the k-th largest
 * value. Its coverage is 1 - 2 P(Binomial(n, 1/2) < k) for any distribution (David and Nagaraja,
 * Order Statistics, 7.1). k is the largest rank with coverage of at least ESTIMATE_LEVEL. For 2 to
 * 5 values the interval is the whole range, with coverage 0.5, 0.75, 0.875, 0.9375. Drops values
 * that are not finite; sorts the others in place.
 */
struct estimate estimate__of(double *values, size_t n);

/* Coverage of the interval of n values at ESTIMATE_LEVEL; NaN if n is below 2. */
double estimate__coverage(size_t n);

bool estimate__has_interval(const struct estimate *e);

#endif
