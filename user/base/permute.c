/* SPDX-License-Identifier: GPL-2.0-only */
/* Signs and arrangements of blocks; see permute.h. */
#include <math.h>

#include "common/splitmix.h"
#include "permute.h"

size_t permute__sign_count(size_t n, size_t limit)
{
	size_t count = 1;

	while (n-- > 1 && count <= limit)
		count *= 2;
	return count;
}

void permute__signs(signed char *mark, size_t n, size_t number)
{
	for (size_t b = 1; b < n; b++)
		mark[b] = number >> (b - 1) & 1 ? -1 : 1;
}

void permute__draw_signs(signed char *mark, size_t n, uint64_t *state)
{
	for (size_t b = 1; b < n; b++)
		mark[b] = splitmix__next(state) >> 63 ? -1 : 1;
}

double permute__choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return round(c);
}

static void swap(signed char *mark, size_t i, size_t j)
{
	signed char m = mark[i];

	mark[i] = mark[j];
	mark[j] = m;
}

bool permute__next(signed char *mark, size_t n)
{
	size_t i = n - 1, j = n - 1;

	while (i && mark[i - 1] >= mark[i])
		i--;
	if (!i)
		return false;
	while (mark[j] <= mark[i - 1])
		j--;
	swap(mark, i - 1, j);
	for (j = n - 1; i < j; i++, j--)
		swap(mark, i, j);
	return true;
}

void permute__shuffle(signed char *mark, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i; i--)
		swap(mark, i, (size_t)(((splitmix__next(state) >> 32) * (i + 1)) >> 32));
}
