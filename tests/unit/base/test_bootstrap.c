/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians and bootstrap intervals, held against what theory says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bootstrap.h"

static void nothing_is_unknown(void **state)
{
	static const double no_numbers[] = {(double)NAN, (double)INFINITY};
	struct estimate e = bootstrap__median(NULL, 0, 1);

	(void)state;
	assert_int_equal(e.n, 0);
	assert_true(isnan(e.median));
	e = bootstrap__median(no_numbers, 2, 1);
	assert_int_equal(e.n, 0);
	assert_false(estimate__has_interval(&e));
}

static void one_round_has_no_interval(void **state)
{
	static const double values[] = {(double)NAN, 7};
	struct estimate e = bootstrap__median(values, 2, 1);

	(void)state;
	assert_int_equal(e.n, 1);
	assert_true(e.median == 7 && isnan(e.low) && isnan(e.high));
	assert_false(estimate__has_interval(&e));
}

/* Of n <= 5 rounds more than 2.5 % of the resamples have the extreme as their median. */
static void few_rounds_give_their_range(void **state)
{
	static const double values[] = {5, 1, 4, 2, 3};
	struct estimate e;
	size_t n;

	(void)state;
	for (n = 2; n <= 5; n++) {
		e = bootstrap__median(values, n, n);
		assert_true(e.low == 1 && e.high == 5);
	}
	assert_true(e.median == 3);
}

/*
 * The 2.5th and 97.5th percentile of the bootstrap median of 1..n are near the order statistics
 * n/2 -+ 0.98 sqrt(n) (binomial with p = 1/2, normal approximation).
 */
static void many_rounds_give_the_theoretical_interval(void **state)
{
	double values[401];
	struct estimate e;
	size_t i, n = 401;

	(void)state;
	for (i = 0; i < n; i++)
		values[i] = (double)((i * 173) % n);
	e = bootstrap__median(values, n, 3);
	assert_true(e.median == 200);
	assert_true(fabs(e.low - (200 - 0.98 * sqrt((double)n))) < 4);
	assert_true(fabs(e.high - (200 + 0.98 * sqrt((double)n))) < 4);
}

static void the_same_seed_gives_the_same(void **state)
{
	double values[20];
	struct estimate a, b;
	int i;

	(void)state;
	for (i = 0; i < 20; i++)
		values[i] = sin(i);
	a = bootstrap__median(values, 20, 42);
	b = bootstrap__median(values, 20, 42);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(a.low < a.median && a.median < a.high);
}

static struct comparison compared(double a_low, double a_high, unsigned int a_n, double b_low,
				  double b_high, unsigned int b_n)
{
	struct estimate a = {(a_low + a_high) / 2, a_low, a_high, a_n};
	struct estimate b = {(b_low + b_high) / 2, b_low, b_high, b_n};

	if (a_n == 1)
		a.low = a.high = (double)NAN;
	if (b_n == 1)
		b.low = b.high = (double)NAN;
	return estimate__compare(&a, &b);
}

static void differences_are_claimed_only_when_apart(void **state)
{
	struct comparison c;

	(void)state;
	c = compared(12, 14, 3, 8, 11.9, 3);
	assert_int_equal(c.difference, DIFFERENCE_HIGHER);
	assert_true(fabs(c.change - (13 / 9.95 - 1)) < 1e-12);
	assert_int_equal(compared(1, 2, 3, 3, 4, 3).difference, DIFFERENCE_LOWER);
	assert_int_equal(compared(1, 3, 3, 3, 4, 3).difference, DIFFERENCE_NOISE);
	assert_int_equal(compared(9, 9, 1, 3, 4, 3).difference, DIFFERENCE_POINT);
	assert_int_equal(compared(9, 9, 1, 3, 3, 1).difference, DIFFERENCE_POINT);
	assert_int_equal(compared(9, 9, 0, 3, 3, 3).difference, DIFFERENCE_UNKNOWN);
	c = compared(1, 1, 3, 0, 0, 3);
	assert_int_equal(c.difference, DIFFERENCE_HIGHER);
	assert_true(isnan(c.change));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_unknown),
		cmocka_unit_test(one_round_has_no_interval),
		cmocka_unit_test(few_rounds_give_their_range),
		cmocka_unit_test(many_rounds_give_the_theoretical_interval),
		cmocka_unit_test(the_same_seed_gives_the_same),
		cmocka_unit_test(differences_are_claimed_only_when_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
