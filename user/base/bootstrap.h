/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Medians with bootstrap intervals: how far the median of the rounds may be from that of all rounds
 * one could have made. Pure and deterministic: the same values and seed give the same interval.
 */
#ifndef NETIOTRACE_BOOTSTRAP_H
#define NETIOTRACE_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOTSTRAP_RESAMPLES 1000
#define BOOTSTRAP_SEED      1
/* The interval is from the 2.5th to the 97.5th percentile of the resampled medians. */
#define BOOTSTRAP_LEVEL 0.95

struct estimate {
	double median;    /* NaN when n is 0 */
	double low, high; /* NaN when n is below 2: one round has no interval */
	unsigned int n;   /* rounds with a value */
};

/*
 * Percentile bootstrap (Efron 1979): resamples the n values with replacement and takes the median
 * of each. Values that are no finite numbers are left out. Below six rounds the interval is the
 * range of the rounds, as it must be: some resamples consist of mostly the extreme one.
 */
struct estimate bootstrap__median(const double *values, size_t n, uint64_t seed);

bool estimate__has_interval(const struct estimate *e);

enum difference {
	DIFFERENCE_UNKNOWN, /* one of the two has no value */
	DIFFERENCE_POINT,   /* both have values, but not both an interval: nothing is claimed */
	DIFFERENCE_NOISE,   /* the intervals overlap */
	DIFFERENCE_HIGHER,  /* a is higher than b, and the intervals do not overlap */
	DIFFERENCE_LOWER,
};

struct comparison {
	struct estimate a, b;
	double change; /* a / b - 1; NaN when unknown or b is 0 */
	enum difference difference;
};

struct comparison estimate__compare(const struct estimate *a, const struct estimate *b);

#endif
