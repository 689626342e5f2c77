/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the rank test of two groups of rounds; see rank_test.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "rank_test.h"
#include "stats.h"

/* U is needed up to half of the pairs only: its distribution is symmetric. */
#define EXACT_U_MAX (RANK_EXACT_MAX * RANK_EXACT_MAX / 2)
/* Tolerance for rounding in sums of probabilities. */
#define ROUNDING 1e-12

double rank_test__relative(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	return a == b ? 0 : 2 * (a - b) / (fabs(a) + fabs(b));
}

double rank_test__as_change(double apart)
{
	return apart < 2 ? (2 + apart) / (2 - apart) - 1 : (double)NAN;
}

/* P(U <= u) by the normal approximation, with continuity correction. */
static double normal_below(size_t n, size_t m, double u)
{
	double pairs = (double)n * (double)m;
	double deviation = sqrt(pairs * (double)(n + m + 1) / 12);

	return erfc((pairs / 2 - u - 0.5) / deviation / M_SQRT2) / 2;
}

/*
 * P(U <= u) if the two groups do not differ. row[j][v] is P(U = v) of i and j rounds: the largest
 * round is in the first group with probability i / (i + j), and then above all j others.
 */
static double exact_below(size_t n, size_t m, size_t u)
{
	static double row[RANK_EXACT_MAX + 1][EXACT_U_MAX + 1];
	double below = 0;

	memset(row, 0, sizeof(row));
	for (size_t j = 0; j <= m; j++)
		row[j][0] = 1;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++)
			/* Downward, so that entries below v still belong to i - 1. */
			for (size_t v = u + 1; v-- > 0;) {
				double first = v >= j ? row[j][v - j] : 0, second = row[j - 1][v];

				row[j][v] =
					((double)i * first + (double)j * second) / (double)(i + j);
			}
	for (size_t v = 0; v <= u; v++)
		below += row[m][v];
	return below;
}

/* 2 P(U <= u), at most 1. */
static double two_sided(size_t n, size_t m, size_t u)
{
	double below;

	if (2 * u >= n * m)
		return 1;
	below = n <= RANK_EXACT_MAX && m <= RANK_EXACT_MAX ? exact_below(n, m, u)
							   : normal_below(n, m, (double)u);
	return fmin(1, 2 * below);
}

/* The rank k of rule 2; 0: none. */
static size_t choose_rank(size_t n, size_t m, double level, double *coverage)
{
	size_t low = 0, high = n * m / 2, middle;

	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (two_sided(n, m, middle - 1) <= level * (1 + ROUNDING))
			low = middle;
		else
			high = middle - 1;
	}
	*coverage = low ? 1 - two_sided(n, m, low - 1) : (double)NAN;
	return low;
}

static double level_of(size_t tests)
{
	return RANK_LEVEL / (double)(tests ? tests : 1);
}

unsigned int rank_test__rounds_needed(size_t tests)
{
	unsigned int n = 2;

	while (two_sided(n, n, 0) > level_of(tests) * (1 + ROUNDING))
		n++;
	return n;
}

static double p_of_pairs(const double *sorted, size_t n, size_t m)
{
	size_t pairs = n * m, not_above = 0, not_below = 0;

	for (size_t i = 0; i < pairs; i++) {
		not_above += sorted[i] <= 0;
		not_below += sorted[i] >= 0;
	}
	return two_sided(n, m, not_above < not_below ? not_above : not_below);
}

/* pair: sorted rank_test__relative() of each round of A and each round of B. */
static void decide(struct rank_test *t, const double *pair, size_t tests)
{
	double middle = rank_test__relative(t->a, t->b), coverage, low, high;
	size_t k = choose_rank(t->n, t->m, level_of(tests), &coverage);

	t->p = p_of_pairs(pair, t->n, t->m);
	t->difference = t->n < 2 || t->m < 2 ? DIFFERENCE_POINT : DIFFERENCE_FEW;
	if (!k || t->difference == DIFFERENCE_POINT)
		return;
	t->coverage = coverage;
	/* Widens the rare interval that does not hold the quotient of the medians. */
	low = fmin(pair[k - 1], middle);
	high = fmax(pair[(size_t)t->n * t->m - k], middle);
	t->low = rank_test__as_change(low);
	t->high = rank_test__as_change(high);
	t->difference = low > 0    ? DIFFERENCE_HIGHER
			: high < 0 ? DIFFERENCE_LOWER
				   : DIFFERENCE_NOISE;
}

/* The finite values of a, sorted, in a new array. Their number in *kept. */
static double *sorted_copy(const double *a, size_t n, unsigned int *kept)
{
	double *copy = xcalloc(n, sizeof(*copy));

	if (n)
		memcpy(copy, a, n * sizeof(*copy));
	*kept = (unsigned int)stats__sort(copy, n);
	return copy;
}

struct rank_test rank_test__of(const double *a, size_t n, const double *b, size_t m, size_t tests)
{
	struct rank_test t = {.change = (double)NAN,
			      .low = (double)NAN,
			      .high = (double)NAN,
			      .coverage = (double)NAN,
			      .p = (double)NAN};
	double *first = sorted_copy(a, n, &t.n), *second = sorted_copy(b, m, &t.m);
	double *pair = xcalloc((size_t)t.n * t.m, sizeof(*pair));

	t.a = stats__median(first, t.n);
	t.b = stats__median(second, t.m);
	if (t.n && t.m) {
		t.sign = ORDER(t.a, t.b);
		t.change = t.b == 0 ? (double)NAN : t.a / t.b - 1;
		for (size_t i = 0; i < t.n; i++)
			for (size_t j = 0; j < t.m; j++)
				pair[i * t.m + j] = rank_test__relative(first[i], second[j]);
		stats__sort(pair, (size_t)t.n * t.m);
		decide(&t, pair, tests);
	}
	free(first);
	free(second);
	free(pair);
	return t;
}
