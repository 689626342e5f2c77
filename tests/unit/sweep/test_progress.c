/* SPDX-License-Identifier: GPL-2.0-only */
/* Progress of a sweep as a bar and as a line. */
#include <stdio.h>
#include <string.h>

#include "sweep/progress.h"
#include "support/test.h"

TEST(clock_has_minutes_or_hours)
{
	char buf[32];

	assert_string_equal(progress__clock(buf, sizeof(buf), 0), "0:00");
	assert_string_equal(progress__clock(buf, sizeof(buf), 7400000000), "0:07");
	assert_string_equal(progress__clock(buf, sizeof(buf), 59600000000), "1:00");
	assert_string_equal(progress__clock(buf, sizeof(buf), 750000000000), "12:30");
	assert_string_equal(progress__clock(buf, sizeof(buf), 11100000000000), "3:05:00");
}

static struct progress sample(void)
{
	struct progress p = {
		.done = 17,
		.total = 144,
		.timed = 10,
		.timed_ns = 8000000000,
		.expected_ns = 1,
	};

	snprintf(p.now, sizeof(p.now), "onecopy 4k t2");
	snprintf(p.last, sizeof(p.last), "twocopy 64k t8 31.2 Gbit/s");
	return p;
}

TEST(time_left_is_the_mean_of_the_timed_runs)
{
	struct progress p = sample();

	assert_int_equal(progress__left_ns(&p), 127 * 800000000ULL);
	p.under_way_ns = 300000000;
	assert_int_equal(progress__left_ns(&p), 127 * 800000000ULL - 300000000);
	p.under_way_ns = 5000000000; /* longer than all before: the others still need their time */
	assert_int_equal(progress__left_ns(&p), 126 * 800000000ULL);
	p = sample();
	p.timed = 0;
	assert_int_equal(progress__left_ns(&p), 127);
	p.done = p.total;
	assert_int_equal(progress__left_ns(&p), 0);
}

TEST(bar_fits_any_width)
{
	struct progress p = sample();
	char line[PROGRESS_LINE_MAX];
	unsigned int columns;

	assert_string_equal(progress__bar(line, &p, 120),
			    "[17/144]  ##......................  1:42 left  onecopy 4k t2"
			    "  (last twocopy 64k t8 31.2 Gbit/s)");
	assert_string_equal(progress__bar(line, &p, 79),
			    "[17/144]  ##......................  1:42 left  onecopy 4k t2");
	assert_string_equal(progress__bar(line, &p, 20), "[17/144]");
	for (columns = 0; columns < 200; columns++)
		assert_true(strlen(progress__bar(line, &p, columns)) <= columns);
	p.failed = 2;
	assert_non_null(strstr(progress__bar(line, &p, 120), " left, 2 failed  onecopy"));
	p.done = p.total;
	assert_non_null(strstr(progress__bar(line, &p, 120), "]  ########################  0:00"));
}

TEST(line_has_the_result_of_the_run)
{
	struct progress p = sample();
	char line[PROGRESS_LINE_MAX];

	assert_string_equal(progress__line(line, &p),
			    "[17/144] twocopy 64k t8 31.2 Gbit/s, 1:42 left");
}
