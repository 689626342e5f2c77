/* SPDX-License-Identifier: GPL-2.0-only */
/* When something may be claimed, each rule at its limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "study/claim.h"

#include "support/near.h"

#define UNKNOWN ((double)NAN)
#define ROUNDS  7

static const struct estimate some = {.median = 5, .n = 7}, other = {.median = 4, .n = 7};

static void how_much_above(void **state)
{
	(void)state;
	NEAR(claim__apart(3, 1), 1, 1e-12);
	NEAR(claim__apart(1, 3), -1, 1e-12);
	NEAR(claim__apart(5, 0), 2, 1e-12);
	NEAR(claim__apart(0, 5), -2, 1e-12);
	NEAR(claim__apart(-1, 3), -2, 1e-12);
	assert_true(claim__apart(0, 0) == 0);
	assert_true(claim__apart(7, 7) == 0);
	assert_true(isnan(claim__apart(UNKNOWN, 1)) && isnan(claim__apart(1, UNKNOWN)));
}

static void as_a_change_it_is_the_quotient(void **state)
{
	(void)state;
	for (double a = 0; a < 4; a += 0.5)
		for (double b = 0.5; b < 4; b += 0.5)
			NEAR(claim__as_change(claim__apart(a, b)), a / b - 1, 1e-9);
	assert_true(isnan(claim__as_change(2)));
	assert_true(isnan(claim__as_change(UNKNOWN)));
}

/* The smallest p of signs of n rounds is 2^(1-n): of six it is 1/32, of five 1/16. */
static void six_rounds_are_needed(void **state)
{
	(void)state;
	assert_int_equal(claim__rounds_needed(), 6);
}

static struct claim made(const double *apart, size_t n, double p)
{
	double own[ROUNDS];

	for (size_t i = 0; i < n; i++)
		own[i] = apart[i];
	return claim__make(&some, &other, own, n, p);
}

/* In the family p decides, and the sign says which way. */
static void of_the_family_p_decides(void **state)
{
	static const double up[ROUNDS] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
	static const double down[ROUNDS] = {-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7};
	static const double equal[ROUNDS];
	struct claim c = made(up, ROUNDS, CLAIM_LEVEL);

	(void)state;
	assert_int_equal(c.rule, CLAIM_FAMILY);
	assert_int_equal(c.difference, DIFFERENCE_HIGHER);
	NEAR(c.p, CLAIM_LEVEL, 0);
	NEAR(c.change, 2.4 / 1.6 - 1, 1e-12);
	NEAR(c.paired.median, 2.4 / 1.6 - 1, 1e-12);
	NEAR(c.paired.low, 2.1 / 1.9 - 1, 1e-12);
	NEAR(c.paired.high, 2.7 / 1.3 - 1, 1e-12);
	assert_int_equal(c.paired.n, ROUNDS);
	NEAR(c.a.median, 5, 0);
	NEAR(c.b.median, 4, 0);
	assert_int_equal(made(up, ROUNDS, 0.051).difference, DIFFERENCE_NOISE);
	assert_int_equal(made(down, ROUNDS, 0.05).difference, DIFFERENCE_LOWER);
	assert_int_equal(made(equal, ROUNDS, 0.01).difference, DIFFERENCE_NOISE);
	assert_true(claim__holds(&c));
	c.difference = DIFFERENCE_LOWER;
	assert_true(claim__holds(&c));
	for (int d = DIFFERENCE_UNKNOWN; d <= DIFFERENCE_NOISE; d++) {
		c.difference = (enum difference)d;
		assert_false(claim__holds(&c));
	}
}

/* Beside the family the interval decides: whether 0 is in it, its bounds among it. */
static void without_a_p_the_interval_decides(void **state)
{
	static const double up[ROUNDS] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
	static const double at_0[ROUNDS] = {0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
	static const double down[ROUNDS] = {-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7};
	static const double up_to_0[ROUNDS] = {0, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7};
	static const double around[ROUNDS] = {-0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};

	(void)state;
	assert_int_equal(made(up, ROUNDS, UNKNOWN).rule, CLAIM_INTERVAL);
	assert_int_equal(made(up, ROUNDS, UNKNOWN).difference, DIFFERENCE_HIGHER);
	assert_int_equal(made(down, ROUNDS, UNKNOWN).difference, DIFFERENCE_LOWER);
	assert_int_equal(made(at_0, ROUNDS, UNKNOWN).difference, DIFFERENCE_NOISE);
	assert_int_equal(made(up_to_0, ROUNDS, UNKNOWN).difference, DIFFERENCE_NOISE);
	assert_int_equal(made(around, ROUNDS, UNKNOWN).difference, DIFFERENCE_NOISE);
}

/* Rounds that have not both do not count: of one a point, of up to five nothing can be claimed. */
static void few_rounds_claim_nothing(void **state)
{
	static const enum difference expected[ROUNDS + 1] = {
		DIFFERENCE_POINT, DIFFERENCE_POINT, DIFFERENCE_FEW,    DIFFERENCE_FEW,
		DIFFERENCE_FEW,   DIFFERENCE_FEW,   DIFFERENCE_HIGHER, DIFFERENCE_HIGHER};
	double apart[ROUNDS];

	(void)state;
	for (size_t n = 0; n <= ROUNDS; n++) {
		for (size_t i = 0; i < ROUNDS; i++)
			apart[i] = i < n ? 0.5 : UNKNOWN;
		assert_int_equal(made(apart, ROUNDS, 0.01).difference, expected[n]);
		assert_int_equal(claim__of_stage(&some, &other, apart, ROUNDS, 0.01).difference,
				 expected[n]);
	}
}

static void a_point_says_what_it_is_made_of(void **state)
{
	static const struct estimate once = {.median = 5, .n = 1};
	double apart[ROUNDS] = {0.5, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
	struct claim c = claim__make(&once, &once, apart, 1, UNKNOWN);

	(void)state;
	assert_string_equal(claim__of_how_little(&c), "one run each");
	c = claim__make(&some, &once, apart, ROUNDS, UNKNOWN);
	assert_int_equal(c.difference, DIFFERENCE_POINT);
	assert_string_equal(claim__of_how_little(&c), "one round in common");
}

/* Without a round in common the medians are all there is, and a point. */
static void without_a_round_in_common_the_medians_are_compared(void **state)
{
	static const struct estimate none = {.median = UNKNOWN}, zero = {.median = 0, .n = 7};
	double equal[ROUNDS] = {0};
	struct claim c = claim__make(&some, &other, NULL, 0, UNKNOWN);

	(void)state;
	NEAR(c.change, 0.25, 1e-12);
	assert_int_equal(c.difference, DIFFERENCE_POINT);
	assert_int_equal(c.paired.n, 0);
	assert_string_equal(claim__of_how_little(&c), "no round in common");
	c = claim__make(&some, &zero, NULL, 0, UNKNOWN);
	assert_true(isnan(c.change));
	assert_int_equal(c.sign, 1);
	c = claim__make(&some, &zero, equal, ROUNDS, 0.01);
	assert_true(isnan(c.change));
	assert_int_equal(c.sign, 0);
	NEAR(c.paired.median, 0, 0);
	c = claim__make(&none, &other, equal, ROUNDS, 0.01);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
	c = claim__make(&some, &none, NULL, 0, UNKNOWN);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
	assert_true(isnan(c.change));
}

/* Of stages the difference itself is the number, and there is no quotient. */
static void stages_are_absolute_differences(void **state)
{
	double difference[ROUNDS] = {-3, -1, -2, -7, -5, -6, -4};
	struct claim c = claim__of_stage(&some, &other, difference, ROUNDS, 0.05);

	(void)state;
	assert_int_equal(c.rule, CLAIM_STAGES);
	assert_int_equal(c.difference, DIFFERENCE_LOWER);
	NEAR(c.paired.median, -4, 0);
	NEAR(c.paired.low, -7, 0);
	NEAR(c.paired.high, -1, 0);
	NEAR(c.p, 0.05, 0);
	NEAR(c.a.median, 5, 0);
	NEAR(c.b.median, 4, 0);
	assert_true(isnan(c.change));
	c = claim__of_stage(&some, &other, difference, ROUNDS, 0.06);
	assert_int_equal(c.difference, DIFFERENCE_NOISE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_much_above),
		cmocka_unit_test(as_a_change_it_is_the_quotient),
		cmocka_unit_test(six_rounds_are_needed),
		cmocka_unit_test(of_the_family_p_decides),
		cmocka_unit_test(without_a_p_the_interval_decides),
		cmocka_unit_test(few_rounds_claim_nothing),
		cmocka_unit_test(a_point_says_what_it_is_made_of),
		cmocka_unit_test(without_a_round_in_common_the_medians_are_compared),
		cmocka_unit_test(stages_are_absolute_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
