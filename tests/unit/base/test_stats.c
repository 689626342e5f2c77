/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics: spreads, and medians with intervals between ranks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "support/random.h"
#include "support/test.h"

static void check_spread(double *values, size_t n, double low, double median, double high)
{
	struct spread s = stats__spread(values, n);

	assert_int_equal(s.n, n);
	assert_true(s.low == low && s.median == median && s.high == high);
}

TEST(spread_has_lowest_median_and_highest_value)
{
	double one[] = {3.5}, two[] = {4, 1}, odd[] = {9, -2, 5}, even[] = {8, 1, 4, 2};

	check_spread(one, 1, 3.5, 3.5, 3.5);
	check_spread(two, 2, 1, 2.5, 4);
	check_spread(odd, 3, -2, 5, 9);
	check_spread(even, 4, 1, 3, 8);
}

TEST(spread_of_no_finite_value_is_unknown)
{
	double none[] = {NAN, INFINITY};

	assert_int_equal(stats__spread(NULL, 0).n, 0);
	assert_int_equal(stats__spread(none, 2).n, 0);
}

TEST(non_finite_rounds_are_left_out)
{
	double values[] = {NAN, 2, -INFINITY, 4, NAN};
	struct spread s = stats__spread(values, 5);

	assert_int_equal(s.n, 2);
	assert_true(s.low == 2 && s.median == 3 && s.high == 4);
}

TEST(median_of_huge_values_does_not_overflow)
{
	double values[] = {1e308, 1.5e308};
	struct spread s = stats__spread(values, 2);

	assert_true(isfinite(s.median));
	assert_true(s.median / 1e308 > 1.2 && s.median / 1e308 < 1.3);
}

#define NEAR(value, expected) assert_true(fabs((value) - (expected)) < 1e-9)

TEST(no_value_gives_NAN_and_one_value_has_no_interval)
{
	double one[] = {5, (double)NAN, (double)INFINITY};
	struct estimate e = estimate__of(NULL, 0);

	assert_int_equal(e.n, 0);
	assert_true(isnan(e.median));
	e = estimate__of(one, 3);
	assert_int_equal(e.n, 1);
	NEAR(e.median, 5);
	assert_false(estimate__has_interval(&e));
	assert_true(isnan(e.coverage));
}

/* Reference: tables of the binomial distribution. */
TEST(coverage_of_2_to_10_values_equals_the_binomial_table)
{
	static const double exact[] = {
		[2] = 0.5,     [3] = 0.75,     [4] = 0.875,     [5] = 0.9375,
		[6] = 0.96875, [7] = 0.984375, [9] = 0.9609375, [10] = 0.978515625};
	size_t n;

	for (n = 2; n < sizeof(exact) / sizeof(exact[0]); n++)
		if (exact[n] > 0)
			NEAR(estimate__coverage(n), exact[n]);
	for (n = 6; n <= 2000; n++) {
		assert_true(estimate__coverage(n) >= ESTIMATE_LEVEL);
		assert_true(estimate__coverage(n) < 1);
	}
}

/* Two values contain the median with probability 1/2; nine: the second smallest and largest. */
TEST(intervals_run_between_ranks)
{
	double two[] = {7, 3}, nine[9];
	struct estimate e = estimate__of(two, 2);

	assert_int_equal(e.n, 2);
	assert_true(e.median == 5 && e.low == 3 && e.high == 7);
	NEAR(e.coverage, 0.5);
	for (int i = 0; i < 9; i++)
		nine[i] = (i * 5) % 9; /* 0..8, out of order */
	e = estimate__of(nine, 9);
	assert_true(e.median == 4 && e.low == 1 && e.high == 7);
}

/* Simulated, with a normal and with a heavy-tailed, skewed distribution. */
TEST(intervals_contain_the_median_as_often_as_they_claim)
{
	uint64_t seed = 20;
	double v[30];

	for (size_t n = 3; n <= 30; n++) {
		for (int tail = 0; tail < 2; tail++) {
			unsigned int held = 0, sets = 8000;
			double said = estimate__coverage(n);

			for (unsigned int set = 0; set < sets; set++) {
				struct estimate e;

				for (size_t i = 0; i < n; i++) {
					double x = random_normal(&seed);

					v[i] = tail ? exp(2 * x) : x;
				}
				e = estimate__of(v, n);
				held += e.low <= tail && tail <= e.high;
			}
			if (!(fabs((double)held / sets - said) < 0.02))
				fail_msg("%zu rounds: said %.3f, held %.3f", n, said,
					 (double)held / sets);
		}
	}
}

TEST(interval_needs_two_values_and_both_bounds)
{
	const struct estimate one = {.n = 1, .low = 1, .high = 2};
	const struct estimate unbounded = {.n = 3, .low = (double)NAN, .high = (double)NAN};
	const struct estimate two = {.n = 2, .low = 1, .high = 2};

	assert_false(estimate__has_interval(&one));
	assert_false(estimate__has_interval(&unbounded));
	assert_true(estimate__has_interval(&two));
}
