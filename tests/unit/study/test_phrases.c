/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, cells and lists in the text of a report. */
#include <math.h>
#include <string.h>

#include "study/phrases.h"
#include "support/test.h"

static void check_change(double change, const char *words)
{
	assert_string_equal(phrases__change(change).text, words);
}

/* From ten times on, as a factor. */
TEST(changes_are_written_in_percent_or_as_a_factor)
{
	check_change(0.125, "+12.5 %");
	check_change(-0.5, "-50.0 %");
	check_change(8.99, "+899.0 %");
	check_change(9, "x 10.0");
	check_change(99.5, "x 100");
	check_change((double)NAN, "n/a");
	assert_string_equal(phrases__factor(4, 10).text, "x 2.50");
	assert_string_equal(phrases__factor(0, 10).text, "n/a");
	assert_string_equal(phrases__factor(1, (double)NAN).text, "n/a");
}

static void check_value(enum metric m, double value, const char *words)
{
	assert_string_equal(phrases__value(m, value).text, words);
}

/* Large counts in full; times and bytes with a suitable unit; others with four digits. */
TEST(values_are_written_with_unit_and_four_digits)
{
	check_value(METRIC_GBPS, (double)NAN, "n/a");
	check_value(METRIC_GBPS, 12.345678, "12.35 Gbit/s");
	check_value(METRIC_GBPS, 999.96, "1000.0 Gbit/s");
	check_value(METRIC_GBPS, 12.1, "12.10 Gbit/s");
	check_value(METRIC_GBPS, 0.00123456, "0.001235 Gbit/s");
	check_value(METRIC_GBPS, 0, "0 Gbit/s");
	check_value(METRIC_GBPS, 1000.6, "1 001 Gbit/s");
	check_value(METRIC_GBPS, 9999, "9 999 Gbit/s");
	check_value(METRIC_GBPS, -1234.4, "-1234 Gbit/s");
	check_value(METRIC_GBPS, -20000, "-20000 Gbit/s");
	check_value(METRIC_GBPS, 10000, "10 000 Gbit/s");
	check_value(METRIC_GBPS, 12345.5, "12 346 Gbit/s");
	check_value(METRIC_GBPS, 1e15, "1000000000000000 Gbit/s");
	check_value(METRIC_CONTEXT_SWITCHES, 34, "34");
	check_value(METRIC_SEND_P50, 1500, "1.5 us");
	check_value(METRIC_RX_BYTES, 1500, "1.5 kB");
	check_value(METRIC_STAGE_CPB(NIO_STAGE_TX_COPY), 1.239, "1.24");
	check_value(METRIC_ZC_SENDS, 123456, "123 456");
}

static void check_estimate(enum metric m, const struct estimate *e, const char *words,
			   const char *interval)
{
	assert_string_equal(phrases__estimate(m, e).text, words);
	assert_string_equal(phrases__interval(m, e).text, interval);
}

/* The bounds have no unit if the median beside them has the same one. */
TEST(estimates_are_written_with_their_interval)
{
	const struct estimate none = {
		.median = (double)NAN, .low = (double)NAN, .high = (double)NAN};
	const struct estimate one = {.median = 3, .low = (double)NAN, .high = (double)NAN, .n = 1};
	const struct estimate few = {
		.median = 3, .low = 2.5, .high = 1500, .coverage = 0.95, .n = 7};

	check_estimate(METRIC_GBPS, &none, "n/a", "n/a");
	check_estimate(METRIC_GBPS, &one, "3.000 Gbit/s", "one run");
	check_estimate(METRIC_GBPS, &few, "3.000 Gbit/s (2.500 to 1 500)", "2.500 to 1 500");
	check_estimate(METRIC_SEND_P50, &few, "3 ns (2.5 ns to 1.5 us)", "2.5 ns to 1.5 us");
	check_estimate(METRIC_STAGE_CPB(NIO_STAGE_TX_COPY), &few, "3.00 (2.50 to 1500.00)",
		       "2.50 to 1500.00");
	check_estimate(METRIC_ZC_SENDS, &few, "3 (2 to 1 500)", "2 to 1 500");
}

/* "No difference" has no figure; otherwise the change with its interval, or why it has none. */
TEST(findings_are_written_with_their_interval_or_a_reason)
{
	struct finding c = {
		.change = 0.181, .low = 0.1, .high = 12, .difference = DIFFERENCE_HIGHER};
	assert_string_equal(phrases__finding(&c).text, "+18.1 %; x 1.10 to x 13.0");
	c.difference = DIFFERENCE_NOISE;
	assert_string_equal(phrases__finding(&c).text, "no difference");
	c.difference = DIFFERENCE_POINT;
	assert_string_equal(phrases__finding(&c).text, "+18.1 %, one run");
	c.difference = DIFFERENCE_FEW;
	assert_string_equal(phrases__finding(&c).text, "+18.1 %; too few rounds");
	c.difference = DIFFERENCE_UNKNOWN;
	assert_string_equal(phrases__finding(&c).text, "n/a");
	assert_string_equal(phrases__signed(-1234.5).text, "-1234");
	assert_string_equal(phrases__signed(62.49).text, "+62.5");
}

TEST(cells_are_written_with_mode_size_and_threads)
{
	struct cell cell = {.mode = MODE_ONECOPY, .size = 65536, .threads = 1};
	assert_string_equal(phrases__cell(&cell).text, "one-copy, 64 KiB, 1 thread");
	cell.threads = 2;
	assert_string_equal(phrases__cell(&cell).text, "one-copy, 64 KiB, 2 threads");
	cell.threads = 0;
	assert_string_equal(phrases__cell(&cell).text, "one-copy, 64 KiB, threads n/a");
}

/* Twelve items are listed, the others counted. */
TEST(long_lists_are_cut_after_twelve_items)
{
	struct item_list list = {0};

	assert_string_equal(item_list__words(&list), "nowhere");
	for (int i = 1; i <= 12; i++)
		item_list__add(&list, "%d", i);
	assert_string_equal(item_list__words(&list), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
	item_list__add(&list, "%s", "thirteen");
	item_list__add(&list, "%s", "fourteen");
	assert_string_equal(item_list__words(&list),
			    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more");
	/* A second call returns the same. */
	assert_string_equal(item_list__words(&list),
			    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more");
}

TEST(long_items_stay_within_the_list)
{
	struct {
		struct item_list list;
		char behind[64];
	} x = {.behind = "untouched"};

	for (int i = 0; i < 12; i++)
		item_list__add(&x.list, "%0*d", 340, i);
	assert_int_equal(strlen(item_list__words(&x.list)), sizeof(x.list.text) - 1);
	assert_string_equal(x.behind, "untouched");
}

/* Few digits, and one unit; from ten times on factors. */
TEST(ranges_are_written_with_few_digits)
{
	assert_string_equal(phrases__range(-0.744, -0.744).text, "-74 %");
	assert_string_equal(phrases__range(-0.744, -0.6).text, "-74 to -60 %");
	assert_string_equal(phrases__range(0.044, 0.136).text, "+4.4 to +14 %");
	assert_string_equal(phrases__range(0.5, 11).text, "x 1.50 to x 12.0");
	assert_string_equal(phrases__range((double)NAN, 1).text, "n/a");
	assert_string_equal(phrases__bounds(-0.84, -0.39).text, "-84 to -39");
}
