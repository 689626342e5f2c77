/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of answers: numbers they cite, the number of rounds, copied sends, sentences on stages
 * from given findings.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/stage_findings.h"
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
	NEAR(answer__copied_fraction(&study.a, &completed), -1, 0);
	NEAR(completed, 0, 0);
	zc_row(MODE_ZEROCOPY, 0, 0);
	zc_row(MODE_ZEROCOPY, NONE, 50);
	zc_row(MODE_ZEROCOPY, 50, NONE);
	zc_row(MODE_ONECOPY, 1000, 1000);
	NEAR(answer__copied_fraction(&study.a, &completed), -1, 0);
	zc_row(MODE_ZEROCOPY, 100, 25);
	zc_row(MODE_ZEROCOPY, 300, 0);
	NEAR(answer__copied_fraction(&study.a, &completed), 0.0625, 0);
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

/* A number is cited once, with its estimate; an unknown number is not cited. */
STUDY_TEST(number_is_cited_once)
{
	struct answer_text answers[QUESTION_NR] = {{.a = &study.a}}, *answer = &answers[0];
	struct cell *x, *y;

	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 10);
	put(&study, MODE_TWOCOPY, KIB(4), 1, 1, 30);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 40);
	study__finish(&study, NONE);
	x = analysis__cell(&study.a, MODE_TWOCOPY, KIB(4), 1);
	y = analysis__cell(&study.a, MODE_ONECOPY, KIB(4), 1);
	answer__cite(answer, x, METRIC_GBPS);
	answer__cite(answer, x, METRIC_GBPS);
	assert_int_equal(answer->evidence_nr, 1);
	assert_ptr_equal(answer->evidence[0].cell, x);
	assert_int_equal(answer->evidence[0].metric, METRIC_GBPS);
	assert_int_equal(answer->evidence[0].estimate.n, 2);
	NEAR(answer->evidence[0].estimate.median, 20, 0);
	answer__cite(answer, x, METRIC_CPU_NS_PER_KIB);
	answer__cite(answer, NULL, METRIC_GBPS);
	assert_int_equal(answer->evidence_nr, 1);
	answer__cite(answer, y, METRIC_GBPS);
	answer__cite(answer, x, METRIC_GBPS_PER_THREAD);
	answer__cite(answer, y, METRIC_GBPS);
	assert_int_equal(answer->evidence_nr, 3);
	assert_ptr_equal(answer->evidence[1].cell, y);
	assert_ptr_equal(answer->evidence[2].cell, x);
	assert_int_equal(answer->evidence[2].metric, METRIC_GBPS_PER_THREAD);
	answers__clear(answers);
	assert_int_equal(answers[0].evidence_nr, 0);
	assert_null(answers[0].evidence);
}

static void put_claim(struct stage_findings *s, enum mode mode, enum cpu_class class,
		      enum difference difference, double median, unsigned int n)
{
	struct stage_finding *c = &s->list[s->nr++];

	*c = (struct stage_finding){.mode = mode, .class = class};
	c->difference = difference;
	c->paired = (struct estimate){.median = median, .low = NONE, .high = NONE, .n = n};
	if (n > 1) {
		c->paired.low = median - 1;
		c->paired.high = median + 2;
	}
}

static void check_savings(const struct stage_findings *s, const char *words)
{
	struct item_list list = stage_findings__savings(s);

	assert_string_equal(item_list__words(&list), words);
}

/* The largest saving of each mode. */
TEST(headline_has_the_largest_saving_of_each_mode)
{
	struct stage_findings s = {0};

	put_claim(&s, MODE_ONECOPY, CPU_CLASS_LOCK, DIFFERENCE_HIGHER, 9, 7);
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_SKB, DIFFERENCE_NOISE, -80, 7);
	/* An increase alone is no saving. */
	check_savings(&s, "nowhere");
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_TX_COPY, DIFFERENCE_LOWER, -54.12, 7);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_GATHER, DIFFERENCE_LOWER, -50, 7);
	check_savings(&s, "zero-copy saves most in send copy -54.1 ns/KiB");
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_TX_PIN, DIFFERENCE_HIGHER, 12, 7);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_MEMORY, DIFFERENCE_HIGHER, 3, 7);
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_GATHER, DIFFERENCE_LOWER, -40, 7);
	check_savings(&s,
		      "one-copy saves most in gather -40.0 ns/KiB; its largest extra cost is lock "
		      "+9.00 ns/KiB, zero-copy saves most in send copy -54.1 ns/KiB; its largest "
		      "extra cost is pin +12.0 ns/KiB");
}

static const char *said(struct answer_text *answer, const struct stage_findings *s, enum mode mode)
{
	static const struct analysis a;
	size_t before = answer->points_nr;

	answer->a = &a;
	stage_findings__say(answer, s, mode);
	assert_true(answer->points_nr <= before + 1);
	return answer->points_nr > before ? answer->points[before] : NULL;
}

TEST(point_lists_stages_that_differ)
{
	struct answer_text answers[QUESTION_NR] = {0}, *answer = &answers[0];
	struct stage_findings s = {.both = true};

	assert_null(said(answer, &s, MODE_ONECOPY));
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_GATHER, DIFFERENCE_UNKNOWN, -50, 7);
	assert_null(said(answer, &s, MODE_ONECOPY));
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_TX_COPY, DIFFERENCE_NOISE, -40, 6);
	assert_null(said(answer, &s, MODE_ZEROCOPY));
	assert_string_equal(said(answer, &s, MODE_ONECOPY),
			    "CPU samples of 6 pairs of rounds: no class of CPU time of one-copy "
			    "differs from two-copy.");
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_LOCK, DIFFERENCE_HIGHER, 3, 7);
	assert_string_equal(
		said(answer, &s, MODE_ONECOPY),
		"CPU samples of 7 pairs of rounds: one-copy takes less than two-copy "
		"in: nowhere; more in: lock +3.00 ns/KiB (+2.00 to +5.00); no difference in "
		"1 of 2 classes.");
	put_claim(&s, MODE_ONECOPY, CPU_CLASS_SKB, DIFFERENCE_LOWER, -8, 5);
	s.both = false;
	assert_string_equal(
		said(answer, &s, MODE_ONECOPY),
		"CPU samples of the sender in 7 pairs of rounds: one-copy takes less "
		"than two-copy in: skb -8.00 ns/KiB (-9.00 to -6.00); more in: lock +3.00 "
		"ns/KiB (+2.00 to +5.00); no difference in 1 of 3 classes.");
	answers__clear(answers);
}

/* The four largest of each direction; with one pair, the difference without an interval. */
TEST(few_pairs_are_called_too_few)
{
	struct answer_text answers[QUESTION_NR] = {0}, *answer = &answers[0];
	struct stage_findings s = {.both = true};

	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_GATHER, DIFFERENCE_POINT, -50, 1);
	assert_string_equal(
		said(answer, &s, MODE_ZEROCOPY),
		"CPU samples of 1 pair of rounds are too few to tell a difference; the largest of "
		"zero-copy less two-copy: gather -50.0 ns/KiB.");
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_TX_COPY, DIFFERENCE_FEW, -40, 3);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_TX_PIN, DIFFERENCE_FEW, 12, 3);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_SKB, DIFFERENCE_FEW, 5, 3);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_LOCK, DIFFERENCE_FEW, 4, 3);
	put_claim(&s, MODE_ZEROCOPY, CPU_CLASS_USER, DIFFERENCE_FEW, 3, 3);
	assert_string_equal(
		said(answer, &s, MODE_ZEROCOPY),
		"CPU samples of 3 pairs of rounds are too few to tell a difference; the "
		"largest of zero-copy less two-copy: send copy -40.0 ns/KiB (-41.0 to "
		"-38.0), pin +12.0 ns/KiB (+11.0 to +14.0), skb +5.00 ns/KiB (+4.00 to "
		"+7.00), lock +4.00 ns/KiB (+3.00 to +6.00).");
	answers__clear(answers);
}

/* All sizes and thread counts that have both modes, by the metric of the largest saving. */
STUDY_TEST(savings_are_cited_from_both_modes)
{
	struct stage_findings claims = {.both = true};
	struct answer_text answers[QUESTION_NR] = {{.a = &study.a}}, *answer = &answers[0];
	enum metric cited;

	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 20);
	put(&study, MODE_ONECOPY, KIB(4), 2, 0, 20);
	put(&study, MODE_ZEROCOPY, KIB(4), 1, 0, 20);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		for (int side = 0; side < NIO_SIDE_NR; side++)
			study.d.rows[i].value[METRIC_CLASS(side, CPU_CLASS_GATHER)] = 5;
	study__finish(&study, NONE);
	put_claim(&claims, MODE_ONECOPY, CPU_CLASS_GATHER, DIFFERENCE_LOWER, -4, 7);
	cited = stage_findings__metric(&claims, CPU_CLASS_GATHER);
	stage_findings__say(answer, &claims, MODE_ONECOPY);
	assert_int_equal(answer->points_nr, 1);
	assert_int_equal(answer->evidence_nr, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(answer->evidence[i].metric, cited);
		assert_int_equal(answer->evidence[i].cell->threads, 1);
		assert_int_equal(answer->evidence[i].cell->mode, i ? MODE_TWOCOPY : MODE_ONECOPY);
	}
	answers__clear(answers);
}

static void put_misses(enum mode mode, uint64_t size, double l1d, double llc)
{
	struct dataset_row *row = put(&study, mode, size, 1, 0, 10);

	row->value[METRIC_L1D_MISSES] = l1d;
	row->value[METRIC_LLC_MISSES] = llc;
}

static bool mentions(const struct answer_text *answer, const char *with, const char *words)
{
	for (size_t i = 0; i < answer->points_nr; i++)
		if (strstr(answer->points[i], with) && strstr(answer->points[i], words))
			return true;
	return false;
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
	check_says(answer, "-50.0 % in the median of 1 setting (no difference is certain)");
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

/* A mode without numbers has no sentence, though the mode before had one. */
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
	assert_true(
		mentions(answer, "two-copy with 2 threads against 1", "LLC misses per KiB x 2.00"));
	assert_true(mentions(answer, "two-copy with 2 threads against 1", "per thread x 1.00"));
	assert_true(mentions(answer, "one-copy with 2 threads against 1", "per thread x 0.500."));
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
