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
#include "support/golden.c"
#include "support/random.h"

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

#define TESTS 3
#define SIGNS                                                                              \
	(1u << (BLOCKS - 1)) /* the first block keeps its sign: the other half is the same \
			      */

/* Mean and its variance with the signs of a pattern, as textbooks have it. */
static void mean_of(const double *v, unsigned int signs, double *mean, double *variance)
{
	double sum = 0, squares = 0, n = 0;

	for (unsigned int b = 0; b < BLOCKS; b++) {
		if (isnan(v[b]))
			continue;
		sum += b && signs >> (b - 1) & 1 ? -v[b] : v[b];
		squares += v[b] * v[b];
		n++;
	}
	*mean = sum / n;
	*variance = (squares - n * *mean * *mean) / (n - 1) / n;
}

/* Each test's variance leans on the lower middle one of all, which is worth three of its own. */
static void statistics_of(double v[TESTS][BLOCKS], unsigned int signs, double *statistic)
{
	double mean[TESTS], variance[TESTS], sorted[TESTS];

	for (int i = 0; i < TESTS; i++) {
		mean_of(v[i], signs, &mean[i], &variance[i]);
		sorted[i] = variance[i];
	}
	qsort(sorted, TESTS, sizeof(*sorted), compare);
	for (int i = 0; i < TESTS; i++)
		statistic[i] =
			fabs(mean[i]) / sqrt((variance[i] + 3 * sorted[(TESTS - 1) / 2]) / 4);
}

static void clip_all(double values[TESTS][BLOCKS], double clipped[TESTS][BLOCKS])
{
	double distances[TESTS * BLOCKS] = {0}, limit;
	size_t n = 0;

	for (int i = 0; i < TESTS; i++)
		for (int b = 0; b < BLOCKS; b++)
			if (!isnan(values[i][b]))
				distances[n++] = fabs(values[i][b]);
	qsort(distances, n, sizeof(*distances), compare);
	limit = BLOCK_TEST_CLIP * distances[(n - 1) / 2];
	for (int i = 0; i < TESTS; i++)
		for (int b = 0; b < BLOCKS; b++)
			clipped[i][b] = isnan(values[i][b])
						? values[i][b]
						: fmax(-limit, fmin(limit, values[i][b]));
}

/*
 * p of a test: how often signs at random make it as large. Adjusted (Westfall and Young): how often
 * the largest of those that were not larger is as large, and never less than that of a larger one.
 */
static void by_all_signs(double values[TESTS][BLOCKS], double *p, double *adjusted)
{
	double clipped[TESTS][BLOCKS], observed[TESTS], s[TESTS];

	clip_all(values, clipped);
	statistics_of(clipped, 0, observed);
	for (int i = 0; i < TESTS; i++)
		p[i] = adjusted[i] = 0;
	for (unsigned int signs = 0; signs < SIGNS; signs++) {
		statistics_of(clipped, signs, s);
		for (int i = 0; i < TESTS; i++) {
			double largest = s[i];

			for (int k = 0; k < TESTS; k++)
				if (observed[k] < observed[i])
					largest = fmax(largest, s[k]);
			p[i] += s[i] >= observed[i] * (1 - 1e-9) ? 1.0 / SIGNS : 0;
			adjusted[i] += largest >= observed[i] * (1 - 1e-9) ? 1.0 / SIGNS : 0;
		}
	}
	for (int i = 0; i < TESTS; i++)
		for (int k = 0; k < TESTS; k++)
			if (observed[k] > observed[i])
				adjusted[i] = fmax(adjusted[i], adjusted[k]);
}

static void pairs_are_all_signs(void **state)
{
	double cases[][TESTS][BLOCKS] = {
		{{1.0, 1.2, 1.1, 2.0, 2.3, 1.9, 2.6},
		 {0.3, -0.2, 0.4, 0.1, -0.3, 0.5, 0.2},
		 {-1.0, 0.2, -0.7, -0.9, -1.4, 0.1, -0.8}},
		/* Far ones are clipped, and a round that was not measured is none. */
		{{0.1, 0.2, -0.1, 40, 0.3, 0.2, 0.1},
		 {(double)NAN, 0.5, 0.4, 0.6, -0.1, 0.3, 0.2},
		 {0.2, 0.1, 0.3, 0.2, (double)NAN, (double)NAN, 0.15}},
	};
	static const int group[TESTS];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double p[TESTS], adjusted[TESTS], expected[TESTS], expected_adjusted[TESTS];
		struct block_test t = {.values = cases[i][0],
				       .group = group,
				       .tests = TESTS,
				       .blocks = BLOCKS,
				       .p = p,
				       .adjusted = adjusted};

		by_all_signs(cases[i], expected, expected_adjusted);
		assert_int_equal(block_test__paired(&t), 0);
		for (int k = 0; k < TESTS; k++) {
			NEAR(p[k], expected[k]);
			NEAR(adjusted[k], expected_adjusted[k]);
		}
	}
}

/* Of more blocks than all signs could be tried of, a fixed sample: the smallest p it can give. */
static void many_pairs_are_a_sample(void **state)
{
	static const int group[2];
	double values[2][40], p[2], adjusted[2];
	struct block_test t = {.values = values[0],
			       .group = group,
			       .tests = 2,
			       .blocks = 40,
			       .p = p,
			       .adjusted = adjusted};

	(void)state;
	for (int b = 0; b < 40; b++) {
		values[0][b] = 1 + 0.01 * (b % 7);
		values[1][b] = b % 2 ? 1 : -1;
	}
	assert_int_equal(block_test__paired(&t), 0);
	NEAR(p[0], 1.0 / BLOCK_TEST_PERMUTATIONS);
	NEAR(adjusted[0], 1.0 / BLOCK_TEST_PERMUTATIONS);
	NEAR(p[1], 1);
	NEAR(adjusted[1], 1);
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

#define SEVERAL 6
#define MANY    20

/* Tests of three groups of numbers: without an effect, with one, and with holes. */
static void fill(double *values, int *group, size_t blocks, size_t before)
{
	uint64_t seed = 5;

	for (size_t i = 0; i < SEVERAL; i++) {
		group[i] = (int)(i % 3);
		for (size_t b = 0; b < blocks; b++) {
			double *v = &values[i * blocks + b];

			*v = random_normal(&seed) + (b >= before && i > 2 ? 1.5 : 0);
			if (i == 1 && b % 3 == 0)
				*v = (double)NAN;
			if (i == 4 && b == 2)
				*v = 1000; /* clipped */
			if (i == 5 && b < before)
				*v = (double)NAN;
		}
	}
}

/* before: 0: signs of differences; else of two samples. */
static void put_p(FILE *f, size_t blocks, size_t before, bool one_sided)
{
	double values[SEVERAL * MANY], p[SEVERAL], adjusted[SEVERAL];
	int group[SEVERAL];
	struct block_test t = {.values = values,
			       .group = group,
			       .tests = SEVERAL,
			       .blocks = blocks,
			       .p = p,
			       .adjusted = adjusted};

	fill(values, group, blocks, before);
	assert_int_equal(before ? block_test__two_samples(&t, before, one_sided)
				: block_test__paired(&t),
			 0);
	fprintf(f, "%zu of %zu blocks%s:", before, blocks, one_sided ? ", one-sided" : "");
	for (int i = 0; i < SEVERAL; i++)
		assert_false(p[i] > 1 || adjusted[i] > 1);
	for (int i = 0; i < SEVERAL; i++)
		fprintf(f, " %.5f %.5f%s", p[i], adjusted[i], i < SEVERAL - 1 ? "," : "\n");
}

/* Few blocks, of which all permutations are made, and so many that they are drawn. */
static void p_of_many_blocks(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	put_p(f, 6, 0, false);
	put_p(f, 13, 0, false);
	put_p(f, 14, 0, false);
	put_p(f, MANY, 0, false);
	put_p(f, 2, 1, false);
	put_p(f, 9, 4, false);
	put_p(f, 9, 4, true);
	put_p(f, 14, 7, false);
	put_p(f, 15, 7, false);
	put_p(f, MANY, 5, true);
	put_p(f, MANY, 10, false);
	put_p(f, MANY, 10, true);
	fclose(f);
	golden__check("block-test", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_samples_are_all_arrangements),
		cmocka_unit_test(pairs_are_all_signs),
		cmocka_unit_test(many_pairs_are_a_sample),
		cmocka_unit_test(no_p_is_below_its_floor),
		cmocka_unit_test(discoveries_are_a_share),
		cmocka_unit_test(p_of_many_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
