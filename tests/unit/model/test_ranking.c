// SPDX-License-Identifier: GPL-2.0-only
/* A mode leads only if the rank test says so. */
#include "model/figures.h"
#include "support/test.h"

static const double slow[] = {10, 11, 12, 13, 14}, fast[] = {20, 21, 22, 23, 24},
		    near[] = {19.5, 21.5, 22.5, 22.7, 25};

TEST(one_round_is_too_early_to_name_a_mode)
{
	const struct ranked_mode modes[] = {{MODE_TWOCOPY, slow, 1, slow},
					    {MODE_ONECOPY, fast, 1, fast}};
	struct ranking r = ranking__of(modes, 2, true, 1);

	assert_true(r.early);
	assert_int_equal(r.known, 2);
	assert_int_equal(r.rounds, 1);
	r = ranking__of((struct ranked_mode[]){{MODE_TWOCOPY, slow, 2, slow},
					       {MODE_ONECOPY, fast, 5, fast}},
			2, true, 1);
	assert_true(r.early);
	assert_int_equal(r.rounds, 2);
}

TEST(modes_that_no_test_separates_are_ties)
{
	const struct ranked_mode modes[] = {{MODE_TWOCOPY, slow, 5, slow},
					    {MODE_ONECOPY, fast, 5, fast},
					    {MODE_ZEROCOPY, near, 5, near}};
	struct ranking r = ranking__of(modes, 3, true, 1);

	assert_false(r.early);
	assert_int_equal(r.best, MODE_ZEROCOPY); /* median 22.5 */
	assert_true(r.ties[MODE_ONECOPY]);
	assert_false(r.ties[MODE_TWOCOPY]);
	assert_false(r.ties[MODE_ZEROCOPY] || r.all_tie);
	r = ranking__of(modes, 3, false, 1);
	assert_int_equal(r.best, MODE_TWOCOPY);
	assert_false(r.ties[MODE_ONECOPY] || r.ties[MODE_ZEROCOPY]);
}

/* The best median varies so much that it leads nobody; another mode is ahead of the slow one. */
TEST(a_mode_that_any_mode_is_ahead_of_is_no_tie)
{
	static const double varied[] = {9, 12, 30, 31, 32};
	const struct ranked_mode modes[] = {{MODE_TWOCOPY, slow, 5, slow},
					    {MODE_ONECOPY, fast, 5, fast},
					    {MODE_ZEROCOPY, varied, 5, varied}};
	struct ranking r = ranking__of(modes, 3, true, 1);

	assert_int_equal(r.best, MODE_ZEROCOPY);
	assert_true(r.ties[MODE_ONECOPY]);
	assert_false(r.ties[MODE_TWOCOPY]);
}

TEST(a_mode_without_a_value_is_ignored)
{
	const struct ranked_mode modes[] = {{MODE_TWOCOPY, slow, 5, slow},
					    {MODE_ONECOPY, NULL, 0, NULL}};

	assert_int_equal(ranking__of(modes, 2, true, 1).known, 1);
	assert_int_equal(ranking__of(modes, 0, true, 1).known, 0);
}

TEST(modes_of_which_none_is_ahead_are_all_ties)
{
	const struct ranked_mode modes[] = {{MODE_ONECOPY, fast, 5, fast},
					    {MODE_ZEROCOPY, near, 5, near}};

	assert_true(ranking__of(modes, 2, true, 1).all_tie);
	/* slow and fast are apart by 4 rounds, but not as one of many comparisons. */
	assert_true(ranking__of((struct ranked_mode[]){{MODE_TWOCOPY, slow, 4, slow},
						       {MODE_ONECOPY, fast, 4, fast}},
				2, true, 2)
			    .early);
}
