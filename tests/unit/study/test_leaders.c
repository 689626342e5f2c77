/* SPDX-License-Identifier: GPL-2.0-only */
/* The first lines of a report on made-up data: the best modes, and thread counts that disagree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/leaders.h"
#include "support/planted.h"
#include "support/test.h"

static void check_lines(enum metric m, const char *const (*lines)[2], size_t n)
{
	struct leaders l;

	leaders__make(&l, &study.a, m);
	for (size_t i = 0; i < n && i < l.nr; i++) {
		assert_string_equal(l.lines[i].threads, lines[i][0]);
		assert_string_equal(l.lines[i].text, lines[i][1]);
	}
	assert_int_equal(l.nr, n);
	leaders__clear(&l);
}

static void check_one(enum metric m, const char *text)
{
	const char *const line[][2] = {{"", text}};

	check_lines(m, line, 1);
}

static void put_modes(uint64_t size, unsigned int threads, double two, double one, double zero)
{
	put_rounds(&study, MODE_TWOCOPY, size, threads, two, 0.01);
	put_rounds(&study, MODE_ONECOPY, size, threads, one, 0.01);
	put_rounds(&study, MODE_ZEROCOPY, size, threads, zero, 0.01);
}

/* Two modes lead, and a third needs four times as long: that is no "no difference". */
STUDY_TEST(group_of_the_fastest_is_named_with_what_is_slower)
{
	put_modes(KIB(4), 1, 10, 10.01, 2.5);
	study__finish(&study, (double)NAN);
	check_one(METRIC_GBPS,
		  "two-copy or one-copy; zero-copy is slower than one-copy, -75 % (-75 to "
		  "-75).");
	check_one(METRIC_CPU_NS_PER_KIB, "Not measured: the data set has no such number.");
}

/* The best median varies so much that it leads nobody; another mode leads the slow one. */
STUDY_TEST(mode_that_any_mode_leads_is_behind)
{
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 11, 0.9);
	put_rounds(&study, MODE_ZEROCOPY, KIB(4), 1, 8, 0.01);
	study__finish(&study, (double)NAN);
	check_one(METRIC_GBPS,
		  "two-copy or one-copy; zero-copy is slower than two-copy, -20 % (-21 to "
		  "-19).");
}

STUDY_TEST(sizes_with_the_same_leaders_share_a_sentence)
{
	put_modes(KIB(4), 1, 10, 10.01, 2.5);
	put_modes(KIB(16), 1, 10, 10.01, 5);
	put_modes(KIB(64), 1, 10, 10.01, 10);
	put_rounds(&study, MODE_TWOCOPY, KIB(256), 1, 10, 0.01);
	study__finish(&study, (double)NAN);
	check_one(METRIC_GBPS,
		  "4 KiB, 16 KiB: two-copy or one-copy; zero-copy is slower than one-copy, "
		  "-75 to -50 % (-75 to -49). 64 KiB: no difference between two-copy, "
		  "one-copy and zero-copy.");
}

/* A line for each thread count where the leaders differ, and one for those that agree. */
STUDY_TEST(thread_counts_that_agree_share_a_line)
{
	static const char *const lines[][2] = {
		{"1 and 4 threads", "one-copy; two-copy is slower, -20 to -17 % (-21 to -16); "
				    "zero-copy is slower, -75 to -58 % (-75 to -58)."},
		{"2 threads", "two-copy; one-copy is slower, -20 % (-21 to -19); zero-copy is "
			      "slower, -75 % (-75 to -75)."},
	};

	put_modes(KIB(4), 1, 8, 10, 2.5);
	put_modes(KIB(4), 2, 10, 8, 2.5);
	put_modes(KIB(4), 4, 10, 12, 5);
	study__finish(&study, (double)NAN);
	check_lines(METRIC_GBPS, lines, 2);
}

STUDY_TEST(disagreement_of_thread_counts_is_named)
{
	char *text;

	put_modes(KIB(4), 1, 10, 12, 5);
	put_modes(KIB(4), 2, 10, 12, 5);
	put_modes(KIB(4), 8, 10, 8, 5);
	put_modes(KIB(16), 1, 10, 10, 5);
	put_modes(KIB(16), 8, 10, 8, 5);
	study__finish(&study, (double)NAN);
	text = leaders__disagreement(&study.a, MODE_ONECOPY, METRIC_GBPS);
	assert_non_null(text);
	assert_ptr_equal(strstr(text, "Thread counts disagree on one-copy against two-copy: at 4 "
				      "KiB +20 % (+"),
			 text);
	assert_non_null(strstr(text, ") with 1 and 2 threads, -20 % (-"));
	assert_non_null(strstr(text, ") with 8 threads."));
	free(text);
	assert_null(leaders__disagreement(&study.a, MODE_ZEROCOPY, METRIC_GBPS));
}

/* Changes of single runs under 5 % are no disagreement. */
STUDY_TEST(small_changes_of_single_runs_do_not_disagree)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 100);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 104);
	put(&study, MODE_TWOCOPY, KIB(4), 2, 0, 100);
	put(&study, MODE_ONECOPY, KIB(4), 2, 0, 80);
	study__finish(&study, (double)NAN);
	assert_null(leaders__disagreement(&study.a, MODE_ONECOPY, METRIC_GBPS));
}

/* The lowest cost leads. Of one run each there is no interval. */
STUDY_TEST(lowest_cost_leads)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 10);
	for (size_t i = 0; i < 2; i++) {
		study.d.rows[i].value[METRIC_RX_BYTES] = 1e9;
		study.d.rows[i].value[METRIC_CPU_SENDER] = i ? 0.1 : 0.3;
		study.d.rows[i].value[METRIC_CPU_RECEIVER] = 0.1;
	}
	study__finish(&study, 1);
	check_one(METRIC_CPU_NS_PER_KIB, "one-copy; two-copy costs more, +100 %.");
	check_one(METRIC_GBPS, "no difference between two-copy and one-copy.");
}

static void put_cost(enum mode mode, uint64_t size, double cpu_s)
{
	static const double off[] = {-1, 0.5, 0, -0.5, 1, 0.25, -0.25};

	put_rounds(&study, mode, size, 1, 10, 0);
	for (size_t i = 0; i < 7; i++) {
		double *value = study.d.rows[study.d.rows_nr - 7 + i].value;

		value[METRIC_RX_BYTES] = 1e9;
		value[METRIC_CPU_SENDER] = cpu_s * (1 + off[(i + mode) % 7] / 100);
		value[METRIC_CPU_RECEIVER] = 0.1;
	}
}

static const char *cheapest_of(const char *size, const char *column)
{
	return table_cell(&study.answers[QUESTION_CHEAPEST], "The cheapest way", size, column);
}

/* The second one is named, and whether it can be told from the first. A size may have one mode. */
STUDY_TEST(cheapest_mode_of_each_size_has_a_runner_up)
{
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	put_cost(MODE_URINGZC, KIB(4), 0.9);
	put_cost(MODE_ONECOPY, KIB(64), 0.3);
	put_cost(MODE_SENDFILE, KIB(64), 0.3);
	put_cost(MODE_SPLICE, KIB(256), 0.3);
	study__finish(&study, 1);
	assert_string_equal(cheapest_of("4 KiB", "Cheapest"), "sendfile");
	assert_string_equal(cheapest_of("4 KiB", "Runner-up"), "one-copy");
	assert_non_null(strstr(cheapest_of("4 KiB", "Runner-up costs"), "+33."));
	assert_string_equal(cheapest_of("64 KiB", "Runner-up costs"), "no difference");
	assert_string_equal(cheapest_of("256 KiB", "Cheapest"), "splice");
	assert_string_equal(cheapest_of("256 KiB", "Runner-up"), "none");
	SAYS(CHEAPEST, "The runner-up costs more for certain in 1 of 2 settings.");
}

/* Each pair once, with the sizes at which the first one is ahead, behind, or neither. */
STUDY_TEST(pairs_say_at_which_sizes_one_mode_is_ahead)
{
	const struct answer_table *t;

	put_crossing(&study, 0.01);
	put_rounds(&study, MODE_URING, KIB(64), 1, 5, 0.01);
	study__finish(&study, (double)NAN);
	t = &study.answers[QUESTION_PAIRS].tables[0];
	assert_int_equal(t->cells_nr, 4 * t->columns);
	assert_string_equal(t->cells[5], "one-copy");
	assert_string_equal(t->cells[6], "two-copy");
	assert_string_equal(t->cells[7], "32 KiB (+20 %), 64 KiB (+20 %)");
	assert_string_equal(t->cells[8], "4 KiB (-20 %), 8 KiB (-20 %)");
	assert_string_equal(t->cells[9], "16 KiB");
	assert_string_equal(t->cells[15], "io_uring");
	assert_string_equal(t->cells[16], "one-copy");
	assert_string_equal(t->cells[17], "nowhere");
	assert_string_equal(t->cells[18], "64 KiB (-92 %)");
	SAYS(PAIRS, "3 pairs of ways to send are compared.");
}

/* One round failed: with the other cells' rounds it can show no difference, and leads nobody. */
STUDY_TEST(pair_with_too_few_rounds_is_on_no_side)
{
	const struct answer_table *t;

	for (int i = 0; i < 13; i++) {
		put_rounds(&study, MODE_TWOCOPY, KIB(1) << i, 1, 10, 0.01);
		put_rounds(&study, MODE_ONECOPY, KIB(1) << i, 1, i ? 12 : 10.02, 0.01);
		put_rounds(&study, MODE_ZEROCOPY, KIB(1) << i, 1, 8, 0.01);
		put_rounds(&study, MODE_URING, KIB(1) << i, 1, 8, 0.01);
		if (!i)
			study.d.rows[study.d.rows_nr - 15].value[METRIC_GBPS] = (double)NAN;
	}
	study__finish(&study, (double)NAN);
	t = &study.answers[QUESTION_PAIRS].tables[0];
	assert_int_equal(t->columns, 6);
	assert_string_equal(t->cells[t->columns], "one-copy");
	assert_null(strstr(t->cells[t->columns + 2], "1 KiB ("));
	assert_non_null(strstr(t->cells[t->columns + 2], "2 KiB (+20 %)"));
	assert_string_equal(t->cells[t->columns + 3], "nowhere");
	assert_string_equal(t->cells[t->columns + 4], "nowhere");
	assert_string_equal(t->cells[t->columns + 5], "1 KiB");
	assert_null(strstr(t->title, "certain"));
}

/* A sweep that was interrupted: there is CPU time, but no setting has it for two modes. */
STUDY_TEST(modes_that_share_no_setting_are_not_compared)
{
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	put_cost(MODE_SENDFILE, KIB(64), 0.2);
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	study__finish(&study, 1);
	SAYS(CHEAPEST,
	     "Not measured: no size and thread count has the CPU time of the processes of "
	     "two modes.");
	assert_non_null(strstr(study.answers[QUESTION_PAIRS].cannot, "one of two modes lacks it"));
}

/* All of the leading group are marked, where another mode is certainly worse. */
STUDY_TEST(leading_group_is_marked)
{
	struct setting_ranking r;

	put_modes(KIB(4), 1, 10, 10.01, 2.5);
	put_modes(KIB(16), 1, 10, 10.01, 10);
	put(&study, MODE_TWOCOPY, KIB(64), 1, 0, 10);
	put(&study, MODE_ONECOPY, KIB(64), 1, 0, 5);
	study__finish(&study, (double)NAN);
	r = leaders__rank(&study.a, KIB(4), 1, METRIC_GBPS);
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.best, 2);
	assert_true(leaders__is_best(&r, MODE_TWOCOPY) && leaders__is_best(&r, MODE_ONECOPY));
	assert_false(leaders__is_best(&r, MODE_ZEROCOPY));
	r = leaders__rank(&study.a, KIB(16), 1, METRIC_GBPS);
	assert_int_equal(r.best, 3);
	assert_false(leaders__is_best(&r, MODE_TWOCOPY));
	r = leaders__rank(&study.a, KIB(64), 1, METRIC_GBPS);
	assert_int_equal(r.best, 1);
	assert_false(leaders__is_best(&r, MODE_TWOCOPY));
}

/* Of the last rounds, softirq work on other tasks, ns per KiB. NaN: not sampled. */
static void put_softirq(double least, double most)
{
	for (size_t i = study.d.rows_nr - 7; i < study.d.rows_nr; i++) {
		study.d.rows[i].value[METRIC_SOFTIRQ] = least;
		study.d.rows[i].value[METRIC_SOFTIRQ_AT_MOST] = most;
	}
}

/* 307 and 410 ns/KiB in the processes. The softirq work of both decides whether the order holds. */
STUDY_TEST(cheapest_is_not_named_where_softirq_work_can_change_the_order)
{
	static const struct {
		double sendfile[2], onecopy[2];
		const char *cheapest;
	} cases[] = {
		{{50, 50}, {0, 0}, "sendfile"},    {{200, 200}, {150, 200}, "sendfile"},
		{{200, 200}, {0, 0}, "not known"}, {{0, 200}, {0, 200}, "not known"},
		{{NAN, NAN}, {0, 0}, "not known"}, {{9, 9}, {NAN, NAN}, "not known"},
	};

	for (unsigned int i = 0; i < 6; i++) {
		put_cost(MODE_SENDFILE, KIB(4) << i, 0.2);
		put_softirq(cases[i].sendfile[0], cases[i].sendfile[1]);
		put_cost(MODE_ONECOPY, KIB(4) << i, 0.3);
		put_softirq(cases[i].onecopy[0], cases[i].onecopy[1]);
	}
	study__finish(&study, 1);
	for (unsigned int i = 0; i < 6; i++) {
		struct setting_ranking r =
			leaders__rank(&study.a, KIB(4) << i, 1, METRIC_CPU_NS_PER_KIB);

		assert_string_equal(cheapest_of(phrases__size(KIB(4) << i).text, "Cheapest"),
				    cases[i].cheapest);
		assert_int_equal(!r.withheld, i < 2);
		assert_int_equal(leaders__rank(&study.a, KIB(4) << i, 1, METRIC_GBPS).nr, 2);
	}
	assert_non_null(strstr(cheapest_of("64 KiB", "Runner-up costs"), "not sampled"));
	SAYS(CHEAPEST, "The runner-up costs more for certain in 2 of 2 settings.");
}

STUDY_TEST(report_without_samples_names_no_cheapest_mode)
{
	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	put_softirq((double)NAN, (double)NAN);
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	study__finish(&study, 1);
	check_one(METRIC_CPU_NS_PER_KIB, "not known: " SOFTIRQ_UNKNOWN ".");
	SAYS(CHEAPEST, "Not known: " SOFTIRQ_UNKNOWN ".");
}

/* A thread count is not said to have the order of another where its own is not known. */
STUDY_TEST(order_that_is_not_known_is_named_beside_those_that_are)
{
	static const char *const lines[][2] = {
		{"1 thread", "sendfile; one-copy costs more, +33 % (+32 to +34)."},
		{"2 threads", "not known: " SOFTIRQ_UNKNOWN "."},
	};

	for (unsigned int threads = 1; threads <= 2; threads++) {
		put_cost(MODE_SENDFILE, KIB(4), 0.2);
		put_softirq(200.0 * (threads - 1), 200.0 * (threads - 1));
		put_cost(MODE_ONECOPY, KIB(4), 0.3);
		for (size_t i = study.d.rows_nr - 14; i < study.d.rows_nr; i++)
			study.d.rows[i].threads = threads;
	}
	study__finish(&study, 1);
	check_lines(METRIC_CPU_NS_PER_KIB, lines, 2);
}

/* By the medians, sendfile takes 307 + 150 ns/KiB and one-copy 410 + 60. */
STUDY_TEST(order_is_not_known_within_the_noise_of_softirq_work)
{
	static const double softirq[] = {50, 150, 150, 150, 250, 250, 250};

	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	for (size_t i = 0; i < 7; i++) {
		double *value = study.d.rows[study.d.rows_nr - 7 + i].value;

		value[METRIC_SOFTIRQ] = value[METRIC_SOFTIRQ_AT_MOST] = softirq[i];
	}
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	put_softirq(60, 60);
	study__finish(&study, 1);
	assert_true(leaders__rank(&study.a, KIB(4), 1, METRIC_CPU_NS_PER_KIB).withheld);
}

/* sendfile and one-copy, imported; softirq: of sendfile. */
static struct setting_ranking rank_imported(double softirq)
{
	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	put_softirq(softirq, softirq);
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	put_softirq(softirq * 0, softirq * 0);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		study.d.rows[i].imported = true;
	study__finish(&study, 1);
	return leaders__rank(&study.a, KIB(4), 1, METRIC_CPU_NS_PER_KIB);
}

STUDY_TEST(imported_data_without_softirq_work_is_ranked)
{
	struct setting_ranking r = rank_imported((double)NAN);

	assert_int_equal(r.best, 1);
	assert_false(r.withheld);
}

/* A CSV file of netiotrace has it. */
STUDY_TEST(imported_softirq_work_withholds_an_order)
{
	assert_true(rank_imported(200).withheld);
}

/* Equal modes remain equal if they have the same softirq work. */
STUDY_TEST(equal_modes_are_not_withheld_where_softirq_work_is_known)
{
	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	put_softirq(9, 9);
	put_cost(MODE_ONECOPY, KIB(4), 0.2001);
	put_softirq(9, 9);
	put_cost(MODE_SENDFILE, KIB(8), 0.2);
	put_softirq(200, 200);
	put_cost(MODE_ONECOPY, KIB(8), 0.2);
	put_softirq(9, 9);
	study__finish(&study, 1);
	assert_int_equal(leaders__rank(&study.a, KIB(4), 1, METRIC_CPU_NS_PER_KIB).best, 2);
	assert_true(leaders__rank(&study.a, KIB(8), 1, METRIC_CPU_NS_PER_KIB).withheld);
}

/* Pairs lack the same work as the cheapest mode. */
STUDY_TEST(pairs_are_withheld_where_softirq_work_can_change_the_order)
{
	struct cell *x, *y;

	put_cost(MODE_SENDFILE, KIB(4), 0.2);
	put_softirq(200, 200);
	put_cost(MODE_ONECOPY, KIB(4), 0.3);
	put_softirq(0, 0);
	study__finish(&study, 1);
	x = analysis__cell(&study.a, MODE_SENDFILE, KIB(4), 1);
	y = analysis__cell(&study.a, MODE_ONECOPY, KIB(4), 1);
	assert_int_equal(analysis__compare(&study.a, x, y, METRIC_CPU_NS_PER_KIB).difference,
			 DIFFERENCE_LOWER);
	assert_int_equal(analysis__compare_modes(&study.a, x, y, METRIC_CPU_NS_PER_KIB).difference,
			 DIFFERENCE_UNKNOWN);
	assert_int_equal(analysis__compare_modes(&study.a, x, y, METRIC_GBPS).difference,
			 analysis__compare(&study.a, x, y, METRIC_GBPS).difference);
}

static const char *cost_of_onecopy(const char *size)
{
	return table_cell(&study.answers[QUESTION_ONE_OVER_TWO], "CPU time of the processes", size,
			  "1 thread");
}

/* A table of single comparisons has the difference of the processes, and says what it lacks. */
STUDY_TEST(single_comparison_says_where_softirq_work_decides)
{
	put_cost(MODE_ONECOPY, KIB(4), 0.2);
	put_softirq(200, 200);
	put_cost(MODE_TWOCOPY, KIB(4), 0.3);
	put_softirq(0, 0);
	put_cost(MODE_ONECOPY, KIB(8), 0.2);
	put_softirq(9, 9);
	put_cost(MODE_TWOCOPY, KIB(8), 0.3);
	put_softirq(9, 9);
	study__finish(&study, 1);
	assert_non_null(strstr(cost_of_onecopy("4 KiB"), "-25."));
	assert_non_null(strstr(cost_of_onecopy("4 KiB"), SOFTIRQ_DECIDES));
	assert_null(strstr(cost_of_onecopy("8 KiB"), SOFTIRQ_DECIDES));
}

/* Without a difference, what is open of softirq work must not exceed the noise of the rounds. */
STUDY_TEST(no_difference_is_not_known_if_softirq_work_leaves_open_more_than_the_rounds)
{
	for (unsigned int i = 0; i < 2; i++) {
		put_cost(MODE_SENDFILE, KIB(4) << i, 0.2);
		put_softirq(0, i ? 100 : 1);
		put_cost(MODE_ONECOPY, KIB(4) << i, 0.2);
		put_softirq(0, i ? 100 : 1);
	}
	study__finish(&study, 1);
	assert_false(leaders__rank(&study.a, KIB(4), 1, METRIC_CPU_NS_PER_KIB).withheld);
	assert_true(leaders__rank(&study.a, KIB(8), 1, METRIC_CPU_NS_PER_KIB).withheld);
}
