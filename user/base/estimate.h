/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The median of a few values with an interval between two of them, and how often such an interval
 * holds the true median. Pure.
 */
#ifndef NETIOTRACE_ESTIMATE_H
#define NETIOTRACE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#define ESTIMATE_LEVEL 0.95 /* wished for; few values cannot reach it */

struct estimate {
	double median;    /* NaN when n is 0 */
	double low, high; /* NaN when n is below 2: one value has no interval */
	double coverage;  /* share of such intervals that hold the true median; NaN without one */
	unsigned int n;   /* values that are finite numbers */
};

/*
 * Between order statistics: the k-th smallest and the k-th largest of n hold the median of what
 * they are drawn from unless fewer than k values lie on one side of it, so in
 * 1 - 2 P(Binomial(n, 1/2) < k) of all cases, whatever the distribution (David and Nagaraja, Order
 * Statistics, 7.1). k is the largest with at least ESTIMATE_LEVEL; below 6 values no k has, and the
 * interval is their whole range with the coverage that has: 0.5, 0.75, 0.875, 0.9375 of 2 to 5.
 * Values that are no finite numbers are left out. The values are put in order in their
 * place, those that are left out lost.
 */
struct estimate estimate__of(double *values, size_t n);

/* The same with at least this coverage; without an interval where n values cannot have it. */
struct estimate estimate__at(double *values, size_t n, double level);

/* The coverage of the interval of n values; NaN below 2. */
double estimate__coverage(size_t n);

bool estimate__has_interval(const struct estimate *e);

#endif
