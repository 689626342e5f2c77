/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics: spreads and medians. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
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
