/* SPDX-License-Identifier: GPL-2.0-only */
/* The shared axis of histograms: rows that fit, and the counts in them. */
#include <stdlib.h>
#include <string.h>

#include "bpf/netiotrace.h"
#include "bpf/hist_layout.h"
#include "screen/live_hist.h"
#include "support/test.h"

static struct hist *sizes(void)
{
	struct hist *h = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);

	assert_non_null(h);
	return h;
}

static uint64_t total(const struct hist_axis *axis, const struct hist *h)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX], sum = 0;
	unsigned int i;

	hist_axis__count(axis, h, counts);
	for (i = 0; i < axis->rows; i++)
		sum += counts[i];
	return sum;
}

static void fit(struct hist_axis *axis, enum hist_axis_kind kind, const struct hist *h,
		unsigned int rows)
{
	hist_axis__fit(axis, kind, &h, 1, rows);
}

static const char *label(const struct hist_axis *axis, unsigned int row)
{
	static char buf[32];

	return hist_axis__label(axis, row, buf, sizeof(buf));
}

TEST(empty_histogram_or_no_row_gives_no_axis)
{
	const struct hist *none[2] = {NULL, NULL};
	struct hist *h = sizes();
	struct hist_axis axis;

	hist_axis__fit(&axis, HIST_AXIS_SIZE, none, 2, 10);
	assert_int_equal(axis.rows, 0);
	fit(&axis, HIST_AXIS_SIZE, h, 10);
	assert_int_equal(axis.rows, 0);
	hist__record(h, 1);
	fit(&axis, HIST_AXIS_SIZE, h, 0);
	assert_int_equal(axis.rows, 0);
	assert_int_equal(total(&axis, h), 0);
	hist__free(h);
}

/* One size has neighbouring rows, and its row is labelled with the size itself. */
TEST(one_value_has_a_row_with_its_exact_label)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX];
	struct hist *h = sizes();
	struct hist_axis axis;
	unsigned int i, hits = 0;

	hist__add_bucket(h, hist_bucket(65536, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS), 23);
	fit(&axis, HIST_AXIS_SIZE, h, 20);
	assert_int_equal(axis.rows, 5);
	hist_axis__count(&axis, h, counts);
	for (i = 0; i < axis.rows; i++) {
		if (!counts[i])
			continue;
		hits++;
		assert_int_equal(counts[i], 23);
		assert_string_equal(label(&axis, i), "64k");
	}
	assert_int_equal(hits, 1);
	hist__free(h);
}

/* Sizes far apart are shown by powers of two, as finely as they fit. */
TEST(wide_size_range_has_rows_of_powers_of_two)
{
	struct hist *h = sizes();
	struct hist_axis axis;
	uint64_t v;

	for (v = 64; v <= 65536; v *= 2)
		hist__record(h, v);
	fit(&axis, HIST_AXIS_SIZE, h, 12);
	assert_int_equal(axis.rows, 11);
	assert_string_equal(label(&axis, 0), "64");
	assert_string_equal(label(&axis, 4), "1k");
	assert_string_equal(label(&axis, 10), "64k");
	fit(&axis, HIST_AXIS_SIZE, h, 10);
	assert_int_equal(axis.rows, 6);
	assert_int_equal(total(&axis, h), h->count);
	hist__free(h);
}

TEST(times_have_rows_of_1_2_5)
{
	struct hist *h = hist__new_latency();
	struct hist_axis axis;

	hist__record(h, 1100);
	hist__record(h, 950000);
	fit(&axis, HIST_AXIS_TIME, h, 9);
	assert_int_equal(axis.rows, 9);
	assert_string_equal(label(&axis, 0), "1us");
	assert_string_equal(label(&axis, 1), "2us");
	assert_string_equal(label(&axis, 3), "10us");
	assert_string_equal(label(&axis, 8), "500us");
	hist__free(h);
}

/* One event of 4 ms among thousands of 10 to 40 us neither coarsens the axis nor is lost. */
TEST(tail_has_a_row_of_its_own)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX], v;
	struct hist *h = hist__new_latency();
	struct hist_axis axis;

	for (v = 0; v < 10000; v++)
		hist__record(h, 10000 + v * 3);
	fit(&axis, HIST_AXIS_TIME, h, 10);
	assert_false(axis.below || axis.above);
	assert_int_equal(axis.rows, 8); /* 10us, 12us ... 39us */
	hist__record(h, 4000000);
	fit(&axis, HIST_AXIS_TIME, h, 10);
	assert_true(axis.above && !axis.below);
	assert_int_equal(axis.rows, 9);
	assert_string_equal(label(&axis, 0), "10us");
	assert_string_equal(label(&axis, 7), "39us");
	assert_string_equal(label(&axis, 8), "above");
	hist_axis__count(&axis, h, counts);
	assert_int_equal(counts[8], 1);
	hist__record(h, 100);
	fit(&axis, HIST_AXIS_TIME, h, 10);
	assert_true(axis.above && axis.below);
	assert_string_equal(label(&axis, 0), "below");
	assert_int_equal(total(&axis, h), h->count);
	hist_axis__count(&axis, h, counts);
	assert_int_equal(counts[0], 1);
	hist__free(h);
}

/* A narrow middle gets neighbours for comparison; the tail begins above them. */
TEST(tail_begins_above_the_rows_for_comparison)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX], v;
	struct hist *h = hist__new_latency();
	struct hist_axis axis;

	for (v = 0; v < 10000; v++)
		hist__record(h, 20000 + v);
	hist__record(h, 4000000);
	for (unsigned int rows = 3; rows < 20; rows++) {
		fit(&axis, HIST_AXIS_TIME, h, rows);
		for (unsigned int i = 1; i < axis.rows; i++)
			assert_true(axis.low[i] > axis.low[i - 1]);
		hist_axis__count(&axis, h, counts);
		assert_true(!axis.above || counts[axis.rows - 1]);
	}
	hist__free(h);
}

/* For any data and height: rows fit, ascend, count each event once, and labels fit the margin. */
TEST(rows_fit_ascend_and_count_each_event_once)
{
	struct hist *h = hist__new_latency(), *s = sizes();
	struct hist_axis axis;
	unsigned int seed = 1, rows, i;
	int round, kind;
	uint64_t v;

	for (round = 0; round < 3000; round++) {
		seed = seed * 1103515245 + 12345;
		if (round % 10 == 0) {
			hist__reset(h);
			hist__reset(s);
		}
		v = ((uint64_t)seed << 32 | seed) >> (seed >> 8) % 64;
		hist__record(h, v);
		hist__record(s, v);
		rows = 1 + (seed >> 16) % 120;
		for (kind = HIST_AXIS_SIZE; kind <= HIST_AXIS_TIME; kind++) {
			fit(&axis, kind, kind == HIST_AXIS_TIME ? h : s, rows);
			assert_in_range(axis.rows, 1, rows);
			assert_true(axis.rows <= HIST_AXIS_ROWS_MAX);
			assert_int_equal(total(&axis, kind == HIST_AXIS_TIME ? h : s),
					 kind == HIST_AXIS_TIME ? h->count : s->count);
			for (i = 0; i < axis.rows; i++) {
				assert_true(!i || axis.low[i] > axis.low[i - 1]);
				assert_true(strlen(label(&axis, i)) <= 6);
			}
		}
	}
	hist__free(h);
	hist__free(s);
}

/* A value on the border of two rows is counted in the upper one. */
TEST(border_value_is_counted_in_the_row_it_begins)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX], v;
	struct hist *h = sizes();
	struct hist_axis axis;
	unsigned int i;

	for (v = 0; v < 8; v++)
		hist__record(h, v);
	fit(&axis, HIST_AXIS_SIZE, h, 8);
	assert_int_equal(axis.rows, 8);
	hist_axis__count(&axis, h, counts);
	for (i = 0; i < axis.rows; i++) {
		assert_int_equal(axis.low[i], i);
		assert_int_equal(counts[i], 1);
	}
	hist__free(h);
}

/* Several histograms share an axis wide enough for all of them. */
TEST(shared_axis_covers_all_histograms)
{
	struct hist *a = sizes(), *b = sizes();
	const struct hist *both[] = {a, NULL, b};
	struct hist_axis axis;

	hist__record(a, 64);
	hist__record(b, 1 << 20);
	hist_axis__fit(&axis, HIST_AXIS_SIZE, both, 3, 20);
	assert_true(axis.low[0] <= 64);
	assert_true(axis.low[axis.rows - 1] >= 1 << 20);
	assert_int_equal(total(&axis, a), 1);
	assert_int_equal(total(&axis, b), 1);
	hist__free(a);
	hist__free(b);
}
