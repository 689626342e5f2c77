/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rank test that decides on differences: cases calculated by hand, properties, and the error
 * rate on data without a difference.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_test.h"
#include "base/stats.h"
#include "support/near.h"
#include "support/random.h"
#include "support/test.h"

#define ROUNDS 7
#define SETS   4000

/* All n rounds of A are above all m of B in one of C(n + m, n) orders. */
TEST(separate_rounds_have_the_p_value_calculated_by_hand)
{
	static const double low[] = {1, 2, 3, 4, 5, 6, 7}, high[] = {11, 12, 13, 14, 15, 16, 17};

	NEAR(rank_test__of(low, 3, high, 3, 1).p, 2.0 / 20, 1e-12);
	NEAR(rank_test__of(low, 4, high, 4, 1).p, 2.0 / 70, 1e-12);
	NEAR(rank_test__of(low, 5, high, 5, 1).p, 2.0 / 252, 1e-12);
	NEAR(rank_test__of(low, 7, high, 7, 1).p, 2.0 / 3432, 1e-12);
	NEAR(rank_test__of(low, 2, high, 6, 1).p, 2.0 / 28, 1e-12);
	assert_int_equal(rank_test__of(low, 3, high, 3, 1).difference, DIFFERENCE_FEW);
	assert_int_equal(rank_test__of(low, 4, high, 4, 1).difference, DIFFERENCE_LOWER);
	assert_int_equal(rank_test__of(high, 4, low, 4, 1).difference, DIFFERENCE_HIGHER);
	assert_int_equal(rank_test__of(low, 1, high, 7, 1).difference, DIFFERENCE_POINT);
	assert_int_equal(rank_test__of(low, 0, high, 7, 1).difference, DIFFERENCE_UNKNOWN);
}

/* Enumerates all orders of few rounds: an independent check of the distribution of U. */
static double count_orders(unsigned int n, unsigned int m, unsigned int at_most)
{
	unsigned int orders = 0, below = 0;

	for (unsigned int mask = 0; mask < 1U << (n + m); mask++) {
		unsigned int ones = 0, u = 0;

		if ((unsigned int)__builtin_popcount(mask) != n)
			continue;
		for (unsigned int i = 0; i < n + m; i++) {
			if (mask >> i & 1)
				ones++;
			else
				u += ones;
		}
		orders++;
		below += u <= at_most;
	}
	return (double)below / orders;
}

/* Rounds of A among rounds of B such that exactly u pairs are reversed. */
TEST(p_value_is_the_share_of_all_orders)
{
	for (unsigned int n = 2; n <= 6; n++)
		for (unsigned int u = 0; u < n * 4 / 2; u++) {
			double a[6], b[4] = {10, 20, 30, 40}, want = 2 * count_orders(n, 4, u);
			unsigned int left = u;

			for (unsigned int i = 0; i < n; i++) {
				unsigned int above = left < 4 ? left : 4;

				a[i] = 5 + 10.0 * above + 0.1 * i;
				left -= above;
			}
			NEAR(rank_test__of(a, n, b, 4, 1).p, want < 1 ? want : 1, 1e-12);
		}
}

/* The ranks in docs/GUIDE.md and the header. */
TEST(rank_k_is_as_documented)
{
	static const struct {
		size_t n, k;
	} ranks[] = {{4, 1}, {5, 3}, {6, 6}, {7, 9}, {12, 38}};

	for (size_t r = 0; r < sizeof(ranks) / sizeof(ranks[0]); r++) {
		double a[12], b[12];
		size_t n = ranks[r].n;
		struct rank_test t;

		/* All n x n quotients differ: 2^i / 2^(-n j). */
		for (size_t i = 0; i < n; i++) {
			a[i] = exp2((double)i);
			b[i] = exp2(-(double)(n * i));
		}
		t = rank_test__of(a, n, b, n, 1);
		/* The k-th smallest quotient is 2^(k-1). */
		NEAR(log2(t.low + 1), (double)ranks[r].k - 1, 1e-6);
	}
	assert_int_equal(rank_test__rounds_needed(1), 4);
	assert_int_equal(rank_test__rounds_needed(6), 5);
	assert_int_equal(rank_test__rounds_needed(23), 6);
	assert_int_equal(rank_test__rounds_needed(85), 7);
	assert_int_equal(rank_test__rounds_needed(86), 8);
}

static void draw(double *x, size_t n, double middle, double width, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		x[i] = middle * exp(width * random_normal(seed));
}

TEST(swapped_sides_give_the_inverse_change)
{
	uint64_t seed = 1;

	for (int set = 0; set < 200; set++) {
		double a[ROUNDS], b[ROUNDS];
		struct rank_test t, u;

		draw(a, ROUNDS, 11, 0.05, &seed);
		draw(b, ROUNDS - 1, 10, 0.05, &seed);
		t = rank_test__of(a, ROUNDS, b, ROUNDS - 1, 3);
		u = rank_test__of(b, ROUNDS - 1, a, ROUNDS, 3);
		NEAR(t.p, u.p, 1e-12);
		NEAR((1 + t.change) * (1 + u.change), 1, 1e-9);
		NEAR((1 + t.low) * (1 + u.high), 1, 1e-9);
		NEAR((1 + t.high) * (1 + u.low), 1, 1e-9);
		assert_int_equal(t.difference == DIFFERENCE_HIGHER,
				 u.difference == DIFFERENCE_LOWER);
		assert_int_equal(t.sign, -u.sign);
	}
}

/* A larger A cannot lower the interval; more comparisons cannot narrow it. */
TEST(interval_is_monotone)
{
	uint64_t seed = 2;

	for (int set = 0; set < 200; set++) {
		double a[ROUNDS], b[ROUNDS];
		struct rank_test t, more, higher;

		draw(a, ROUNDS, 10, 0.1, &seed);
		draw(b, ROUNDS, 10, 0.1, &seed);
		t = rank_test__of(a, ROUNDS, b, ROUNDS, 1);
		more = rank_test__of(a, ROUNDS, b, ROUNDS, 20);
		a[set % ROUNDS] *= 1.2;
		higher = rank_test__of(a, ROUNDS, b, ROUNDS, 1);
		assert_true(more.low <= t.low && more.high >= t.high);
		assert_true(higher.low >= t.low && higher.high >= t.high);
		assert_true(t.low <= t.change && t.change <= t.high);
		assert_true(t.coverage >= 0.95);
	}
}

/* Doubling all values and permuting the rounds change nothing. */
TEST(scale_and_order_do_not_change_the_result)
{
	double a[] = {9, 11, 10, 12, 8, 10.5, 9.5}, b[] = {7, 8, 7.5, 9, 8.5, 6, 8.2};
	struct rank_test t = rank_test__of(a, 7, b, 7, 2), u;

	for (int i = 0; i < 3; i++) {
		double swap = a[i];

		a[i] = a[6 - i];
		a[6 - i] = swap;
	}
	for (int i = 0; i < 7; i++) {
		a[i] *= 2;
		b[i] *= 2;
	}
	u = rank_test__of(a, 7, b, 7, 2);
	NEAR(t.low, u.low, 1e-12);
	NEAR(t.high, u.high, 1e-12);
	NEAR(t.p, u.p, 1e-12);
}

/* Equal rounds count against a difference; 0 is a value; NaN is not. */
TEST(ties_give_no_difference_and_zeros_no_change)
{
	static const double same[] = {5, 5, 5, 5, 5, 5, 5}, zero[7] = {0};
	static const double gaps[] = {5, (double)NAN, 6, 7, (double)INFINITY, 8};
	struct rank_test t = rank_test__of(same, 7, same, 7, 1);

	assert_int_equal(t.difference, DIFFERENCE_NOISE);
	NEAR(t.p, 1, 0);
	NEAR(t.low, 0, 0);
	NEAR(t.high, 0, 0);
	t = rank_test__of(same, 7, zero, 7, 1);
	assert_int_equal(t.difference, DIFFERENCE_HIGHER);
	assert_true(isnan(t.change) && isnan(t.low) && isnan(t.high));
	t = rank_test__of(zero, 7, same, 7, 1);
	assert_int_equal(t.difference, DIFFERENCE_LOWER);
	NEAR(t.change, -1, 0);
	assert_int_equal(rank_test__of(zero, 7, zero, 7, 1).difference, DIFFERENCE_NOISE);
	t = rank_test__of(gaps, 6, same, 7, 1);
	assert_int_equal(t.n, 4);
	NEAR(t.a, 6.5, 0);
}

/* Beyond RANK_EXACT_MAX a normal approximation continues the exact distribution without a step. */
TEST(normal_approximation_continues_the_exact_distribution)
{
	double a[100], b[100];
	uint64_t seed = 3;
	struct rank_test t, u;

	draw(a, 100, 10, 0.1, &seed);
	draw(b, 100, 10, 0.1, &seed);
	t = rank_test__of(a, RANK_EXACT_MAX, b, RANK_EXACT_MAX, 1);
	u = rank_test__of(a, RANK_EXACT_MAX + 1, b, RANK_EXACT_MAX, 1);
	assert_true(fabs(t.coverage - u.coverage) < 0.01);
	assert_true(rank_test__of(a, 100, b, 100, 1).coverage >= 0.95);
	assert_int_equal(rank_test__rounds_needed(1), 4);
}

static double noise(int kind, uint64_t *seed)
{
	return exp(0.1 * (kind ? random_heavy(seed) : random_normal(seed)));
}

/* The true quotient is 1.3; the interval contains it at least as often as its coverage. */
TEST(interval_contains_the_true_change_as_often_as_claimed)
{
	for (int kind = 0; kind < 2; kind++)
		for (size_t n = 4; n <= 10; n += 3) {
			unsigned int held = 0;
			uint64_t seed = 4;
			double coverage = 0;

			for (int set = 0; set < SETS; set++) {
				double a[10], b[10];
				struct rank_test t;

				for (size_t i = 0; i < n; i++) {
					a[i] = 1.3 * noise(kind, &seed);
					b[i] = noise(kind, &seed);
				}
				t = rank_test__of(a, n, b, n, 1);
				held += t.low <= 0.3 && 0.3 <= t.high;
				coverage = t.coverage;
			}
			print_message("  %zu rounds: %u of %d, coverage %.4f\n", n, held, SETS,
				      coverage);
			assert_true(held >= SETS * coverage - 3 * sqrt(SETS * 0.05));
		}
}

/* 16 comparisons without a true difference: at most 5 % of the sets have a false one. */
TEST(family_of_16_noise_comparisons_is_wrong_in_5_percent_at_most)
{
	unsigned int wrong = 0;
	uint64_t seed = 5;

	for (int set = 0; set < SETS / 2; set++) {
		bool any = false;

		for (int cell = 0; cell < 16; cell++) {
			double a[ROUNDS], b[ROUNDS];

			draw(a, ROUNDS, 10, 0.1, &seed);
			draw(b, ROUNDS, 10, 0.1, &seed);
			any |= rank_test__of(a, ROUNDS, b, ROUNDS, 16).difference >=
			       DIFFERENCE_HIGHER;
		}
		wrong += any;
	}
	print_message("  any difference in %u of %d\n", wrong, SETS / 2);
	assert_true(wrong <= SETS / 2 * RANK_LEVEL + 3 * sqrt(SETS / 2 * RANK_LEVEL));
}

/* A member of a vector; NaN: null. */
static double member(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static size_t values(const json_t *o, const char *key, double *out)
{
	const json_t *value, *list = json_object_get(o, key);
	size_t i;

	json_array_foreach(list, i, value)
		out[i] = json_number_value(value);
	return json_array_size(list);
}

static void check_member(const json_t *o, const char *key, double value)
{
	double expected = member(o, key);

	if (isnan(expected))
		assert_true(isnan(value));
	else
		NEAR(value, expected, 1e-12 * fmax(1, fabs(expected)));
}

static void check_vector(const json_t *o)
{
	static const char *const words[] = {"unknown", "point", "few", "noise", "higher", "lower"};
	double a[64], b[64];
	size_t n = values(o, "a", a), m = values(o, "b", b);
	struct rank_test t = rank_test__of(a, n, b, m, (size_t)member(o, "tests"));

	assert_string_equal(words[t.difference],
			    json_string_value(json_object_get(o, "difference")));
	assert_true(t.sign == (int)member(o, "sign"));
	check_member(o, "change", t.change);
	check_member(o, "low", t.low);
	check_member(o, "high", t.high);
	check_member(o, "coverage", t.coverage);
	check_member(o, "p", t.p);
}

/* tests/analysis/test_stats.py has the same. Run from the root of the source tree. */
TEST(vectors_have_the_same_results_as_in_python)
{
	json_t *root = json_load_file("tests/fixtures/rank-test.json", 0, NULL);
	const json_t *vectors = json_object_get(root, "rank_test");
	const json_t *rounds = json_object_get(root, "rounds_needed");

	assert_true(json_array_size(vectors) > 40);
	for (size_t i = 0; i < json_array_size(vectors); i++)
		check_vector(json_array_get(vectors, i));
	assert_true(json_array_size(rounds) > 0);
	for (size_t i = 0; i < json_array_size(rounds); i++) {
		const json_t *o = json_array_get(rounds, i);

		assert_int_equal(
			rank_test__rounds_needed((size_t)json_integer_value(json_array_get(o, 0))),
			json_integer_value(json_array_get(o, 1)));
	}
	json_decref(root);
}

TEST(relative_distance_converts_to_change)
{
	NEAR(rank_test__relative(3, 1), 1, 1e-12);
	NEAR(rank_test__relative(1, 3), -1, 1e-12);
	NEAR(rank_test__relative(5, 0), 2, 1e-12);
	assert_true(rank_test__relative(0, 0) == 0 && rank_test__relative(7, 7) == 0);
	assert_true(isnan(rank_test__relative((double)NAN, 1)));
	assert_true(isnan(rank_test__relative(1, (double)NAN)));
	for (double a = 0; a < 4; a += 0.5)
		for (double b = 0.5; b < 4; b += 0.5)
			NEAR(rank_test__as_change(rank_test__relative(a, b)), a / b - 1, 1e-9);
	assert_true(isnan(rank_test__as_change(2)));
}
