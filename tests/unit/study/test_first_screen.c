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

static void put_zerocopy(struct study *s, enum mode mode, double completed, double copied,
			 const char *verdict)
{
	struct dataset_row *row = put(s, mode, KIB(4), 1, 0, 10);

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
	struct study s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s = (struct study){0};
		put_zerocopy(&s, MODE_ZEROCOPY, cases[i].completed, cases[i].copied,
			     cases[i].verdict);
		study__finish(&s, (double)NAN);
		check(first_screen__zerocopy(&s.a), cases[i].text);
		study__clear(&s);
	}
}

TEST(each_zero_copy_mode_answers_for_itself_if_another_is_unknown)
{
	struct study s = {0};

	/* What was seen counts, not the program's own flags, which stay if some was not seen. */
	put_zerocopy(&s, MODE_URINGZC, 8, 7, NULL);
	s.d.rows[0].value[METRIC_KERNEL_ZC_COPIED] = 0;
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a),
	      "Yes. The kernel copied none of 8 io_uring zero-copy sends.");
	study__clear(&s);
	s = (struct study){0};
	put_zerocopy(&s, MODE_ZEROCOPY, 10, 10, "all: the path is local");
	put_zerocopy(&s, MODE_URINGZC, 8, 0, NULL);
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a),
	      "Not always. The kernel copied all 10 zero-copy sends after all: the path is local. "
	      "The kernel copied none of 8 io_uring zero-copy sends.");
	study__clear(&s);
	/* A run without reports does not answer for one with them, nor a mode for another. */
	s = (struct study){0};
	put_zerocopy(&s, MODE_URINGZC, 8, 7, NULL);
	put_zerocopy(&s, MODE_URINGZC, 8, 0, NULL);
	s.d.rows[0].value[METRIC_COPIED_FRACTION] = 0.875;
	s.d.rows[0].value[METRIC_KERNEL_ZC_COPIED] = 0;
	s.d.rows[0].value[METRIC_KERNEL_ZC_COPIED_AT_MOST] = 1;
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a),
	      "Unknown: the kernel reported 7 of 8 io_uring zero-copy sends as copied, and also "
	      "reports requests that share a packet.");
	study__clear(&s);
	s = (struct study){0};
	put_zerocopy(&s, MODE_ZEROCOPY, 10, 0, NULL);
	put_zerocopy(&s, MODE_URINGZC, (double)NAN, (double)NAN, NULL);
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a), "Yes for zero-copy. The kernel copied none of 10 "
					    "zero-copy sends. Unknown for io_uring "
					    "zero-copy: the data set does not count the "
					    "completions of io_uring zero-copy sends.");
	study__clear(&s);
	s = (struct study){0};
	put(&s, MODE_ONECOPY, KIB(4), 1, 0, 10);
	study__finish(&s, (double)NAN);
	check(first_screen__zerocopy(&s.a), "Not measured: the data has no zero-copy run.");
	study__clear(&s);
}
