/* SPDX-License-Identifier: GPL-2.0-only */
/* The published data set: every fact that an analysis of it must find. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/mode_comparison.h"
#include "study/answer.h"
#include "study/test_family.h"

#include "support/study.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* The data set beside the sources: 48 runs of 5 s, one per cell. */
static void study__published(struct study *s)
{
	const char *slash = strrchr(__FILE__, '/');
	int dir = slash ? (int)(slash - __FILE__) : 1;
	char path[512], message[DATASET_MESSAGE_MAX];

	snprintf(path, sizeof(path), "%.*s/../../fixtures/pa02-mt25014-results.csv", dir,
		 slash ? __FILE__ : ".");
	if (dataset__load(&s->d, path, 5, message))
		fail_msg("%s", message);
	analysis__init(&s->a, &s->d);
	answers__make(&s->a, s->answers);
}

TEST(published_peaks)
{
	struct study s;
	const struct cell *peak;

	study__published(&s);
	peak = analysis__peak(&s.a, MODE_NR, METRIC_GBPS);
	assert_int_equal(peak->mode, MODE_TWOCOPY);
	assert_int_equal(peak->size, KIB(64));
	assert_int_equal(peak->threads, 8);
	NEAR(median(&s, MODE_TWOCOPY, KIB(64), 8, METRIC_GBPS), 365.26, 0.005);
	peak = analysis__peak(&s.a, MODE_ZEROCOPY, METRIC_GBPS);
	assert_int_equal(peak->size, KIB(256));
	assert_int_equal(peak->threads, 4);
	NEAR(median(&s, MODE_ZEROCOPY, KIB(256), 4, METRIC_GBPS), 283.32, 0.005);
	check_says(&s.answers[QUESTION_UNEXPECTED],
		   "Highest throughput of all: two-copy, 64 KiB, 8 threads, 365.3 Gbit/s");
	check_says(&s.answers[QUESTION_UNEXPECTED],
		   "Highest throughput of zero-copy: zero-copy, 256 KiB, 4 threads, 283.3 Gbit/s");
	study__clear(&s);
}

TEST(published_one_over_two)
{
	struct study s;

	study__published(&s);
	NEAR(change(&s, MODE_ONECOPY, KIB(16), 4, METRIC_GBPS), 0.044, 0.0005);
	NEAR(change(&s, MODE_ONECOPY, KIB(64), 4, METRIC_GBPS), 0.133, 0.0005);
	NEAR(change(&s, MODE_ONECOPY, KIB(256), 4, METRIC_GBPS), 0.136, 0.0005);
	NEAR(change(&s, MODE_ONECOPY, KIB(1024), 4, METRIC_GBPS), -0.343, 0.0005);
	check_says(
		&s.answers[QUESTION_ONE_OVER_TWO],
		"With 4 threads (point differences): one-copy faster at: 16 KiB (+4.4 %), 64 KiB "
		"(+13.3 %), 256 KiB (+13.6 %); not faster at: 1 MiB (-34.3 %).");
	study__clear(&s);
}

TEST(published_zero_over_two)
{
	struct study s;
	struct mode_comparison comparison;
	size_t t, ahead = 0;

	study__published(&s);
	for (t = 0; t < s.a.threads_nr; t++) {
		mode_comparison__make(&s.a, MODE_ZEROCOPY, MODE_TWOCOPY, s.a.threads[t],
				      METRIC_GBPS, &comparison);
		assert_int_equal(comparison.points_nr, 4);
		assert_int_equal(comparison.crossovers_nr, 0);
		if (s.a.threads[t] == 4)
			assert_int_equal(comparison.point_ahead, 0);
		ahead += comparison.point_ahead;
		mode_comparison__clear(&comparison);
	}
	assert_int_equal(ahead, 1);
	NEAR(median(&s, MODE_ZEROCOPY, KIB(16), 8, METRIC_GBPS), 202.75, 0.005);
	NEAR(median(&s, MODE_TWOCOPY, KIB(16), 8, METRIC_GBPS), 147.56, 0.005);
	NEAR(median(&s, MODE_ZEROCOPY, KIB(1024), 4, METRIC_GBPS), 50.51, 0.005);
	check_says(&s.answers[QUESTION_ZERO_OVER_TWO], "zero-copy is faster in 1 of 16 settings");
	check_says(&s.answers[QUESTION_ZEROCOPY], "Largest gain: zero-copy, 16 KiB, 8 threads");
	check_says(&s.answers[QUESTION_UNEXPECTED],
		   "Exception (1 of 16 settings): zero-copy, 16 KiB, 8 threads: throughput 202.8 "
		   "Gbit/s, higher than the 147.6 Gbit/s of two-copy");
	study__clear(&s);
}

TEST(published_cache_misses)
{
	struct study s;

	study__published(&s);
	NEAR(change(&s, MODE_ZEROCOPY, KIB(16), 4, METRIC_LLC_MISSES), -0.702, 0.0005);
	NEAR(change(&s, MODE_ZEROCOPY, KIB(64), 4, METRIC_LLC_MISSES), -0.388, 0.0005);
	NEAR(change(&s, MODE_ZEROCOPY, KIB(256), 4, METRIC_LLC_MISSES), 1.326, 0.0005);
	NEAR(change(&s, MODE_ZEROCOPY, KIB(1024), 4, METRIC_LLC_MISSES), -0.935, 0.0005);
	check_says(&s.answers[QUESTION_CACHE],
		   "LLC misses of a whole run, zero-copy against two-copy with 4 threads: -70.2 % "
		   "at 16 KiB, -38.8 % at 64 KiB, +132.6 % at 256 KiB, -93.5 % at 1 MiB.");
	check_says(&s.answers[QUESTION_CACHE], "Not shown: from which stage the reduction comes");
	study__clear(&s);
}

TEST(published_collapse)
{
	struct study s;

	study__published(&s);
	check_says(
		&s.answers[QUESTION_UNEXPECTED],
		"Collapse with more threads: one-copy, 1 MiB, 8 threads: 47.19 Gbit/s; 1 thread: "
		"102.6 Gbit/s (one run of one or both).");
	NEAR(median(&s, MODE_ONECOPY, KIB(1024), 2, METRIC_GBPS), 192.73, 0.005);
	NEAR(median(&s, MODE_ONECOPY, KIB(1024), 4, METRIC_GBPS), 166.02, 0.005);
	study__clear(&s);
}

TEST(published_cycles_per_byte)
{
	struct study s;

	study__published(&s);
	NEAR(median(&s, MODE_TWOCOPY, KIB(16), 4, METRIC_CYCLES_PER_BYTE), 0.44, 0.0005);
	study__clear(&s);
}

TEST(published_threads)
{
	struct study s;

	study__published(&s);
	/* The data does not say how many CPUs there were: no ceiling, nothing on caches. */
	check_says(&s.answers[QUESTION_THREADS], "The number of usable CPUs is unknown");
	check_says(&s.answers[QUESTION_THREADS], "The total is best with 4 threads");
	check_says(&s.answers[QUESTION_THREADS], "Not shown: cache contention");
	check_says(&s.answers[QUESTION_THREADS],
		   "two-copy has its highest total with 8 threads: 365.3 Gbit/s at 64 KiB.");
	study__clear(&s);
}

/* Without a length of the runs nobody knows how many bytes the cycles were for. */
TEST(published_without_duration)
{
	struct study s;
	size_t i;

	study__published(&s);
	answers__clear(s.answers);
	analysis__clear(&s.a);
	for (i = 0; i < s.d.rows_nr; i++)
		s.d.rows[i].value[METRIC_DURATION] = (double)NAN;
	study__finish(&s, (double)NAN);
	assert_false(analysis__has(&s.a, METRIC_CYCLES_PER_BYTE));
	assert_non_null(strstr(analysis__reason(&s.a, METRIC_CYCLES_PER_BYTE), "for how long"));
	check_says(&s.answers[QUESTION_UNEXPECTED], "context switches, 34 to 6 810");
	assert_false(says(&s.answers[QUESTION_THREADS], "without counters"));
	check_says(&s.answers[QUESTION_THREADS], "LLC misses per thread");
	study__clear(&s);
}

TEST(published_has_no_intervals)
{
	struct study s;
	int q;

	study__published(&s);
	assert_int_equal(s.a.rounds_max, 1);
	check_says(&s.answers[QUESTION_ZEROCOPY], "One run per cell");
	check_says(&s.answers[QUESTION_CACHE],
		   "One run per cell, so each difference is a point difference");
	check_says(&s.answers[QUESTION_THREADS], "One run per cell");
	check_says(&s.answers[QUESTION_ONE_OVER_TWO], "One run per cell");
	check_says(&s.answers[QUESTION_ZERO_OVER_TWO], "One run per cell");
	for (q = 0; q < QUESTION_NR; q++) {
		assert_true(s.answers[q].evidence_nr > 0);
		assert_false(says(&s.answers[q], "Crossover"));
	}
	study__clear(&s);
}
