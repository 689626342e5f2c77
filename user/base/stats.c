/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics; see stats.h. */
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
