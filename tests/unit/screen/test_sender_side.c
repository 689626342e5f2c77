/* SPDX-License-Identifier: GPL-2.0-only */
/* What text and live view say with the receiver on another machine: what is known of the sender. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/remote.h"
#include "screen/grid.h"
#include "screen/live_layout.h"
#include "screen/live_line.h"
#include "screen/text.h"

/* A test is linked with the programs' code alone: helpers are included. */
#include "support/fake_result.c"

static void make_sender_side(struct run_result *run)
{
	remote__begin(run);
	run->app.rx_reason = NULL;
	run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	run->stages[NIO_STAGE_RX_COPY].reason = REMOTE_REASON;
}

static bool text_says(const struct result *r, const char *words)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool hit;

	assert_non_null(f);
	assert_int_equal(text_details__print(r, f, 400), 0);
	fclose(f);
	hit = strstr(text, words);
	free(text);
	return hit;
}

static bool screen_says(const struct view_model *m, const char *words)
{
	struct grid *g = grid__new(40, 120);
	bool hit = false;

	assert_non_null(g);
	view_layout__draw(g, m, true);
	for (int row = 0; row < g->rows; row++) {
		char line[120 * 4 + 1] = "";

		for (int col = 0; col < g->cols; col++)
			strcat(line, g->cells[row * g->cols + col].text);
		hit |= strstr(line, words) != NULL;
	}
	grid__free(g);
	return hit;
}

/* Every cost is the sender's, and known where that is. */
static void costs_in_the_text(void **state)
{
	static const struct num elsewhere = {.reason = REMOTE_REASON};
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;

	(void)state;
	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes * 2);
	run->perf_asked_nr = 1;
	run->perf_asked[0].name = "task-clock";
	run->perf_asked[0].count[NIO_SIDE_SENDER] = known(run->app.tx_bytes / 512);
	run->perf_asked[0].count[NIO_SIDE_RECEIVER] = elsewhere;
	assert_true(text_says(r, "perf       of the sender alone: CPU 123 ns per KiB; "
				 "cycles 2.00 per byte;"));
	assert_true(text_says(r, "events     task-clock 2 per KiB"));
	fake_result__free(r);
}

static void look_in_slices(struct run_result *run)
{
	run->health.phase_ns = 1000;
	run->health.looked_ns = 100;
}

/* Sends that pin are looked at all the time, and of a receiver elsewhere there are no events. */
static void what_was_looked_at_in_slices(void **state)
{
	struct result *r = fake_result__new(3);

	(void)state;
	assert_false(text_says(r, "looked at"));
	for (size_t i = 0; i < r->summary_nr; i++)
		look_in_slices(&r->summary[i].total);
	assert_true(text_says(
		r, ". twocopy, onecopy: events of sending and receiving were looked at 10 % of the "
		   "time; zerocopy: events of receiving were looked at 10 % of the time; their "
		   "sizes are sampled, bytes are exact (--count-calls looks at all)"));
	for (size_t i = 0; i < r->summary_nr; i++)
		make_sender_side(&r->summary[i].total);
	assert_true(text_says(
		r, ". twocopy, onecopy: events of sending were looked at 10 % of the time; their "
		   "sizes are sampled, bytes are exact (--count-calls looks at all)"));
	assert_false(text_says(r, "events of receiving"));
	/* Nothing is attached to see them. */
	for (size_t i = 0; i < r->summary_nr; i++)
		r->summary[i].total.stages[NIO_STAGE_TX_COPY].no_events = "see plan";
	assert_false(text_says(r, "looked at"));
	fake_result__free(r);
}

static void costs_in_a_line(void **state)
{
	struct live_frame *f = fake_frame__new(1);
	struct run_result *run = &f->modes[0].total;
	char line[256];

	(void)state;
	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	view_line__format(line, sizeof(line), f);
	assert_non_null(
		strstr(line, "  of the sender: CPU 123 ns/KiB  1074 switches/GiB  missed 0"));
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes);
	view_line__format(line, sizeof(line), f);
	assert_non_null(strstr(line, "  of the sender: 1.00 cycles/B  1074 switches/GiB"));
	fake_frame__free(f);
}

static void costs_on_the_screen(void **state)
{
	struct live_frame *f = fake_frame__new(1);
	struct run_result *run = &f->modes[0].total;
	struct view_model m = {.help = false};

	(void)state;
	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	assert_int_equal(view_model__frame(&m, f), 0);
	assert_true(screen_says(&m, "  sender's    CPU ns/KiB"));
	assert_true(screen_says(&m, "no hardware counters: virtual machine"));
	assert_true(screen_says(&m, "  twocopy            123          1074"));
	fake_frame__free(f);
	view_model__clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_in_the_text),
		cmocka_unit_test(what_was_looked_at_in_slices),
		cmocka_unit_test(costs_in_a_line),
		cmocka_unit_test(costs_on_the_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
