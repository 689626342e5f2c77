/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and live view with the receiver on another machine: figures of the sender. */
#include <stdlib.h>
#include <string.h>

#include "model/remote.h"
#include "screen/grid.h"
#include "screen/display.h"
#include "screen/live_layout.h"
#include "screen/live_model.h"
#include "screen/text.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/test.h"

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
	text_details__print(r, f, 400);
	fclose(f);
	hit = strstr(text, words);
	free(text);
	return hit;
}

static bool screen_says(const struct live_model *m, const char *words)
{
	struct sweep_grid *g = sweep_grid__new(40, 120);
	bool hit = false;

	assert_non_null(g);
	live_layout__draw(g, m, true);
	for (int row = 0; row < g->rows; row++) {
		char line[120 * 4 + 1] = "";

		for (int col = 0; col < g->cols; col++)
			strcat(line, g->cells[row * g->cols + col].text);
		hit |= strstr(line, words) != NULL;
	}
	sweep_grid__free(g);
	return hit;
}

/* Every cost is the sender's. */
TEST(remote_receiver_leaves_costs_of_the_sender_in_the_text)
{
	static const struct num elsewhere = {.reason = REMOTE_REASON};
	struct result *r = fake_result__new(1);
	struct run_result *run = &r->summary[0].total;

	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes * 2);
	run->perf_asked_nr = 1;
	run->perf_asked[0].name = "task-clock";
	run->perf_asked[0].count[NIO_SIDE_SENDER] = known(run->app.tx_bytes / 512);
	run->perf_asked[0].count[NIO_SIDE_RECEIVER] = elsewhere;
	assert_true(text_says(r, "perf       of the sender alone: CPU 123 ns per KiB; "
				 "cycles 2 per byte\n"));
	assert_true(text_says(r, "events     task-clock 2 per KiB"));
	fake_result__free(r);
}

static void look_in_slices(struct run_result *run)
{
	run->health.phase_ns = 1000;
	run->health.looked_ns = 100;
}

/* A remote receiver has no events. */
TEST(sampled_events_are_explained_by_mode_and_direction)
{
	struct result *r = fake_result__new(3);

	assert_false(text_says(r, "were watched"));
	for (size_t i = 0; i < r->summary_nr; i++)
		look_in_slices(&r->summary[i].total);
	assert_true(text_says(
		r, ". two-copy, one-copy, zero-copy: events of sending and receiving were watched "
		   "10 % of the time; their sizes are sampled, the sockets count the bytes "
		   "(--count-calls "
		   "watches all)"));
	for (size_t i = 0; i < r->summary_nr; i++)
		make_sender_side(&r->summary[i].total);
	assert_true(text_says(
		r, ". two-copy, one-copy, zero-copy: events of sending were watched 10 % of the "
		   "time; their sizes are sampled, the sockets count the bytes (--count-calls "
		   "watches all)"));
	assert_false(text_says(r, "events of receiving"));
	/* No program is attached that could see them. */
	for (size_t i = 0; i < r->summary_nr; i++)
		r->summary[i].total.stages[NIO_STAGE_TX_COPY].no_events = "see plan";
	assert_false(text_says(r, "were watched"));
	fake_result__free(r);
}

/* A range of copies from sampled completions does not mean missed events. */
TEST(range_of_copies_names_its_cause)
{
	struct result *r = fake_result__new(3);
	struct run_result *run = &r->summary[2].total;

	assert_int_equal(run->mode, MODE_ZEROCOPY);
	run->copies_per_byte = (struct real){.value = 2, .known = true};
	run->copies_per_byte_at_most = (struct real){.value = 2.5, .known = true};
	assert_true(text_says(r, "zero-copy: events were missed, so between 2.0000 and 2.5000"));
	look_in_slices(run);
	assert_true(text_says(r, "zero-copy: between 2.0000 and 2.5000 copies per byte (deferred"));
	assert_false(text_says(r, "missed, so"));
	fake_result__free(r);
}

TEST(remote_receiver_leaves_costs_of_the_sender_in_the_line)
{
	struct live_frame *f = fake_frame__new(1);
	struct run_result *run = &f->modes[0].total;
	char line[256];

	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	display__line(line, sizeof(line), f);
	assert_non_null(
		strstr(line, "  of the sender: CPU 123 ns/KiB  1074 switches/GiB  missed 0"));
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes);
	display__line(line, sizeof(line), f);
	assert_non_null(strstr(line, "  of the sender: 1.00 cycles/B  1074 switches/GiB"));
	fake_frame__free(f);
}

TEST(remote_receiver_leaves_costs_of_the_sender_in_the_live_view)
{
	struct live_frame *f = fake_frame__new(1);
	struct run_result *run = &f->modes[0].total;
	struct live_model m = {.help = false};

	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	live_model__frame(&m, f);
	assert_true(screen_says(&m, "  sender's    CPU ns/KiB"));
	assert_true(screen_says(&m, "no hardware counters: virtual machine"));
	assert_true(screen_says(&m, "  two-copy           123          1074"));
	fake_frame__free(f);
	live_model__clear(&m);
}
