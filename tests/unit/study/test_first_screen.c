/* SPDX-License-Identifier: GPL-2.0-only */
/* The first screen of a report on made-up data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/first_screen.h"
#include "support/planted.h"
#include "support/test.h"

static void check(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void put_zerocopy(struct study *s, double completed, double copied, const char *verdict)
{
	struct dataset_row *row = put(s, MODE_ZEROCOPY, KIB(4), 1, 0, 10);

	row->value[METRIC_ZC_COMPLETED] = completed;
	row->value[METRIC_ZC_COPIED] = copied;
	row->verdict = verdict ? strdup(verdict) : NULL;
}

TEST(copied_sends_decide_whether_zero_copy_was_zero_copy)
{
	static const struct {
		double completed, copied;
		const char *verdict, *text;
	} cases[] = {
		{2000, 2000,
		 "2 000 of 2 000 sends were copied after all: the path is local (lo). More.",
		 "No. The kernel copied all 2 000 zero-copy sends after all: the path is local "
		 "(lo)."},
		{20000, 20000, "No colon here.",
		 "No. The kernel copied all 20 000 zero-copy sends after all."},
		{2000, 2000, NULL, "No. The kernel copied all 2 000 zero-copy sends after all."},
		{2000, 500, "500 of 2 000 sends were copied: a tap",
		 "Not always. The kernel copied 500 of 2 000 zero-copy sends after all: a tap."},
		{2000, 0, "fine", "Yes. The kernel copied none of 2 000 zero-copy sends."},
		{(double)NAN, (double)NAN, NULL,
		 "Unknown: the data set does not count the completions of zero-copy sends."},
		/* More copied than completed sends are not a count. */
		{10, 20, NULL,
		 "Unknown: the data set does not count the completions of zero-copy sends."},
	};
	struct study s = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s = (struct study){0};
		put_zerocopy(&s, cases[i].completed, cases[i].copied, cases[i].verdict);
		study__finish(&s, (double)NAN);
		check(first_screen__zerocopy(&s.a), cases[i].text);
		study__clear(&s);
	}
	s = (struct study){0};
	put(&s, MODE_ONECOPY, KIB(4), 1, 0, 10);
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a), "Not measured: the data has no zero-copy run.");
	study__clear(&s);
}

/* A quarter more, no difference, and a single mode: by size. */
STUDY_TEST(best_mode_of_each_size_is_named)
{
	char *text;

	put_rounds(&study, MODE_TWOCOPY, KIB(4), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(4), 1, 8, 0.01);
	put_rounds(&study, MODE_ZEROCOPY, KIB(4), 1, 4, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(16), 1, 10, 0.01);
	put_rounds(&study, MODE_ONECOPY, KIB(16), 1, 10.01, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(64), 1, 10, 0.01);
	study__finish(&study, (double)NAN);
	text = first_screen__best(&study.a, METRIC_GBPS);
	assert_non_null(text);
	assert_ptr_equal(strstr(text, "two-copy at 4 KiB (+25.0 %; +"), text);
	assert_non_null(strstr(text, "%); no difference at 16 KiB."));
	assert_null(strstr(text, "64 KiB"));
	free(text);
	check(first_screen__best(&study.a, METRIC_CPU_NS_PER_KIB),
	      "Not measured: the data set has no such number.");
}

/* The lowest cost is best; with one run each the label comes first. */
STUDY_TEST(lowest_cost_is_best)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 10);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 10);
	for (size_t i = 0; i < 2; i++) {
		study.d.rows[i].value[METRIC_RX_BYTES] = 1e9;
		study.d.rows[i].value[METRIC_CPU_SENDER] = i ? 0.1 : 0.3;
		study.d.rows[i].value[METRIC_CPU_RECEIVER] = 0.1;
	}
	study__finish(&study, 1);
	check(first_screen__best(&study.a, METRIC_CPU_NS_PER_KIB),
	      "One run per cell, so no difference is certain. one-copy at 4 KiB (-50.0 %).");
}
