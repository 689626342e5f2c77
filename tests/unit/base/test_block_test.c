/* SPDX-License-Identifier: GPL-2.0-only */
/* Permutation tests against all arrangements counted by hand, and the tables of their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/block_test.h"

#define BLOCKS 7
#define BEFORE 3

#define NEAR(value, expected) assert_true(fabs((value) - (expected)) < 1e-12)

/* The two-sample statistic as textbooks have it, of the blocks whose bit is set against the rest.
 */
static double t_of(const double *v, unsigned int set)
{
	double sum[2] = {0}, squares[2] = {0}, n[2] = {0}, within;

	for (unsigned int b = 0; b < BLOCKS; b++) {
		unsigned int group = set >> b & 1;

		if (isnan(v[b]))
			continue;
		sum[group] += v[b];
		squares[group] += v[b] * v[b];
		n[group]++;
	}
	within = squares[0] - sum[0] * sum[0] / n[0] + squares[1] - sum[1] * sum[1] / n[1];
	return fabs(sum[1] / n[1] - sum[0] / n[0]) /
	       sqrt(within / (n[0] + n[1] - 2) * (1 / n[0] + 1 / n[1]));
}

static int compare(const void *px, const void *py)
{
	const double *x = px, *y = py;

	return (*x > *y) - (*x < *y);
}

/* Of an even number the lower of the two in the middle. */
static double median_of(const double *v, bool distances, double from)
{
	double sorted[BLOCKS] = {0};
	size_t n = 0;

	for (size_t b = 0; b < BLOCKS; b++)
		if (!isnan(v[b]))
			sorted[n++] = distances ? fabs(v[b] - from) : v[b];
	qsort(sorted, n, sizeof(*sorted), compare);
	return sorted[(n - 1) / 2];
}

/* What is further from the median than BLOCK_TEST_CLIP median distances counts as that far. */
static void clip(const double *v, double *clipped)
{
	double middle = median_of(v, false, 0);
	double limit = BLOCK_TEST_CLIP * median_of(v, true, middle);

	for (size_t b = 0; b < BLOCKS; b++)
		clipped[b] = isnan(v[b]) ? v[b] : fmax(-limit, fmin(limit, v[b] - middle));
}

/* The share of all arrangements that are at least as far apart as the last blocks from the first.
 */
static double share_of(const double *values)
{
	double v[BLOCKS];
	unsigned int observed = (1u << BLOCKS) - (1u << BEFORE), all = 0, far = 0;

	clip(values, v);
	for (unsigned int set = 0; set < 1u << BLOCKS; set++) {
		if (__builtin_popcount(set) != BLOCKS - BEFORE)
			continue;
		all++;
		far += t_of(v, set) >= t_of(v, observed) * (1 - 1e-9);
	}
	assert_int_equal(all, 35);
	return far / (double)all;
}

static double p_of(const double *v)
{
	static const int group[] = {0};
	double p, adjusted;
	struct block_test t = {.values = v,
			       .group = group,
			       .tests = 1,
			       .blocks = BLOCKS,
			       .p = &p,
			       .adjusted = &adjusted};

	assert_int_equal(block_test__two_samples(&t, BEFORE, false), 0);
	NEAR(adjusted, p);
	return p;
}

/* A round that was not measured leaves groups of other sizes, which differ by arrangement. */
static void two_samples_are_all_arrangements(void **state)
{
	static const double whole[][BLOCKS] = {
		{1.0, 1.2, 1.1, 2.0, 2.3, 1.9, 2.6},
		{1.0, 1.6, 1.4, 1.3, 2.1, 1.2, 1.9},
		{1.3, 1.6, 1.1, 1.2, 2.0, 1.5, 1.4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		NEAR(p_of(whole[i]), share_of(whole[i]));
		for (size_t b = 0; b < BLOCKS; b++) {
			double holes[BLOCKS];

			for (size_t k = 0; k < BLOCKS; k++)
				holes[k] = k == b ? (double)NAN : whole[i][k];
			NEAR(p_of(holes), share_of(holes));
		}
	}
}

static void no_p_is_below_its_floor(void **state)
{
	(void)state;
	NEAR(block_test__paired_floor(0), 1);
	NEAR(block_test__paired_floor(1), 1);
	NEAR(block_test__paired_floor(7), 1.0 / 64);
	NEAR(block_test__paired_floor(40), 1.0 / BLOCK_TEST_PERMUTATIONS);
	NEAR(block_test__two_samples_floor(0, 5, false), 1);
	NEAR(block_test__two_samples_floor(5, 0, true), 1);
	NEAR(block_test__two_samples_floor(3, 4, false), 1.0 / 35);
	NEAR(block_test__two_samples_floor(4, 4, false), 2.0 / 70);
	NEAR(block_test__two_samples_floor(4, 4, true), 1.0 / 70);
	NEAR(block_test__two_samples_floor(20, 21, true), 1.0 / BLOCK_TEST_PERMUTATIONS);
}

/* Benjamini and Hochberg's own procedure, by hand: limits of 5 % are 0.0125, 0.025, 0.0375, 0.05.
 */
static void discoveries_are_a_share(void **state)
{
	const double p[] = {0.5, (double)NAN, 0.01, 0.03, 0.02}, none[] = {0.2, 0.9};

	(void)state;
	NEAR(block_test__discovery_limit(p, 5, 0.05), 0.03);
	NEAR(block_test__discovery_limit(none, 2, 0.05), -1);
	NEAR(block_test__discovery_limit(none, 0, 0.05), -1);
	/* What is just as small as its limit is in. */
	NEAR(block_test__discovery_limit((const double[]){0.25}, 1, 0.25), 0.25);
	NEAR(block_test__discovery_limit((const double[]){0.5, 0.25}, 2, 0.5), 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_samples_are_all_arrangements),
		cmocka_unit_test(no_p_is_below_its_floor),
		cmocka_unit_test(discoveries_are_a_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
