/* SPDX-License-Identifier: GPL-2.0-only */
/* What a claim keeps of the test it is made of. The rule itself is in base/test_rank_test.c. */
#include <math.h>

#include "study/claim.h"
#include "support/near.h"
#include "support/test.h"

static const struct estimate some = {.median = 5, .n = 7}, other = {.median = 4, .n = 7};

TEST(a_claim_keeps_what_the_test_says)
{
	const struct rank_test t = {.n = 7,
				    .m = 7,
				    .change = 0.25,
				    .low = 0.1,
				    .high = 0.4,
				    .coverage = 0.96,
				    .p = 0.01,
				    .sign = 1,
				    .difference = DIFFERENCE_HIGHER};
	struct claim c = claim__make(&some, &other, &t, 16);

	NEAR(c.a.median, 5, 0);
	NEAR(c.b.median, 4, 0);
	NEAR(c.change, 0.25, 0);
	NEAR(c.low, 0.1, 0);
	NEAR(c.high, 0.4, 0);
	NEAR(c.coverage, 0.96, 0);
	NEAR(c.p, 0.01, 0);
	assert_int_equal(c.tests, 16);
	assert_int_equal(c.sign, 1);
	assert_int_equal(c.difference, DIFFERENCE_HIGHER);
	assert_true(claim__holds(&c));
}

TEST(only_a_difference_is_claimed)
{
	struct claim c = {.difference = DIFFERENCE_LOWER};

	assert_true(claim__holds(&c));
	for (int d = DIFFERENCE_UNKNOWN; d <= DIFFERENCE_NOISE; d++) {
		c.difference = (enum difference)d;
		assert_false(claim__holds(&c));
	}
	c = claim__unknown(&some, &other);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
	assert_true(isnan(c.change) && isnan(c.low) && isnan(c.high) && isnan(c.p));
	assert_int_equal(c.a.n, 7);
}

TEST(a_point_says_what_it_is_made_of)
{
	struct claim c = {.a = {.n = 1}, .b = {.n = 1}};

	assert_string_equal(claim__of_how_little(&c), "one run each");
	c.b.n = 7;
	assert_string_equal(claim__of_how_little(&c), "one run of one of them");
}
