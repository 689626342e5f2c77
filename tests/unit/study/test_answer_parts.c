/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of answers: the number of rounds, copied sends, misses and factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/phrases.h"

#include "support/planted.h"
#include "support/test.h"

#define NONE ((double)NAN)

static void zc_row(enum mode mode, double completed, double copied)
{
	struct dataset_row *row = study__row(&study, mode, 1, 1, 0);

	row->value[METRIC_ZC_COMPLETED] = completed;
	row->value[METRIC_ZC_COPIED] = copied;
}

/* Over all zero-copy runs with both numbers. */
STUDY_TEST(copied_sends_are_those_of_runs_with_both_counts)
{
	double completed = 7;

	study.a.dataset = &study.d;
	NEAR(answer__copied_fraction(&study.a, MODE_ZEROCOPY, &completed), -1, 0);
	NEAR(completed, 0, 0);
	zc_row(MODE_ZEROCOPY, 0, 0);
	zc_row(MODE_ZEROCOPY, NONE, 50);
	zc_row(MODE_ZEROCOPY, 50, NONE);
	zc_row(MODE_ONECOPY, 1000, 1000);
	NEAR(answer__copied_fraction(&study.a, MODE_ZEROCOPY, &completed), -1, 0);
	zc_row(MODE_ZEROCOPY, 100, 25);
	zc_row(MODE_ZEROCOPY, 300, 0);
	NEAR(answer__copied_fraction(&study.a, MODE_ZEROCOPY, &completed), 0.0625, 0);
	NEAR(completed, 400, 0);
}

/* One comparison needs four rounds; more comparisons need more. */
STUDY_TEST(comparison_needs_enough_rounds)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 10, 0.01);
	study__finish(&study, NONE);
	for (study.a.rounds_max = 0; study.a.rounds_max < 4; study.a.rounds_max++) {
		assert_false(answer__can_claim(&study.a));
		assert_non_null(strstr(answer__cannot_claim(&study.a).text,
				       study.a.rounds_max < 2 ? "One run per cell"
							      : "are too few (4 are needed)"));
	}
	assert_true(answer__can_claim(&study.a));
}

static void put_misses(enum mode mode, uint64_t size, double l1d, double llc)
{
	struct dataset_row *row = put(&study, mode, size, 1, 0, 10);

	row->value[METRIC_L1D_MISSES] = l1d;
	row->value[METRIC_LLC_MISSES] = llc;
}

/* From 0 misses there is no relative change: that size is left out. */
STUDY_TEST(changes_from_zero_misses_are_not_listed)
{
	struct answer_text *answer;

	put_misses(MODE_TWOCOPY, KIB(1), 10, 4);
	put_misses(MODE_ONECOPY, KIB(1), 5, 4);
	put_misses(MODE_TWOCOPY, KIB(2), 0, NONE);
	put_misses(MODE_ONECOPY, KIB(2), 5, NONE);
	study__finish(&study, NONE);
	answer = &study.answers[QUESTION_CACHE];
	assert_string_equal(table_cell(answer, "L1D misses of one-copy", "1 KiB", "1 thread"),
			    "-50.0 %");
	assert_string_equal(table_cell(answer, "L1D misses of one-copy", "2 KiB", "1 thread"),
			    "n/a");
	assert_string_equal(table_cell(answer, "LLC misses of one-copy", "1 KiB", "1 thread"),
			    "+0.0 %");
	check_says(answer,
		   "L1D, with one-copy: -50.0 % of the misses of two-copy of a whole run in the "
		   "median setting, lower in 1 of 1 setting, higher in 0.");
}

/* Equal misses are no decrease. */
STUDY_TEST(equal_misses_do_not_fall)
{
	put_misses(MODE_TWOCOPY, KIB(1), 10, 4);
	put_misses(MODE_ONECOPY, KIB(1), 10, 4);
	study__finish(&study, NONE);
	SAYS(CACHE, "None outside the noise");
}

/* Fewer threads first, if no size was measured with both. */
STUDY_TEST(threads_without_a_pair_are_named_in_order)
{
	put(&study, MODE_TWOCOPY, KIB(1), 8, 0, 10);
	put(&study, MODE_ONECOPY, KIB(1), 1, 0, 10);
	study__finish(&study, NONE);
	SAYS(THREADS, "with both 1 and 8 threads");
}

/* A mode without numbers has none, though the mode before had some. */
STUDY_TEST(factors_are_those_of_the_mode)
{
	const struct answer_text *answer = &study.answers[QUESTION_THREADS];

	for (unsigned int n = 1; n <= 2; n++)
		for (enum mode mode = MODE_TWOCOPY; mode <= MODE_ONECOPY; mode++) {
			struct dataset_row *row = put(&study, mode, KIB(1), n, 0, 10);

			row->value[METRIC_RX_BYTES] = 1e9;
			if (mode == MODE_TWOCOPY)
				row->value[METRIC_LLC_MISSES] = 1e6 * n;
		}
	study__finish(&study, 1);
	check_says(answer, "LLC misses per KiB | x 2.00 | n/a");
	check_says(answer, "LLC misses per thread | x 1.00 | n/a");
	check_says(answer, "throughput per thread | x 0.500 | x 0.500");
}

/* Of each run, unless it does not count. */
static void put_copied(unsigned int rounds, double copied, unsigned int uncounted)
{
	for (unsigned int r = 0; r < rounds; r++) {
		struct dataset_row *row = put(&study, MODE_ZEROCOPY, KIB(1), 1, r, 10);

		row->value[METRIC_ZC_COMPLETED] = r < uncounted ? NONE : 2;
		row->value[METRIC_ZC_COPIED] = r < uncounted ? NONE : copied;
		put(&study, MODE_TWOCOPY, KIB(1), 1, r, 10);
	}
	study__finish(&study, NONE);
}

TEST(cause_is_named_if_all_sends_were_copied)
{
	for (int copied = 0; copied <= 2; copied++) {
		study__begin(NULL);
		put_copied(4, copied, 0);
		assert_int_equal(says(&study.answers[QUESTION_ZERO_OVER_TWO],
				      "because the kernel copied every send"),
				 copied == 2);
		study__end(NULL);
	}
}

/* Runs without the count are ignored. */
STUDY_TEST(copied_sends_are_those_of_runs_with_counts)
{
	put_copied(3, 2, 1);
	SAYS(ZEROCOPY, "copied all 4 zero-copy sends in the 2 of 3 runs that count them after all");
}

/* A rise is claimed only if it is certain in more than half of the cells. */
STUDY_TEST(rise_in_half_of_the_cells_is_not_claimed)
{
	for (unsigned int r = 0; r < 7; r++)
		for (int cell = 0; cell < 4; cell++)
			put(&study, (enum mode)(cell & 1), KIB(1) << (cell >> 1), 1, r, 10)
				->value[METRIC_L1D_MISSES] = (cell == 3 ? 2 : 1) * (100 + r);
	study__finish(&study, NONE);
	SAYS(CACHE, "lower in 0 of 2 settings, higher in 1, no difference in 1");
	SAYS(CACHE, "None outside the noise");
}
