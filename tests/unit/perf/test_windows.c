/* SPDX-License-Identifier: GPL-2.0-only */
/* Which windows of the stage counters are kept, and their sums. */
#include <string.h>

#include "model/ledger.h"
#include "support/test.h"

/* A window that began on CPU 1 after 7 switches, with both counters enabled since 1000 ns. */
static const struct nio_perf_open begun = {
	.at = {{.counter = 5000, .enabled = 1000, .running = 1000},
	       {.counter = 30, .enabled = 1000, .running = 1000}},
	.switches = 7,
	.cpu = 1,
	.sampled = 1,
};

/* 400 ns later: 900 cycles, 4 misses. */
static const struct nio_perf_reading ended[NIO_PERF_EVENT_NR] = {
	{.counter = 5900, .enabled = 1400, .running = 1400},
	{.counter = 34, .enabled = 1400, .running = 1400},
};

TEST(one_window_in_61_is_measured)
{
	unsigned int due = 0;

	for (unsigned int i = 0; i < 6100; i++)
		due += nio_perf_due(i, 61);
	assert_int_equal(due, 100);
	assert_true(nio_perf_due(0, 61));
	assert_true(nio_perf_due(12345, 1));
	assert_false(nio_perf_due(0, 0));
}

TEST(undisturbed_window_is_kept)
{
	struct nio_perf_cell cell = {.samples = 1, .bytes = 100, .counts = {50, 5}};

	assert_int_equal(nio_perf_accept(&begun, 1, 7, ended), NIO_PERF_KEPT);
	nio_perf_book(&cell, &begun, 1, 7, ended, 16384);
	assert_int_equal(cell.samples, 2);
	assert_int_equal(cell.bytes, 16484);
	assert_int_equal(cell.counts[NIO_PERF_CYCLES], 950);
	assert_int_equal(cell.counts[NIO_PERF_LLC_MISSES], 9);
	assert_int_equal(cell.moved + cell.multiplexed + cell.unread, 0);
}

TEST(migration_and_context_switches_discard_the_window)
{
	struct nio_perf_cell cell = {.samples = 0};

	nio_perf_book(&cell, &begun, 0, 7, ended, 16384);
	nio_perf_book(&cell, &begun, 1, 8, ended, 16384);
	/* Migrated and back: the CPU is the same, the number of switches is not. */
	nio_perf_book(&cell, &begun, 1, 9, ended, 16384);
	assert_int_equal(cell.moved, 3);
	assert_int_equal(cell.samples + cell.bytes + cell.counts[0] + cell.counts[1], 0);
}

/* Scaling a window of microseconds would invent its count, so it is discarded. */
TEST(multiplexing_discards_the_window)
{
	struct nio_perf_reading end[NIO_PERF_EVENT_NR];
	struct nio_perf_cell cell = {.samples = 0};

	for (int i = 0; i < NIO_PERF_EVENT_NR; i++) {
		memcpy(end, ended, sizeof(end));
		end[i].running -= 1;
		nio_perf_book(&cell, &begun, 1, 7, end, 1);
		memcpy(end, ended, sizeof(end));
		end[i].running = begun.at[i].running; /* never scheduled */
		nio_perf_book(&cell, &begun, 1, 7, end, 1);
		memcpy(end, ended, sizeof(end));
		end[i].counter = begun.at[i].counter - 1; /* was reset */
		nio_perf_book(&cell, &begun, 1, 7, end, 1);
	}
	assert_int_equal(cell.multiplexed, 6);
	assert_int_equal(cell.samples, 0);
}

TEST(run_has_the_windows_of_its_cells)
{
	struct nio_perf_cell cells[NIO_PERF_WINDOW_NR] = {{0}};
	struct run_result r, total;
	const struct perf_window *w;

	run_result__init(&r);
	cells[NIO_PERF_PIN] = (struct nio_perf_cell){610, 8, 800, {2000, 16}, 1, 1, 1};
	cells[NIO_PERF_SEND_CALL] = (struct nio_perf_cell){.windows = 61, .moved = 1};
	ledger__book_windows(&r, cells, NULL);
	w = &r.perf_window[NIO_PERF_PIN];
	assert_int_equal(w->quality, QUALITY_SAMPLED);
	assert_null(w->reason);
	assert_int_equal(w->windows.value, 610);
	assert_int_equal(w->samples.value, 8);
	assert_int_equal(w->discarded.value, 3);
	assert_int_equal(w->bytes.value, 800);
	assert_int_equal(w->cycles.value, 2000);
	assert_int_equal(w->llc_misses.value, 16);
	/* No window kept, or no window at all: no number, each with its own reason. */
	assert_int_equal(r.perf_window[NIO_PERF_SEND_CALL].quality, QUALITY_UNAVAILABLE);
	assert_non_null(strstr(r.perf_window[NIO_PERF_SEND_CALL].reason, "discarded"));
	assert_int_equal(r.perf_window[NIO_PERF_RX_COPY].quality, QUALITY_UNAVAILABLE);
	assert_non_null(strstr(r.perf_window[NIO_PERF_RX_COPY].reason, "nothing passed"));
	total = r;
	ledger__add_windows(&total, &r);
	assert_int_equal(total.perf_window[NIO_PERF_PIN].samples.value, 16);
	assert_int_equal(total.perf_window[NIO_PERF_PIN].quality, QUALITY_SAMPLED);
	run_result__no_windows(&r, "no PMU");
	assert_string_equal(r.perf_window[NIO_PERF_PIN].reason, "no PMU");
	ledger__add_windows(&total, &r);
	assert_false(total.perf_window[NIO_PERF_PIN].samples.known);
	assert_string_equal(total.perf_window[NIO_PERF_PIN].reason, "no PMU");
}

/* arm64 in an emulator and many virtual machines: cycles, but no cache events. */
TEST(cycles_are_known_without_cache_misses)
{
	struct nio_perf_cell cells[NIO_PERF_WINDOW_NR] = {{0}};
	const struct perf_window *w;
	struct run_result r, total;

	run_result__init(&r);
	cells[NIO_PERF_PIN] = (struct nio_perf_cell){610, 10, 1000, {5000, 0}, 0, 0, 0};
	ledger__book_windows(&r, cells, "no such event");
	total = r;
	ledger__add_windows(&total, &r);
	w = &total.perf_window[NIO_PERF_PIN];
	assert_int_equal(w->quality, QUALITY_SAMPLED);
	assert_int_equal(w->cycles.value, 10000);
	assert_false(w->llc_misses.known);
	assert_string_equal(w->llc_misses.reason, "no such event");
}
