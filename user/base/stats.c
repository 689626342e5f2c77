/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics: comparison, medians, intervals between ranks; see stats.h. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

int stats__compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

size_t stats__keep_finite(double *dst, const double *src, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (isfinite(src[i]))
			dst[kept++] = src[i];
	return kept;
}

struct spread stats__spread(double *values, size_t n)
{
	n = stats__keep_finite(values, values, n);
	if (!n)
		return (struct spread){0};
	qsort(values, n, sizeof(*values), stats__compare);
	return (struct spread){
		.median = values[(n - 1) / 2] / 2 + values[n / 2] / 2,
		.low = values[0],
		.high = values[n - 1],
		.n = (unsigned int)n,
	};
}

/* The logarithm, since n over k exceeds the range of a double from n = 1030 on. */
static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* P(Binomial(n, 1/2) = k) */
static double term(size_t n, size_t k)
{
	return exp(log_choose(n, k) - (double)n * log(2));
}

/* Returns the largest rank, from 1, whose interval covers at least `level`; sets *coverage. */
static size_t choose_rank(size_t n, double level, double *coverage)
{
	double outside = 2 * term(n, 0), next;
	size_t k = 1;

	while (2 * (k + 1) <= n) {
		next = outside + 2 * term(n, k);
		if (1 - next < level)
			break;
		outside = next;
		k++;
	}
	*coverage = 1 - outside;
	return k;
}

double estimate__coverage(size_t n)
{
	double coverage = (double)NAN;

	if (n >= 2)
		choose_rank(n, ESTIMATE_LEVEL, &coverage);
	return coverage;
}

static struct estimate of_sorted(const double *sorted, size_t n, double level)
{
	struct estimate e = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (unsigned int)n};
	size_t k;

	if (!n)
		return e;
	e.median = sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2;
	if (n < 2)
		return e;
	k = choose_rank(n, level, &e.coverage);
	e.low = sorted[k - 1];
	e.high = sorted[n - k];
	return e;
}

struct estimate estimate__of(double *values, size_t n)
{
	n = stats__keep_finite(values, values, n);
	if (n)
		qsort(values, n, sizeof(*values), stats__compare);
	return of_sorted(values, n, ESTIMATE_LEVEL);
}

struct estimate estimate__at(double *values, size_t n, double level)
{
	struct estimate e;

	n = stats__keep_finite(values, values, n);
	if (n)
		qsort(values, n, sizeof(*values), stats__compare);
	e = of_sorted(values, n, level);
	if (!(e.coverage >= level))
		e.low = e.high = e.coverage = (double)NAN;
	return e;
}

bool estimate__has_interval(const struct estimate *e)
{
	return e->n >= 2 && !isnan(e->low);
}
