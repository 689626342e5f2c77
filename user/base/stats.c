/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics: medians, intervals between ranks; see stats.h. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

int order__u64(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

int order__uint(const void *a, const void *b)
{
	return ORDER(*(const unsigned int *)a, *(const unsigned int *)b);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return ORDER(x, y);
}

size_t stats__sort(double *values, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]))
			values[kept++] = values[i];
	if (kept)
		qsort(values, kept, sizeof(*values), compare);
	return kept;
}

double stats__median(const double *sorted, size_t n)
{
	return n ? sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2 : (double)NAN;
}

struct spread stats__spread(double *values, size_t n)
{
	n = stats__sort(values, n);
	if (!n)
		return (struct spread){0};
	return (struct spread){
		.median = stats__median(values, n),
		.low = values[0],
		.high = values[n - 1],
		.n = (unsigned int)n,
	};
}

/* P(Binomial(n, 1/2) = k). By logarithms: n over k exceeds a double from n = 1030 on. */
static double term(size_t n, size_t k)
{
	double log_choose =
		lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);

	return exp(log_choose - (double)n * log(2));
}

/* Returns the largest rank, from 1, whose interval covers ESTIMATE_LEVEL; sets *coverage. */
static size_t choose_rank(size_t n, double *coverage)
{
	double outside = 2 * term(n, 0), next;
	size_t k = 1;

	while (2 * (k + 1) <= n) {
		next = outside + 2 * term(n, k);
		if (1 - next < ESTIMATE_LEVEL)
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
		choose_rank(n, &coverage);
	return coverage;
}

struct estimate estimate__of(double *values, size_t n)
{
	struct estimate e = {.low = (double)NAN, .high = (double)NAN, .coverage = (double)NAN};
	size_t k;

	n = stats__sort(values, n);
	e.n = (unsigned int)n;
	e.median = stats__median(values, n);
	if (n < 2)
		return e;
	k = choose_rank(n, &e.coverage);
	e.low = values[k - 1];
	e.high = values[n - k];
	return e;
}

bool estimate__has_interval(const struct estimate *e)
{
	return e->n >= 2 && !isnan(e->low);
}
