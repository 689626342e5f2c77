/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics; see stats.h. */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

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
