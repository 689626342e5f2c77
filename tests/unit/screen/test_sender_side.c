/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and live view with the receiver on another machine: figures of the sender. */
#include "model/remote.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/screen_says.h"

static void make_sender_side(struct run_result *run)
{
	remote__begin(run);
	run->app.rx_reason = NULL;
	run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	run->stages[NIO_STAGE_RX_COPY].reason = REMOTE_REASON;
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
	assert_says(r, "perf       of the sender alone: CPU 123 ns per KiB; "
		       "cycles 2 per byte\n");
	assert_says(r, "events     task-clock 2 per KiB");
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

	assert_silent(r, "\nsampled ");
	for (size_t i = 0; i < r->summary_nr; i++)
		look_in_slices(&r->summary[i].total);
	assert_says(r, "\nsampled    sizes of these events; the sockets count the bytes "
		       "(--count-calls watches all). two-copy: sending and receiving, "
		       "watched 10 % of the time. one-copy: sending and receiving, ");
	for (size_t i = 0; i < r->summary_nr; i++)
		make_sender_side(&r->summary[i].total);
	assert_says(r, "two-copy: sending, watched 10 % of the time. one-copy: sending,");
	assert_silent(r, "receiving, watched");
	/* No program is attached that could see them. */
	for (size_t i = 0; i < r->summary_nr; i++)
		r->summary[i].total.stages[NIO_STAGE_TX_COPY].no_events = "see plan";
	assert_silent(r, "\nsampled ");
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
	assert_says(r, "zero-copy: events were missed, so between 2.0000 and 2.5000");
	look_in_slices(run);
	assert_says(r, "zero-copy: completions were sampled, so between 2.0000 and 2.5000 copies");
	assert_silent(r, "were missed, so");
	fake_result__free(r);
}

TEST(remote_receiver_leaves_costs_of_the_sender_in_line_and_live_view)
{
	struct live_frame *f = fake_frame__new(1);
	struct run_result *run = &f->modes[0].total;
	struct live_model m = {.now = f};

	make_sender_side(run);
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	check_words(line_text(f), "  of the sender: CPU 123 ns/KiB  1074 switches/GiB  missed 0",
		    true);
	check_words(view_text(&m, 120, 40, true), "  sender's    CPU ns/KiB", true);
	check_words(view_text(&m, 120, 40, true), "no hardware counters: virtual machine", true);
	check_words(view_text(&m, 120, 40, true), "  two-copy           123          1074", true);
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes);
	check_words(line_text(f), "  of the sender: 1.00 cycles/B  1074 switches/GiB", true);
	fake_frame__free(f);
}
