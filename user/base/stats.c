/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics over the rounds of a mode. Knows nothing of what the values are. */
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

struct spread stats__spread(const double *values, size_t n)
{
	struct spread spread = {0};
	double *sorted;

	if (!n)
		return spread;
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return spread;
	n = stats__keep_finite(sorted, values, n);
	if (n) {
		qsort(sorted, n, sizeof(*sorted), stats__compare);
		spread.median = sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2;
		spread.low = sorted[0];
		spread.high = sorted[n - 1];
		spread.n = (unsigned int)n;
	}
	free(sorted);
	return spread;
}
