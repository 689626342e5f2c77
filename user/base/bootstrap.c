/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians with bootstrap intervals; see bootstrap.h. Knows nothing of what the values are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"
#include "common/splitmix.h"
#include "stats.h"

static const struct estimate unknown = {(double)NAN, (double)NAN, (double)NAN, 0};

/* 0..n-1; n is below 2^32, so that the bias of the product is below 2^-32. */
static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(((splitmix__next(state) >> 32) * n) >> 32);
}

static double middle(const double *sorted, size_t n)
{
	return sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2;
}

/* The rank-th smallest (from 0) of a resample given as how often each value was drawn. */
static double ranked(const double *sorted, const uint32_t *drawn, size_t n, size_t rank)
{
	size_t i, seen = 0;

	for (i = 0; i < n - 1; i++) {
		seen += drawn[i];
		if (seen > rank)
			break;
	}
	return sorted[i];
}

static double resampled_median(const double *sorted, uint32_t *drawn, size_t n, uint64_t *state)
{
	size_t i;

	memset(drawn, 0, n * sizeof(*drawn));
	for (i = 0; i < n; i++)
		drawn[random_below(state, n)]++;
	return ranked(sorted, drawn, n, (n - 1) / 2) / 2 + ranked(sorted, drawn, n, n / 2) / 2;
}

static int resample(const double *sorted, size_t n, uint64_t seed, double *medians)
{
	uint32_t *drawn = calloc(n, sizeof(*drawn));
	size_t i;

	if (!drawn)
		return -1;
	for (i = 0; i < BOOTSTRAP_RESAMPLES; i++)
		medians[i] = resampled_median(sorted, drawn, n, &seed);
	free(drawn);
	qsort(medians, BOOTSTRAP_RESAMPLES, sizeof(*medians), stats__compare);
	return 0;
}

static struct estimate estimate_sorted(const double *sorted, size_t n, uint64_t seed)
{
	static const double tail = (1 - BOOTSTRAP_LEVEL) / 2;
	double medians[BOOTSTRAP_RESAMPLES];
	struct estimate e = unknown;

	if (!n)
		return e;
	e.median = middle(sorted, n);
	e.n = (unsigned int)n;
	if (n < 2 || resample(sorted, n, seed, medians))
		return e;
	e.low = medians[(size_t)(tail * BOOTSTRAP_RESAMPLES)];
	e.high = medians[BOOTSTRAP_RESAMPLES - 1 - (size_t)(tail * BOOTSTRAP_RESAMPLES)];
	return e;
}

struct estimate bootstrap__median(const double *values, size_t n, uint64_t seed)
{
	struct estimate e;
	double *sorted;

	if (!n)
		return unknown;
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return unknown;
	n = stats__keep_finite(sorted, values, n);
	qsort(sorted, n, sizeof(*sorted), stats__compare);
	e = estimate_sorted(sorted, n, seed);
	free(sorted);
	return e;
}

bool estimate__has_interval(const struct estimate *e)
{
	return e->n >= 2 && !isnan(e->low);
}

static enum difference difference_of(const struct estimate *a, const struct estimate *b)
{
	if (!a->n || !b->n)
		return DIFFERENCE_UNKNOWN;
	if (!estimate__has_interval(a) || !estimate__has_interval(b))
		return DIFFERENCE_POINT;
	if (a->low > b->high)
		return DIFFERENCE_HIGHER;
	return a->high < b->low ? DIFFERENCE_LOWER : DIFFERENCE_NOISE;
}

struct comparison estimate__compare(const struct estimate *a, const struct estimate *b)
{
	struct comparison c = {.a = *a, .b = *b, .change = (double)NAN};

	c.difference = difference_of(a, b);
	if (c.difference != DIFFERENCE_UNKNOWN && b->median != 0)
		c.change = a->median / b->median - 1;
	return c;
}
