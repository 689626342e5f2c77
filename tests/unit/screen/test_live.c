/* SPDX-License-Identifier: GPL-2.0-only */
/* The live picture: golden files of its layout, keys, and that nothing overflows. */
#include <stdlib.h>
#include <string.h>

#include "screen/display.h"
#include "screen/live_layout.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/golden.c"
#include "support/grid_text.h"
#include "support/test.h"

static char *render(const struct live_model *m, int cols, int rows, bool utf8)
{
	struct sweep_grid *g = sweep_grid__new(rows, cols);
	char *text;

	assert_non_null(g);
	live_layout__draw(g, m, utf8);
	text = grid_text(g);
	sweep_grid__free(g);
	return text;
}

static void check_golden(const struct live_model *m, int cols, int rows, const char *name)
{
	char *text = render(m, cols, rows, true);

	golden__check(name, text);
	free(text);
}

static bool says(const struct live_model *m, const char *words)
{
	char *text = render(m, 120, 40, true);
	bool hit = strstr(text, words);

	free(text);
	return hit;
}

/* A model that got one frame of n modes. The frame is freed: the model must keep a copy. */
static void model__open(struct live_model *m, size_t n)
{
	struct live_frame *f = fake_frame__new(n);

	memset(m, 0, sizeof(*m));
	live_model__frame(m, f);
	fake_frame__free(f);
}

/* The same for a session that takes times. */
static void model__open_timed(struct live_model *m, size_t n)
{
	struct live_frame *f = fake_frame__new(n);

	memset(m, 0, sizeof(*m));
	fake_frame__fentry(f);
	live_model__frame(m, f);
	fake_frame__free(f);
}

static void press(struct live_model *m, enum live_key key, int times)
{
	while (times--)
		assert_int_equal(live_model__key(m, key), LIVE_NONE);
}

TEST(layouts_match_their_golden_files)
{
	struct live_model m;

	model__open(&m, 3);
	check_golden(&m, 80, 24, "view-3modes-80x24");
	check_golden(&m, 120, 40, "view-3modes-120x40");
	m.quantity = LIVE_TX_COPY;
	check_golden(&m, 80, 24, "view-tx-copy-80x24");
	check_golden(&m, 120, 40, "view-tx-copy-120x40");
	m.quantity = LIVE_CPU;
	check_golden(&m, 80, 24, "view-cpu-80x24");
	check_golden(&m, 120, 40, "view-cpu-120x40");
	m.quantity = LIVE_COMPLETION;
	check_golden(&m, 80, 24, "view-unavailable-80x24");
	check_golden(&m, 79, 23, "view-too-small-79x23");
	press(&m, LIVE_KEY_PAUSE, 1);
	check_golden(&m, 80, 24, "view-paused-80x24");
	press(&m, LIVE_KEY_HELP, 1);
	check_golden(&m, 80, 24, "view-help-80x24");
	live_model__clear(&m);
	model__open(&m, 1);
	m.quantity = LIVE_DELIVERY;
	check_golden(&m, 80, 24, "view-1mode-80x24");
	live_model__clear(&m);
	model__open_timed(&m, 3);
	m.quantity = LIVE_CALL_PARTS;
	check_golden(&m, 80, 24, "view-parts-80x24");
	check_golden(&m, 120, 40, "view-parts-120x40");
	m.quantity = LIVE_RX_COPY;
	press(&m, LIVE_KEY_TIMES, 1);
	check_golden(&m, 80, 24, "view-times-80x24");
	live_model__clear(&m);
}

TEST(ascii_layout_has_no_other_bytes)
{
	struct live_model m;
	char *text, *p;

	model__open(&m, 3);
	m.quantity = LIVE_SEND_CALL;
	text = render(&m, 80, 24, false);
	assert_non_null(strstr(text, "####"));
	for (p = text; *p; p++)
		assert_true((unsigned char)*p < 0x80);
	free(text);
	live_model__clear(&m);
}

TEST(too_small_terminal_shows_one_sentence)
{
	struct live_model m;
	int rows, cols;
	size_t below;
	char *text;

	model__open(&m, 2);
	for (rows = 1; rows <= 24; rows++) {
		for (cols = 1; cols <= 80; cols += 7) {
			text = render(&m, cols, rows, true);
			assert_memory_equal(text, "terminal too small", cols < 18 ? cols - 1 : 18);
			below = strlen(strchr(text, '\n'));
			assert_int_equal(below, rows);
			free(text);
		}
	}
	live_model__clear(&m);
}

/* Every quantity at every size: nothing is written outside the grid, and the keys stay in place. */
TEST(every_quantity_fits_every_size)
{
	struct live_model m;
	size_t modes;
	int rows, cols;
	char *text;

	for (modes = 0; modes <= 3; modes++) {
		if (modes % 2)
			model__open_timed(&m, modes);
		else
			model__open(&m, modes);
		for (rows = 24; rows <= 130; rows += 5) {
			for (cols = 80; cols <= 300; cols += 11) {
				m.quantity = (enum live_quantity)((rows + cols) % LIVE_QUANTITY_NR);
				text = render(&m, cols, rows, true);
				assert_non_null(strstr(text, "q quit   p pause"));
				assert_non_null(strstr(text, "copies/B Gbit/s"));
				free(text);
			}
		}
		live_model__clear(&m);
	}
}

TEST(parts_of_a_call_are_shown_or_have_a_reason)
{
	struct live_frame *f = fake_frame__new(2);
	struct live_model m = {.quantity = LIVE_CALL_PARTS};

	f->modes[0].seen = false;
	live_model__frame(&m, f);
	assert_true(says(&m, "not run yet"));
	assert_true(says(&m, "n/a: " FAKE_TIME_REASON));
	f->modes[0].seen = true;
	fake_frame__fentry(f);
	live_model__frame(&m, f);
	assert_true(says(&m, "39.0%"));
	assert_true(says(&m, "gather 30.5ns send 76.4ns receive 86.3ns"));
	/* An unknown part makes the rest of the call unknown, not the other parts. */
	f->modes[0].total.path_ns[PATH_WAIT] = (struct num){.reason = "no hook"};
	live_model__frame(&m, f);
	assert_true(says(&m, "39.0%"));
	assert_true(says(&m, " n/a"));
	fake_frame__free(f);
	live_model__clear(&m);
}

/* CPU time is sampled after each round: at first there is none. Other classes are summed. */
TEST(CPU_time_by_class_is_shown_after_its_round)
{
	struct live_frame *f = fake_frame__new(2);
	struct live_model m = {.quantity = LIVE_CPU};
	char *text;

	cpu_time__none(&f->modes[0].total.cpu, "not measured");
	f->modes[0].running = true;
	live_model__frame(&m, f);
	assert_true(says(&m, "sampled after this round"));
	assert_true(says(&m, "2000 samples"));
	f->modes[0].running = false;
	cpu_time__none(&f->modes[0].total.cpu, "--no-cpu was given");
	live_model__frame(&m, f);
	assert_true(says(&m, "n/a: --no-cpu was given"));
	for (int c = 0; c < CPU_CLASS_NR; c++)
		f->modes[1].total.cpu.by[0].classes[c] = 100;
	f->modes[1].total.cpu.by[0].samples = 100 * CPU_CLASS_NR;
	live_model__frame(&m, f);
	assert_false(says(&m, "all others"));
	text = render(&m, 80, 24, true);
	assert_non_null(strstr(text, "all others"));
	assert_non_null(strstr(text, "receive copy"));
	free(text);
	fake_frame__free(f);
	live_model__clear(&m);
}

/* Times since the reset only. */
TEST(reset_hides_earlier_times)
{
	struct live_frame *f = fake_frame__new(1);
	struct frame_copy shown;
	struct live_model m;
	struct run_result *run = &f->modes[0].total;

	fake_frame__fentry(f);
	model__open_timed(&m, 1);
	press(&m, LIVE_KEY_RESET, 1);
	m.quantity = LIVE_CALL_PARTS;
	assert_true(says(&m, "n/a: no call was timed"));
	run->path_ns[PATH_COPY].value += 700;
	run->path_calls.value += 7;
	hist__add_bucket(run->stages[NIO_STAGE_RX_COPY].times, 100, 3);
	live_model__frame(&m, f);
	assert_true(live_model__shown(&m, &shown));
	run = &shown.frame.modes[0].total;
	assert_int_equal(run->path_ns[PATH_COPY].value, 700);
	assert_int_equal(run->path_ns[PATH_LOCK].value, 0);
	assert_int_equal(run->path_calls.value, 7);
	assert_int_equal(run->stages[NIO_STAGE_RX_COPY].times->count, 3);
	frame_copy__clear(&shown);
	fake_frame__free(f);
	live_model__clear(&m);
}

TEST(pause_freezes_the_picture)
{
	struct live_frame *f = fake_frame__new(3);
	struct live_model m;

	model__open(&m, 3);
	press(&m, LIVE_KEY_PAUSE, 1);
	f->elapsed_ns = 7000000000;
	live_model__frame(&m, f);
	assert_true(says(&m, "PAUSED"));
	assert_true(says(&m, "3.0 of 10.0 s"));
	press(&m, LIVE_KEY_PAUSE, 1);
	assert_false(says(&m, "PAUSED"));
	assert_true(says(&m, "7.0 of 10.0 s"));
	fake_frame__free(f);
	live_model__clear(&m);
}

/* A reset hides earlier counts and shows later ones in full; the frame is unchanged. */
TEST(reset_subtracts_earlier_counts)
{
	struct live_frame *f = fake_frame__new(3);
	struct hist *calls = f->modes[0].total.app.latency[LATENCY_SEND_CALL].hist;
	struct frame_copy shown;
	struct live_model m;
	uint64_t before = calls->count;
	int i;

	model__open(&m, 3);
	m.quantity = LIVE_SEND_CALL;
	press(&m, LIVE_KEY_RESET, 1);
	assert_true(says(&m, "no events so far"));
	assert_true(says(&m, "counts since 3.0 s"));
	for (i = 0; i < 23; i++)
		hist__record(calls, 5000);
	f->modes[0].total.app.rx_bytes += 1000;
	f->modes[0].total.stages[NIO_STAGE_TX_COPY].bytes += 1500;
	live_model__frame(&m, f);
	assert_true(says(&m, "two-copy  23 events"));
	assert_true(says(&m, "1.50"));
	assert_true(live_model__shown(&m, &shown));
	assert_int_equal(shown.frame.modes[0].total.app.latency[LATENCY_SEND_CALL].hist->sum,
			 23 * 5000);
	assert_int_equal(calls->count, before + 23);
	assert_int_equal(m.latest.frame.modes[0].total.app.latency[LATENCY_SEND_CALL].hist->count,
			 before + 23);
	frame_copy__clear(&shown);
	fake_frame__free(f);
	live_model__clear(&m);
}

/* A mode that starts after the reset is shown in full; counts below the baseline are 0. */
TEST(reset_shows_later_modes_in_full_and_never_wraps)
{
	struct live_frame *late = fake_frame__new(3);
	struct frame_copy shown;
	struct live_model m;

	model__open(&m, 2);
	press(&m, LIVE_KEY_RESET, 1);
	late->modes[0].total.app.rx_bytes = 1;
	live_model__frame(&m, late);
	assert_true(live_model__shown(&m, &shown));
	assert_int_equal(shown.frame.modes[0].total.app.rx_bytes, 0);
	assert_int_equal(shown.frame.modes[2].total.app.rx_bytes,
			 late->modes[2].total.app.rx_bytes);
	frame_copy__clear(&shown);
	fake_frame__free(late);
	live_model__clear(&m);
}

/* An empty column gives the reason if the mode has no such events. */
TEST(empty_column_has_the_reason_of_its_mode)
{
	struct live_model m;
	struct live_mode *zc;

	model__open(&m, 3);
	zc = &m.latest.frame.modes[2];
	assert_int_equal(zc->mode, MODE_ZEROCOPY);
	m.quantity = LIVE_TX_COPY;
	assert_true(says(&m, "its pages are"));
	m.quantity = LIVE_TX_PIN;
	assert_true(says(&m, "this mode copies at"));
	/* Nothing was sent yet, so nothing is known. */
	zc->total.stages[NIO_STAGE_TX_PIN].bytes = 0;
	m.quantity = LIVE_TX_COPY;
	assert_true(says(&m, "no events so far"));
	live_model__clear(&m);
}

TEST(keys_choose_quantity_and_help)
{
	struct live_model m;

	model__open(&m, 3);
	/* First the quantity that has a distribution in every mode. */
	assert_int_equal(m.quantity, LIVE_SEND_CALL);
	press(&m, LIVE_KEY_LEFT, 1);
	assert_int_equal(m.quantity, LIVE_QUANTITY_NR - 1);
	press(&m, LIVE_KEY_RIGHT, LIVE_QUANTITY_NR + 1);
	assert_int_equal(m.quantity, LIVE_SEND_CALL);
	press(&m, LIVE_KEY_RIGHT, 2);
	assert_int_equal(m.quantity, LIVE_CPU);
	press(&m, LIVE_KEY_HELP, 1);
	assert_true(says(&m, "any key closes this"));
	/* On the help page every key, including q, only closes it. */
	press(&m, LIVE_KEY_QUIT, 1);
	assert_false(says(&m, "any key closes this"));
	press(&m, LIVE_KEY_OTHER, 3);
	assert_int_equal(live_model__key(&m, LIVE_KEY_QUIT), LIVE_QUIT);
	live_model__clear(&m);
}

TEST(keys_before_the_first_frame_do_nothing)
{
	struct live_model m = {.help = false};

	press(&m, LIVE_KEY_PAUSE, 1);
	press(&m, LIVE_KEY_RESET, 1);
	assert_true(says(&m, "waiting for the first figures"));
	live_model__clear(&m);
}

TEST(losses_and_phases_are_named)
{
	struct live_frame *f = fake_frame__new(2);
	struct live_model m = {.help = false};

	live_model__frame(&m, f);
	assert_false(says(&m, "LOSSES"));
	f->health.missed.value = 3;
	f->health.unmatched.value = 4;
	f->health.dropped = (struct num){.value = 9, .reason = "unknown: must not be said"};
	f->phase = LIVE_WARMUP;
	live_model__frame(&m, f);
	assert_true(says(&m, "LOSSES: 3 program runs missed, 4 unmatched\n"));
	assert_true(says(&m, "WARM-UP of one-copy: nothing is counted yet"));
	fake_frame__free(f);
	live_model__clear(&m);
}

TEST(answers_so_far_name_the_fastest_and_the_cheapest_mode)
{
	struct live_frame *f = fake_frame__new(3);
	struct live_model m = {.help = false};
	struct run_result *zc = &f->modes[2].total;

	live_model__frame(&m, f);
	assert_true(says(&m, "zero-copy: NO, all copied   fastest two-copy   cheapest two-copy   "
			     "nothing missed   (so far)"));
	zc->duration_ns /= 10;
	zc->app.zc.copied = zc->app.zc.completed / 4;
	zc->kernel_zc_known = false;
	live_model__frame(&m, f);
	assert_true(says(&m, "zero-copy: partly, 25 % copied   fastest zero-copy"));
	zc->app.zc.copied = 0;
	f->health.missed.known = false;
	live_model__frame(&m, f);
	assert_true(says(&m, "zero-copy: yes, none copied"));
	assert_false(says(&m, "nothing missed"));
	fake_frame__free(f);
	live_model__clear(&m);
}

TEST(unknown_values_are_shown_as_n_a)
{
	struct live_frame *f = fake_frame__new(2);
	struct stage_result *tx = &f->modes[1].total.stages[NIO_STAGE_TX_COPY];
	struct live_model m = {.quantity = LIVE_TX_COPY};

	tx->quality = QUALITY_UNAVAILABLE;
	tx->reason = "the probe could not be attached here";
	f->modes[0].seen = false;
	f->planned_ns = 0;
	live_model__frame(&m, f);
	assert_true(says(&m, "n/a: the probe could not be attached here"));
	assert_true(says(&m, "  * copies/B is without send other: not measured"));
	assert_true(says(&m, "  two-copy  not run yet"));
	assert_true(says(&m, "   3.0 s\n"));
	fake_frame__free(f);
	live_model__clear(&m);
}

/* With the receiver on another machine the figure is the sender's, and rx_copy is not missing. */
TEST(remote_receiver_marks_copies_per_byte_as_of_the_sender)
{
	struct live_model m;
	size_t i;

	model__open(&m, MODE_NR);
	for (i = 0; i < MODE_NR; i++) {
		struct run_result *run = &m.latest.frame.modes[i].total;

		run->sender_side = true;
		run->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	}
	assert_true(says(&m, "  * copies/B: of the sender's side, without other"));
	for (i = 0; i < MODE_NR; i++)
		m.latest.frame.modes[i].total.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_EXACT;
	assert_true(says(&m, "  copies/B is of the sender's side"));
	live_model__clear(&m);
}

TEST(splice_column_appears_with_spliced_bytes_only)
{
	struct live_frame *f = fake_frame__new(1);
	struct live_model m = {.help = false};

	live_model__frame(&m, f);
	assert_false(says(&m, " splice "));
	f->modes[0].total.stages[NIO_STAGE_TX_SPLICE].bytes = 1;
	live_model__frame(&m, f);
	assert_true(says(&m, " splice "));
	fake_frame__free(f);
	live_model__clear(&m);
}

/* Modes with different events name them in their own column. */
TEST(different_events_are_named_per_mode)
{
	struct live_frame *f = fake_frame__new(2);
	struct live_model m = {.quantity = LIVE_TX_COPY};

	live_model__frame(&m, f);
	assert_true(says(&m, "send: bytes per send call"));
	f->modes[1].total.stages[NIO_STAGE_TX_COPY].event = "transmit";
	live_model__frame(&m, f);
	assert_true(says(&m, "send: bytes per event"));
	assert_true(says(&m, "x transmit"));
	fake_frame__free(f);
	live_model__clear(&m);
}

TEST(colour_is_never_the_only_mark_of_a_mode)
{
	struct sweep_grid *g = sweep_grid__new(24, 80);
	struct live_model m;
	unsigned int modes = 0;
	int i;

	model__open(&m, 3);
	live_layout__draw(g, &m, true);
	for (i = 0; i < 24 * 80; i++)
		modes |= 1u << (g->cells[i].attr & GRID_COLOUR_MASK);
	assert_int_equal(modes, 0xf);
	assert_true(g->cells[0].attr & GRID_REVERSE);
	live_model__clear(&m);
	sweep_grid__free(g);
}

TEST(grid_clips_text_at_its_edges)
{
	struct sweep_grid *g = sweep_grid__new(2, 10);
	char *text;

	assert_null(sweep_grid__new(0, 10));
	assert_null(sweep_grid__new(10, 1 << 20));
	sweep_grid__put(g, 0, 4, 3, GRID_PLAIN, "overlong");
	sweep_grid__put(g, 1, 6, 100, GRID_PLAIN, "to the edge");
	sweep_grid__put(g, 2, 0, 5, GRID_PLAIN, "below");
	sweep_grid__put(g, -1, -3, 5, GRID_PLAIN, "above");
	sweep_grid__put(g, 0, 0, -1, GRID_PLAIN, "no");
	sweep_grid__put_right(g, 1, 0, 4, GRID_PLAIN, "\033[");
	text = grid_text(g);
	assert_string_equal(text, "    ov~\n  ?[  to ~\n");
	free(text);
	sweep_grid__free(g);
}

TEST(line_has_the_figures_or_n_a)
{
	struct live_frame *f = fake_frame__new(2);
	char line[256], tiny[8];

	assert_string_equal(display__line(line, sizeof(line), f),
			    "  3.0s one-copy 2/5  31.1 Gbit/s  send 3.89 GB/s  receive 3.89 GB/s"
			    "  CPU 256 ns/KiB  n/a switches/GiB  missed 0");
	f->modes[1].total.stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	f->health.missed.known = false;
	assert_non_null(strstr(display__line(line, sizeof(line), f), "receive n/a"));
	assert_non_null(strstr(line, "missed n/a"));
	f->modes[1].total.ledger_known = false;
	assert_non_null(strstr(display__line(line, sizeof(line), f), "ledger n/a"));
	f->phase = LIVE_WARMUP;
	assert_string_equal(display__line(line, sizeof(line), f),
			    "  3.0s one-copy 2/5  warm-up: nothing is counted yet");
	assert_string_equal(display__line(tiny, sizeof(tiny), f), "  3.0s ");
	fake_frame__free(f);
}
