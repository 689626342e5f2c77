/* SPDX-License-Identifier: GPL-2.0-only */
/* The published data set: every fact that an analysis of it must find. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/answer.h"
#include "study/leaders.h"
#include "study/test_family.h"

#include "support/import_csv.h"
#include "support/study.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* The data set in tests/fixtures: 48 runs of 5 s, one per cell. */
static void study__published(struct study *s)
{
	const char *slash = strrchr(__FILE__, '/');
	int dir = slash ? (int)(slash - __FILE__) : 1;
	char path[512], message[DATASET_MESSAGE_MAX];

	snprintf(path, sizeof(path), "%.*s/../../fixtures/pa02-mt25014-results.csv", dir,
		 slash ? __FILE__ : ".");
	prefer_system_python();
	if (dataset__load(&s->d, path, 5, message))
		fail_msg("%s", message);
	analysis__init(&s->a, &s->d);
	answers__make(&s->a, s->answers);
}

/* The cells of a table at 4 threads, by size. */
static void check_column(const struct answer_text *answer, const char *title,
			 const char *const expected[4])
{
	static const char *const sizes[] = {"16 KiB", "64 KiB", "256 KiB", "1 MiB"};

	for (size_t i = 0; i < 4; i++)
		assert_string_equal(table_cell(answer, title, sizes[i], "4 threads"), expected[i]);
}

STUDY_TEST(published_data_have_these_peaks)
{
	const struct cell *peak;

	study__published(&study);
	peak = analysis__peak(&study.a, MODE_NR, METRIC_GBPS);
	assert_int_equal(peak->mode, MODE_TWOCOPY);
	assert_int_equal(peak->size, KIB(64));
	assert_int_equal(peak->threads, 8);
	NEAR(median(&study, MODE_TWOCOPY, KIB(64), 8, METRIC_GBPS), 365.26, 0.005);
	peak = analysis__peak(&study.a, MODE_ZEROCOPY, METRIC_GBPS);
	assert_int_equal(peak->size, KIB(256));
	assert_int_equal(peak->threads, 4);
	NEAR(median(&study, MODE_ZEROCOPY, KIB(256), 4, METRIC_GBPS), 283.32, 0.005);
	SAYS(UNEXPECTED,
	     "Highest throughput of two-copy | two-copy, 64 KiB, 8 threads | 365.3 Gbit/s");
	SAYS(UNEXPECTED,
	     "Highest throughput of zero-copy | zero-copy, 256 KiB, 4 threads | 283.3 Gbit/s");
}

STUDY_TEST(published_onecopy_is_compared_with_twocopy)
{
	study__published(&study);
	NEAR(change(&study, MODE_ONECOPY, KIB(16), 4, METRIC_GBPS), 0.044, 0.0005);
	NEAR(change(&study, MODE_ONECOPY, KIB(64), 4, METRIC_GBPS), 0.133, 0.0005);
	NEAR(change(&study, MODE_ONECOPY, KIB(256), 4, METRIC_GBPS), 0.136, 0.0005);
	NEAR(change(&study, MODE_ONECOPY, KIB(1024), 4, METRIC_GBPS), -0.343, 0.0005);
	check_column(&study.answers[QUESTION_ONE_OVER_TWO], "Throughput of one-copy",
		     (const char *const[]){"+4.4 %", "+13.3 %", "+13.6 %", "-34.3 %"});
	/* Pooled thread counts would hide this. */
	SAYS(ONE_OVER_TWO,
	     "Thread counts disagree on one-copy against two-copy: at 64 KiB +13 to +14 % "
	     "with 1, 2 and 4 threads, -34 % with 8 threads; at 256 KiB");
}

static void check_line(const struct leaders *l, const char *threads, const char *words)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->lines[i].threads, threads) && strstr(l->lines[i].text, words))
			return;
	fail_msg("no line of %s has '%s'", threads, words);
}

/* The first screen: what leads at each thread count. */
STUDY_TEST(published_leaders_are_named_by_thread_count)
{
	struct leaders l;

	study__published(&study);
	leaders__make(&l, &study.a, METRIC_GBPS);
	assert_int_equal(l.nr, 4);
	check_line(&l, "1 thread", "one-copy; two-copy is slower");
	check_line(&l, "2 threads", "64 KiB, 256 KiB, 1 MiB: one-copy; two-copy is slower");
	check_line(&l, "4 threads", "1 MiB: two-copy; one-copy is slower, -34 %");
	check_line(&l, "8 threads", "16 KiB: zero-copy; two-copy is slower, -27 %");
	check_line(&l, "8 threads",
		   "64 KiB, 256 KiB, 1 MiB: two-copy; one-copy is slower, -34 to -20 %");
	leaders__clear(&l);
}

STUDY_TEST(published_zerocopy_is_compared_with_twocopy)
{
	study__published(&study);
	NEAR(median(&study, MODE_ZEROCOPY, KIB(16), 8, METRIC_GBPS), 202.75, 0.005);
	NEAR(median(&study, MODE_TWOCOPY, KIB(16), 8, METRIC_GBPS), 147.56, 0.005);
	NEAR(median(&study, MODE_ZEROCOPY, KIB(1024), 4, METRIC_GBPS), 50.51, 0.005);
	SAYS(ZERO_OVER_TWO, "Zero-copy is faster in 1 of 16 settings");
	SAYS(ZEROCOPY, "15 of 16 settings, faster in 1");
	SAYS(UNEXPECTED,
	     "Against the rule (1 of 16 settings) | zero-copy, 16 KiB, 8 threads | 202.8 "
	     "Gbit/s | two-copy: 147.6 Gbit/s | +37.4 %, one run");
}

STUDY_TEST(published_cache_misses_are_found)
{
	study__published(&study);
	NEAR(change(&study, MODE_ZEROCOPY, KIB(16), 4, METRIC_LLC_MISSES), -0.702, 0.0005);
	NEAR(change(&study, MODE_ZEROCOPY, KIB(64), 4, METRIC_LLC_MISSES), -0.388, 0.0005);
	NEAR(change(&study, MODE_ZEROCOPY, KIB(256), 4, METRIC_LLC_MISSES), 1.326, 0.0005);
	NEAR(change(&study, MODE_ZEROCOPY, KIB(1024), 4, METRIC_LLC_MISSES), -0.935, 0.0005);
	check_column(&study.answers[QUESTION_CACHE], "LLC misses of zero-copy",
		     (const char *const[]){"-70.2 %", "-38.8 %", "+132.6 %", "-93.5 %"});
	SAYS(CACHE, "Not shown: from which stage the reduction comes");
}

STUDY_TEST(published_collapse_with_threads_is_found)
{
	study__published(&study);
	check_says(&study.answers[QUESTION_UNEXPECTED], "Collapse with more threads | one-copy, 1 "
							"MiB, 8 threads | 47.19 Gbit/s | 1 thread: "
							"102.6 Gbit/s | -54.0 %, one run");
	NEAR(median(&study, MODE_ONECOPY, KIB(1024), 2, METRIC_GBPS), 192.73, 0.005);
	NEAR(median(&study, MODE_ONECOPY, KIB(1024), 4, METRIC_GBPS), 166.02, 0.005);
}

STUDY_TEST(published_cycles_per_byte_are_calculated)
{
	study__published(&study);
	NEAR(median(&study, MODE_TWOCOPY, KIB(16), 4, METRIC_CYCLES_PER_BYTE), 0.44, 0.0005);
}

STUDY_TEST(published_data_give_no_limit_by_cpus)
{
	study__published(&study);
	/* The data lack the number of CPUs: no limit by CPUs, nothing on caches. */
	SAYS(THREADS, "the number of usable CPUs is unknown");
	SAYS(THREADS, "The total is best with 4 threads");
	SAYS(THREADS, "Not shown: cache contention");
}

/* Without the duration of the runs, cycles per byte are unknown. */
STUDY_TEST(published_data_without_duration_lack_costs)
{

	study__published(&study);
	answers__clear(study.answers);
	analysis__clear(&study.a);
	for (size_t i = 0; i < study.d.rows_nr; i++)
		study.d.rows[i].value[METRIC_DURATION] = (double)NAN;
	study__finish(&study, (double)NAN);
	assert_false(analysis__has(&study.a, METRIC_CYCLES_PER_BYTE));
	assert_non_null(strstr(analysis__reason(&study.a, METRIC_CYCLES_PER_BYTE), "for how long"));
	SAYS(UNEXPECTED, "context switches, 34 to 6 810");
	SAYS(THREADS, "LLC misses per thread");
}

STUDY_TEST(published_single_runs_have_no_intervals)
{
	int q;

	study__published(&study);
	assert_int_equal(study.a.rounds_max, 1);
	SAYS(ZEROCOPY, "One run per cell");
	SAYS(CACHE, "One run per cell, so no difference is certain");
	SAYS(THREADS, "One run per cell");
	SAYS(ONE_OVER_TWO, "One run per cell");
	SAYS(ZERO_OVER_TWO, "One run per cell");
	for (q = 0; q < QUESTION_NR; q++) {
		assert_true(study.answers[q].tables_nr > 0);
	}
}
