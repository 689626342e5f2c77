/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up data: planted effects are found, and noise gives no claim. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/phrases.h"
#include "study/test_family.h"

#include "support/planted.h"
#include "support/test.h"

/* A round has the same number in all cells that have it. */
STUDY_TEST(rounds_are_numbered_across_cells)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 5, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 5, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 5, 11);
	put(&study, MODE_ONECOPY, KIB(4), 1, 5, 12);
	study__finish(&study, (double)NAN);
	assert_int_equal(study.a.blocks_nr, 4);
	assert_int_equal(analysis__block(&study.a, &study.d.rows[0]), 1);
	assert_int_equal(analysis__block(&study.a, &study.d.rows[1]), 0);
	assert_int_equal(analysis__block(&study.a, &study.d.rows[2]), 1);
	/* A repeated round becomes another round, also the third time. */
	assert_int_equal(analysis__block(&study.a, &study.d.rows[3]), 2);
	assert_int_equal(analysis__block(&study.a, &study.d.rows[4]), 3);
}

/* Two comparisons of few rounds show no difference, and the answer says how many are needed. */
TEST(one_round_is_a_point_and_four_show_a_difference)
{
	for (unsigned int rounds = 1; rounds <= 4; rounds++) {
		struct study s = {0};
		char said[64];
		struct finding c;

		for (unsigned int r = 0; r < rounds; r++) {
			put(&s, MODE_TWOCOPY, KIB(4), 1, r, 10 + r);
			put(&s, MODE_ONECOPY, KIB(4), 1, r, 20 + r);
		}
		study__finish(&s, (double)NAN);
		c = analysis__compare(&s.a, analysis__cell(&s.a, MODE_ONECOPY, KIB(4), 1),
				      analysis__cell(&s.a, MODE_TWOCOPY, KIB(4), 1), METRIC_GBPS);
		assert_int_equal(c.difference, rounds == 1   ? DIFFERENCE_POINT
					       : rounds == 4 ? DIFFERENCE_HIGHER
							     : DIFFERENCE_FEW);
		assert_int_equal(answer__can_claim(&s.a), rounds == 4);
		snprintf(said, sizeof(said),
			 rounds > 1 ? "%u rounds are too few (4 are needed)" : "One run per cell",
			 rounds);
		if (rounds < 4)
			assert_non_null(strstr(answer__cannot_claim(&s.a).text, said));
		study__clear(&s);
	}
}

STUDY_TEST(planted_crossover_is_found)
{
	put_crossing(&study, 0.02);
	study__finish(&study, (double)NAN);
	assert_true(study.answers[QUESTION_ONE_OVER_TWO].answered);
	SAYS(ONE_OVER_TWO,
	     "faster in 2 of 5 settings, slower in 2, no difference in 1; first at 32 "
	     "KiB with 1 thread (+");
	SAYS(ONE_OVER_TWO, "8 KiB | -");
	SAYS(ONE_OVER_TWO, "16 KiB | no difference");
	SAYS(ONE_OVER_TWO, "32 KiB | +");
}

STUDY_TEST(noise_hides_the_crossover)
{
	put_crossing(&study, 0.3);
	study__finish(&study, (double)NAN);
	SAYS(ONE_OVER_TWO, "At no size up to 64 KiB");
	SAYS(ONE_OVER_TWO, "no difference in 5");
	SAYS(UNEXPECTED, "intervals of throughput wider than 20 % (10 of 10)");
}

/* No cell has both modes: each size has one of them. */
STUDY_TEST(missing_mode_at_each_size_compares_nothing)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(8), 1, 20, 0.01);
	put_rounds(&study, MODE_ZEROCOPY, KIB(16), 1, 20, 0.01);
	study__finish(&study, (double)NAN);
	assert_false(study.answers[QUESTION_ONE_OVER_TWO].answered);
	SAYS(ONE_OVER_TWO, "Not measured: no size");
	SAYS(ZERO_OVER_TWO, "Not measured: no size");
	SAYS(ZEROCOPY, "Not measured: no size");
}

/* A missing cell: its neighbours are compared, the cell is not. */
STUDY_TEST(missing_cell_is_left_out)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(8), 1, 10, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(16), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 5, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(8), 1, (double)NAN, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(16), 1, 15, 0.01);
	study__finish(&study, (double)NAN);
	SAYS(ONE_OVER_TWO, "faster in 1 of 2 settings");
	SAYS(ONE_OVER_TWO, "8 KiB | n/a");
}

STUDY_TEST(missing_mode_is_named)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 12, 0.01);
	study__finish(&study, (double)NAN);
	assert_false(study.answers[QUESTION_ZEROCOPY].answered);
	SAYS(ZEROCOPY, "the data has no zero-copy run");
	SAYS(ZERO_OVER_TWO, "Not measured");
	SAYS(ONE_OVER_TWO, "first at 4 KiB with 1 thread (+");
}

STUDY_TEST(no_ledger_gives_no_balanced_books)
{
	put_crossing(&study, 0.01);
	study__finish(&study, (double)NAN);
	SAYS_NOT(UNEXPECTED, "unaccounted");
	SAYS(UNEXPECTED, "Not shown: whether the books balance");
}

/* Only checked runs are called balanced. */
STUDY_TEST(only_checked_runs_are_called_balanced)
{

	put_crossing(&study, 0.01);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		study.d.rows[i].value[METRIC_UNACCOUNTED_TX] = 0;
	study__finish(&study, (double)NAN);
	SAYS(UNEXPECTED, "Bytes sent that are unaccounted for | 70 runs | 0 in all");
	SAYS_NOT(UNEXPECTED, "Bytes received");
	SAYS_NOT(UNEXPECTED, "Missed events");
}

/* A quarter of a percent is no collapse, however certain. */
STUDY_TEST(quarter_of_a_percent_is_no_collapse)
{
	unsigned int r;

	for (r = 0; r < 7; r++) {
		put(&study, MODE_TWOCOPY, KIB(4), 1, r, 10 + 0.0001 * r);
		put(&study, MODE_TWOCOPY, KIB(4), 2, r, 9.975 + 0.0001 * r);
	}
	study__finish(&study, (double)NAN);
	SAYS_NOT(UNEXPECTED, "Collapse with more threads |");
}

/* In a closed loop latency follows from throughput and explains nothing. */
STUDY_TEST(latency_is_no_explanation_of_throughput)
{

	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 20, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 4, 10, 0.01);
	for (size_t i = 0; i < study.d.rows_nr; i++) {
		study.d.rows[i].value[METRIC_SEND_P99] = study.d.rows[i].threads * 1e6 + (double)i;
		study.d.rows[i].value[METRIC_DELIVERY_P99] =
			study.d.rows[i].threads * 1e6 + (double)i;
	}
	study__finish(&study, (double)NAN);
	SAYS(UNEXPECTED, "Collapse with more threads | two-copy, 4 KiB, 4 threads");
	SAYS_NOT(UNEXPECTED, "p99");
	SAYS(UNEXPECTED, "none in this direction");
}

/* Misses without a difference are not called fewer. */
STUDY_TEST(noise_in_misses_is_no_fall)
{
	static const double off[] = {3, -2, 1, -1, 2, -3, 0.5};

	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 20, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 20, 0.01);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		study.d.rows[i].value[METRIC_LLC_MISSES] =
			study.d.rows[i].mode == MODE_TWOCOPY ? 100
							     : 100.4 + off[study.d.rows[i].round];
	study__finish(&study, (double)NAN);
	assert_false(study.answers[QUESTION_CACHE].answered);
	SAYS(CACHE, "None outside the noise");
}

STUDY_TEST(one_thread_count_answers_nothing_on_threads)
{
	put_crossing(&study, 0.01);
	study__finish(&study, (double)NAN);
	assert_false(study.answers[QUESTION_THREADS].answered);
	SAYS(THREADS, "one thread count only");
}

STUDY_TEST(zero_throughput_has_no_quotient)
{
	char words[64];
	int mode;

	for (mode = 0; mode < MODE_NR; mode++) {
		put_rounds(&study, (enum mode)mode, KIB(4), 1, 0, 0);
		put_rounds(&study, (enum mode)mode, KIB(4), 2, 0, 0);
	}
	study__finish(&study, 5);
	assert_false(analysis__has(&study.a, METRIC_CYCLES_PER_BYTE));
	snprintf(words, sizeof(words), "Nothing arrived | %zu of %zu runs", study.d.rows_nr,
		 study.d.rows_nr);
	SAYS(UNEXPECTED, words);
	SAYS(THREADS, "Not measured");
	SAYS(ONE_OVER_TWO, "At no size up to 4 KiB");
}

STUDY_TEST(no_throughput_answers_nothing)
{
	int q;

	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, (double)NAN);
	put(&study, MODE_ZEROCOPY, KIB(4), 2, 0, (double)NAN);
	study__finish(&study, (double)NAN);
	for (q = 0; q < QUESTION_NR; q++) {
		assert_false(study.answers[q].answered);
		assert_non_null(study.answers[q].headline);
	}
	assert_null(analysis__peak(&study.a, MODE_NR, METRIC_GBPS));
}

STUDY_TEST(no_counters_give_no_answer_on_caches)
{
	put_crossing(&study, 0.01);
	study.d.reason[METRIC_S_L1D_MISSES] = strdup("virtual machine without a PMU");
	study__finish(&study, (double)NAN);
	assert_false(study.answers[QUESTION_CACHE].answered);
	SAYS(CACHE, "Not measured: virtual machine without a PMU.");
}

/* Why zero-copy is slower: it was copied, and at what cost. */
STUDY_TEST(copied_zerocopy_explains_why_it_is_slower)
{

	put_rounds(&study, MODE_ONECOPY, KIB(64), 1, 40, 0.01);
	put_rounds(&study, MODE_ZEROCOPY, KIB(64), 1, 20, 0.01);
	for (size_t i = 0; i < study.d.rows_nr; i++) {
		struct dataset_row *row = &study.d.rows[i];
		bool zc = row->mode == MODE_ZEROCOPY;

		row->value[METRIC_RX_BYTES] = 1e9;
		row->value[METRIC_BYTES_TX_PIN] = zc ? 1e9 : 0;
		row->value[METRIC_BYTES_DEFERRED_COPY] = zc ? 1e9 : 0;
		row->value[METRIC_BYTES_RX_COPY] = 1e9;
		row->value[METRIC_CPU_SENDER] = zc ? 0.4 : 0.2;
		row->value[METRIC_CPU_RECEIVER] = 0.1;
		if (zc) {
			row->value[METRIC_ZC_COMPLETED] = 100;
			row->value[METRIC_ZC_COPIED] = 100;
		}
	}
	study__finish(&study, (double)NAN);
	assert_true(study.answers[QUESTION_ZEROCOPY].answered);
	SAYS(ZEROCOPY, "slower than the faster copying mode in 1 of 1 setting");
	SAYS(ZEROCOPY, "The kernel copied all 700 zero-copy sends after all. ");
	SAYS(ZEROCOPY, "pin, references per byte | 1.00 (1.00 to 1.00) | 0.00");
	SAYS(ZEROCOPY, "deferred, copies per byte | 1.00 (1.00 to 1.00) | 0.00");
	SAYS(ZEROCOPY, "CPU time of the processes | 512.0 ns/KiB (512.0 to 512.0) | 307.2 ns/KiB");
}
