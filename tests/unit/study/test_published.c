/* SPDX-License-Identifier: GPL-2.0-only */
/* The published data set: every fact that an analysis of it must find. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/answer.h"
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
	SAYS(UNEXPECTED, "Highest throughput of all: two-copy, 64 KiB, 8 threads: 365.3 Gbit/s");
	SAYS(UNEXPECTED,
	     "Highest throughput of zero-copy: zero-copy, 256 KiB, 4 threads: 283.3 Gbit/s");
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
}

STUDY_TEST(published_zerocopy_is_compared_with_twocopy)
{
	study__published(&study);
	SAYS_NOT(ZERO_OVER_TWO, "Crossover");
	NEAR(median(&study, MODE_ZEROCOPY, KIB(16), 8, METRIC_GBPS), 202.75, 0.005);
	NEAR(median(&study, MODE_TWOCOPY, KIB(16), 8, METRIC_GBPS), 147.56, 0.005);
	NEAR(median(&study, MODE_ZEROCOPY, KIB(1024), 4, METRIC_GBPS), 50.51, 0.005);
	SAYS(ZERO_OVER_TWO, "zero-copy is faster in 1 of 16 settings");
	SAYS(ZEROCOPY, "Largest gain: zero-copy, 16 KiB, 8 threads");
	SAYS(UNEXPECTED, "Exception (1 of 16 settings): zero-copy, 16 KiB, 8 threads: throughput "
			 "202.8 Gbit/s, higher than the 147.6 Gbit/s of two-copy");
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
	check_says(
		&study.answers[QUESTION_UNEXPECTED],
		"Collapse with more threads: one-copy, 1 MiB, 8 threads: 47.19 Gbit/s; 1 thread: "
		"102.6 Gbit/s (one run of one or both).");
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
	SAYS(THREADS, "The number of usable CPUs is unknown");
	SAYS(THREADS, "The total is best with 4 threads");
	SAYS(THREADS, "Not shown: cache contention");
	SAYS(THREADS, "two-copy has its highest total with 8 threads: 365.3 Gbit/s at 64 KiB.");
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
	SAYS_NOT(THREADS, "without counters");
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
		assert_true(study.answers[q].evidence_nr > 0);
		assert_false(says(&study.answers[q], "Crossover"));
	}
}
