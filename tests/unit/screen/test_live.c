/* SPDX-License-Identifier: GPL-2.0-only */
/* The live picture: golden files of its layout, keys, and that nothing overflows. */
#include "screen/curses_screen.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"
#include "support/golden.c"
#include "support/screen_says.h"

struct view {
	struct live_frame *f;
	struct live_model m;
};

static void view__close(struct view *v)
{
	if (v->f) {
		live_model__clear(&v->m);
		fake_frame__free(v->f);
	}
}

/* A view of n modes. It is freed when the next one is made. */
static struct view *view__new(size_t n)
{
	static struct view v;

	view__close(&v);
	v.f = fake_frame__new(n);
	v.m = (struct live_model){.now = v.f};
	return &v;
}

static struct run_result *run_of(struct view *v, enum mode mode)
{
	return &v->f->modes[mode].total;
}

static char *render(struct view *v, int cols, int rows)
{
	return view_text(&v->m, cols, rows, true);
}

static void check_golden(struct view *v, int cols, int rows, const char *name)
{
	char *text = render(v, cols, rows);

	golden__check(name, text);
	free(text);
}

static void check_says(struct view *v, const char *words)
{
	check_words(render(v, 120, 40), words, true);
}

static void check_silent(struct view *v, const char *words)
{
	check_words(render(v, 120, 40), words, false);
}

static void press(struct view *v, int key, int times)
{
	while (times--)
		assert_false(live_model__key(&v->m, key));
}

TEST(layouts_match_their_golden_files)
{
	static const struct {
		enum live_quantity q;
		int cols, rows;
		const char *name;
	} views[] = {
		{LIVE_SEND_CALL, 80, 24, "view-3modes-80x24"},
		{LIVE_SEND_CALL, 120, 40, "view-3modes-120x40"},
		{LIVE_TX_COPY, 80, 24, "view-tx-copy-80x24"},
		{LIVE_CPU, 80, 24, "view-cpu-80x24"},
		{LIVE_COMPLETION, 80, 24, "view-unavailable-80x24"},
		{LIVE_COMPLETION, 79, 23, "view-too-small-79x23"},
	};
	struct view *v = view__new(3);

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		v->m.quantity = views[i].q;
		check_golden(v, views[i].cols, views[i].rows, views[i].name);
	}
	press(v, 'p', 1);
	check_golden(v, 80, 24, "view-paused-80x24");
	press(v, '?', 1);
	check_golden(v, 80, 24, "view-help-80x24");
	v = view__new(1);
	v->m.quantity = LIVE_DELIVERY;
	check_golden(v, 80, 24, "view-1mode-80x24");
	v = view__new(3);
	fake_frame__fentry(v->f);
	v->m.quantity = LIVE_CALL_PARTS;
	check_golden(v, 80, 24, "view-parts-80x24");
	v->m.quantity = LIVE_RX_COPY;
	press(v, 't', 1);
	check_golden(v, 80, 24, "view-times-80x24");
}

TEST(ascii_layout_has_no_other_bytes)
{
	struct view *v = view__new(3);
	char *text = view_text(&v->m, 80, 24, false);

	assert_non_null(strstr(text, "####"));
	for (const char *p = text; *p; p++)
		assert_true((unsigned char)*p < 0x80);
	free(text);
}

/* Eight modes beside labels leave a bar fewer cells than none. */
TEST(bar_without_room_draws_nothing)
{
	struct grid *g = grid__new(1, 20);

	for (int eighths = 0; eighths <= 8; eighths++)
		grid__bar(g, 0, 5, -1, GRID_PLAIN, eighths / 8.0, true);
	for (int col = 0; col < g->cols; col++)
		assert_string_equal(g->cells[col].text, " ");
	grid__free(g);
}

/* Any terminal has the sentence, wrapped, and below it the answers so far. */
TEST(too_small_terminal_shows_the_answers_so_far)
{
	struct view *v = view__new(3);

	for (int rows = 1; rows <= 24; rows++)
		for (int cols = 1; cols < 80; cols += 6)
			free(render(v, cols, rows));
	check_words(render(v, 60, 8),
		    "terminal too small: needs 80x24, is 60x8\nzero-copy: NO, all", true);
	check_words(render(v, 40, 10), "needs 80x24, is\n40x10\nzero-copy: NO, all copied\nnothing",
		    true);
	press(v, '?', 1);
	check_words(render(v, 60, 8), "1-6 of ", true);
}

/* Every line of the help can be reached on a small terminal. */
TEST(help_scrolls_on_a_small_terminal)
{
	static const char *const entries[] = {"gather", "copies/B", "left right", "CPU time"};
	bool seen[ARRAY_LEN(entries)] = {false};
	struct view *v = view__new(3);

	press(v, '?', 1);
	for (int i = 0; i < 100; i++) {
		char *text = render(v, 40, 10);

		for (size_t k = 0; k < ARRAY_LEN(entries); k++)
			seen[k] |= strstr(text, entries[k]) != NULL;
		assert_null(strchr(text, '~'));
		free(text);
		press(v, SCREEN_KEY_DOWN, 1);
	}
	for (size_t k = 0; k < ARRAY_LEN(entries); k++)
		assert_true(seen[k]);
	press(v, SCREEN_KEY_HOME, 1);
	check_words(render(v, 40, 10), "1-8 of ", true);
	press(v, 'q', 1);
	assert_false(v->m.help.shown);
}

/* Every quantity at every size: nothing is cut, and the keys stay in place. */
TEST(every_quantity_fits_every_size)
{
	for (size_t modes = 0; modes <= 3; modes++) {
		struct view *v = view__new(modes);

		if (modes % 2)
			fake_frame__fentry(v->f);
		for (int rows = 24; rows <= 130; rows += 5) {
			for (int cols = 80; cols <= 300; cols += 11) {
				char *text;

				v->m.quantity = (rows + cols) % LIVE_QUANTITY_NR;
				text = render(v, cols, rows);
				assert_non_null(strstr(text, "q quit   p pause"));
				assert_non_null(strstr(text, "copies/B Gbit/s"));
				if (strchr(text, '~'))
					fail_msg("a field is cut:\n%s", text);
				free(text);
			}
		}
		press(v, '?', 1);
		check_words(render(v, 80, 24), "~", false);
	}
}

/* Large counts in narrow columns, and times of a KiB under a reason of several lines. */
TEST(narrow_columns_neither_cut_nor_overwrite_a_text)
{
	struct view *v = view__new(3);

	for (int i = 0; i < 100000; i++)
		hist__record(run_of(v, MODE_TWOCOPY)->app.latency[LATENCY_SEND_CALL].hist, 5000);
	check_words(render(v, 80, 24), "two-copy  n=109 024 ", true);
	v->m.quantity = LIVE_CALL_PARTS;
	check_words(render(v, 80, 24), "gather 30.5ns\n", true);
	check_words(render(v, 80, 24), " n/a: no tracepoint ", true);
	check_words(render(v, 80, 24), " its end ", true);
}

TEST(parts_of_a_call_are_shown_or_have_a_reason)
{
	struct view *v = view__new(2);

	v->m.quantity = LIVE_CALL_PARTS;
	v->f->modes[0].seen = false;
	check_says(v, "not run yet");
	check_says(v, "n/a: " FAKE_TIME_REASON);
	v->f->modes[0].seen = true;
	fake_frame__fentry(v->f);
	check_says(v, "39.0%");
	check_says(v, "gather 30.5ns send 76.4ns receive 86.3ns");
	/* An unknown part makes the rest of the call unknown, not the other parts. */
	run_of(v, MODE_TWOCOPY)->path_ns[PATH_WAIT] = (struct num){.reason = "no hook"};
	check_says(v, "39.0%");
	check_says(v, " n/a");
}

/* CPU time is sampled after each round: at first there is none. Other classes are summed. */
TEST(CPU_time_by_class_is_shown_after_its_round)
{
	struct view *v = view__new(2);
	struct cpu_result *first = &run_of(v, MODE_TWOCOPY)->cpu;
	struct cpu_result *second = &run_of(v, MODE_ONECOPY)->cpu;

	v->m.quantity = LIVE_CPU;
	cpu_time__none(first, "not measured");
	v->f->modes[0].running = true;
	check_says(v, "sampled after this round");
	check_says(v, "2000 samples");
	v->f->modes[0].running = false;
	cpu_time__none(first, "--no-cpu was given");
	check_says(v, "n/a: --no-cpu was given");
	for (int c = 0; c < CPU_CLASS_NR; c++)
		second->by[0].classes[c] = 100;
	second->by[0].samples = 100 * CPU_CLASS_NR;
	check_silent(v, "all others");
	check_words(render(v, 80, 24), "all others", true);
	check_words(render(v, 80, 24), "receive copy", true);
}

/* Times since the reset only. */
TEST(reset_hides_earlier_times)
{
	struct view *v = view__new(1);
	struct run_result *run = run_of(v, MODE_TWOCOPY);
	const struct run_result *shown;
	struct live_frame copy;

	fake_frame__fentry(v->f);
	press(v, 'r', 1);
	v->m.quantity = LIVE_CALL_PARTS;
	check_says(v, "n/a: no call was timed");
	run->path_ns[PATH_COPY].value += 700;
	run->path_calls.value += 7;
	hist__add_bucket(run->stages[NIO_STAGE_RX_COPY].times, 100, 3);
	shown = &live_model__shown(&v->m, &copy)->modes[0].total;
	assert_int_equal(shown->path_ns[PATH_COPY].value, 700);
	assert_int_equal(shown->path_ns[PATH_LOCK].value, 0);
	assert_int_equal(shown->path_calls.value, 7);
	assert_int_equal(shown->stages[NIO_STAGE_RX_COPY].times->count, 3);
	live_frame__clear(&copy);
}

TEST(pause_freezes_the_picture)
{
	struct view *v = view__new(3);

	v->m.quantity = LIVE_SEND_CALL;
	press(v, 'p', 1);
	v->f->elapsed_ns = 7000000000;
	hist__reset(run_of(v, MODE_TWOCOPY)->app.latency[LATENCY_SEND_CALL].hist);
	check_says(v, "PAUSED");
	check_says(v, "3.0 of 10.0 s");
	check_says(v, "two-copy  9 024 events");
	press(v, ' ', 1);
	check_silent(v, "PAUSED");
	check_says(v, "7.0 of 10.0 s");
	check_silent(v, "two-copy  9 024 events");
}

/* A reset hides earlier counts and shows later ones in full; the frame is unchanged. */
TEST(reset_subtracts_earlier_counts)
{
	struct view *v = view__new(3);
	struct run_result *run = run_of(v, MODE_TWOCOPY);
	struct hist *calls = run->app.latency[LATENCY_SEND_CALL].hist;
	const struct run_result *shown;
	uint64_t before = calls->count;
	struct live_frame copy;

	v->m.quantity = LIVE_SEND_CALL;
	press(v, 'r', 1);
	check_says(v, "no events so far");
	check_says(v, "counts since 3.0 s");
	for (int i = 0; i < 23; i++)
		hist__record(calls, 5000);
	run->app.rx_bytes += 1000;
	run->stages[NIO_STAGE_TX_COPY].bytes += 1500;
	check_says(v, "two-copy  23 events");
	check_says(v, "1.50");
	shown = &live_model__shown(&v->m, &copy)->modes[0].total;
	assert_int_equal(shown->app.latency[LATENCY_SEND_CALL].hist->sum, 23 * 5000);
	assert_int_equal(calls->count, before + 23);
	live_frame__clear(&copy);
	/* Again, from a paused picture: the earlier baseline goes. */
	press(v, 'p', 1);
	press(v, 'r', 1);
	check_silent(v, "23 events");
}

/* A mode that starts after the reset is shown in full; counts below the baseline are 0. */
TEST(reset_shows_later_modes_in_full_and_never_wraps)
{
	struct view *v = view__new(2);
	struct live_frame *late = fake_frame__new(3), copy;
	const struct live_frame *shown;

	press(v, 'r', 1);
	late->modes[0].total.app.rx_bytes = 1;
	v->m.now = late;
	shown = live_model__shown(&v->m, &copy);
	assert_int_equal(shown->modes[0].total.app.rx_bytes, 0);
	assert_int_equal(shown->modes[2].total.app.rx_bytes, late->modes[2].total.app.rx_bytes);
	live_frame__clear(&copy);
	fake_frame__free(late);
}

/* An empty column gives the reason if the mode has no such events. */
TEST(empty_column_has_the_reason_of_its_mode)
{
	struct view *v = view__new(3);

	v->m.quantity = LIVE_TX_COPY;
	check_says(v, "its pages are");
	v->m.quantity = LIVE_TX_PIN;
	check_says(v, "this mode copies at");
	/* Nothing was sent yet, so nothing is known. */
	run_of(v, MODE_ZEROCOPY)->stages[NIO_STAGE_TX_PIN].bytes = 0;
	v->m.quantity = LIVE_TX_COPY;
	check_says(v, "no events so far");
}

TEST(keys_choose_quantity_and_help)
{
	struct view *v = view__new(3);

	/* First the quantity that has a distribution in every mode. */
	assert_int_equal(v->m.quantity, LIVE_SEND_CALL);
	press(v, SCREEN_KEY_LEFT, 1);
	assert_int_equal(v->m.quantity, LIVE_QUANTITY_NR - 1);
	press(v, SCREEN_KEY_RIGHT, LIVE_QUANTITY_NR + 1);
	assert_int_equal(v->m.quantity, LIVE_SEND_CALL);
	press(v, SCREEN_KEY_RIGHT, 2);
	assert_int_equal(v->m.quantity, LIVE_CPU);
	press(v, '?', 1);
	check_says(v, "any key closes this");
	/* On the help page every key, including q, only closes it. */
	press(v, 'q', 1);
	check_silent(v, "any key closes this");
	press(v, SCREEN_KEY_OTHER, 3);
	assert_true(live_model__key(&v->m, 'q'));
}

TEST(keys_before_the_first_frame_do_nothing)
{
	struct view *v = view__new(0);

	v->m.now = NULL;
	press(v, 'p', 1);
	press(v, 'r', 1);
	check_says(v, "waiting for the first figures");
}

TEST(losses_and_phases_are_named)
{
	struct view *v = view__new(2);

	check_silent(v, "LOSSES");
	v->f->health.missed.value = 3;
	v->f->health.unmatched.value = 4;
	v->f->health.dropped = (struct num){.value = 9, .reason = "unknown: must not be said"};
	v->f->phase = LIVE_WARMUP;
	check_says(v, "LOSSES: 3 program runs missed, 4 unmatched\n");
	check_says(v, "one-copy: warm-up, nothing is counted yet");
}

TEST(answers_so_far_name_the_fastest_and_the_cheapest_mode)
{
	struct view *v = view__new(3);
	struct run_result *zc = run_of(v, MODE_ZEROCOPY);

	/* No round is over; one is too few to name a mode. */
	check_says(v, "zero-copy: NO, all copied   nothing missed   (so far)");
	v->f->fastest = v->f->cheapest =
		(struct ranking){.known = 3, .rounds = 1, .needed = 5, .early = true};
	check_says(v, "fastest: too early (1 of 5 rounds)");
	check_silent(v, "fastest two-copy");
	v->f->fastest = v->f->cheapest =
		(struct ranking){.known = 3, .rounds = 4, .best = MODE_TWOCOPY};
	v->f->fastest.ties[MODE_ONECOPY] = true;
	check_says(v, "zero-copy: NO, all copied   fastest two-copy or one-copy   cheapest two-copy"
		      "   nothing missed   (so far)");
	v->f->cheapest.all_tie = true;
	check_says(v, "cheapest: no difference shown");
	/* They are of all rounds, the table of what came after the reset. */
	press(v, 'r', 1);
	check_silent(v, "fastest");
	zc->app.zc.copied = zc->app.zc.completed / 4;
	zc->kernel_zc_known = false;
	check_says(v, "zero-copy: partly, 25 % copied");
	zc->app.zc.copied = 0;
	v->f->health.missed.known = false;
	check_says(v, "zero-copy: yes, none copied");
	v->f->modes[MODE_ZEROCOPY].mode = MODE_URINGZC;
	check_says(v, "io_uring zero-copy: yes, none copied");
	/* Reports of the kernel are no facts, unless the programs saw the copies. */
	zc->app.zc.copied = zc->app.zc.completed;
	check_says(v, "io_uring zero-copy: 100 % reported copied");
	zc->kernel_zc = zc->app.zc;
	zc->kernel_zc_known = true;
	check_says(v, "io_uring zero-copy: NO, all copied");
	check_silent(v, "nothing missed");
}

TEST(unknown_values_are_shown_as_n_a)
{
	struct view *v = view__new(2);
	struct stage_result *tx = &run_of(v, MODE_ONECOPY)->stages[NIO_STAGE_TX_COPY];

	v->m.quantity = LIVE_TX_COPY;
	tx->quality = QUALITY_UNAVAILABLE;
	tx->reason = "the probe could not be attached here";
	v->f->modes[0].seen = false;
	v->f->planned_ns = 0;
	check_says(v, "n/a: the probe could not be attached here");
	check_says(v, "  * copies/B without send other: not measured");
	check_says(v, "  two-copy  not run yet");
	check_says(v, "   3.0 s\n");
}

/* With the receiver on another machine the figure is the sender's, and rx_copy is not missing. */
TEST(remote_receiver_marks_copies_per_byte_as_of_the_sender)
{
	struct view *v = view__new(MODE_NR);

	for (int i = 0; i < MODE_NR; i++) {
		run_of(v, i)->sender_side = true;
		run_of(v, i)->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	}
	check_says(v, "  * copies/B of the sender's side without other");
	for (int i = 0; i < MODE_NR; i++)
		run_of(v, i)->stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_EXACT;
	check_says(v, "  copies/B of the sender's side\n");
	run_of(v, MODE_NR - 1)->stages[NIO_STAGE_RX_COPY].reason = "the round is not over";
	check_says(v, "  receive n/a: the round is not over\n");
}

TEST(splice_column_appears_with_spliced_bytes_only)
{
	struct view *v = view__new(1);

	check_silent(v, " splice ");
	run_of(v, MODE_TWOCOPY)->stages[NIO_STAGE_TX_SPLICE].bytes = 1;
	check_says(v, " splice ");
}

/* Modes with different events name them in their own column. */
TEST(different_events_are_named_per_mode)
{
	struct view *v = view__new(2);

	v->m.quantity = LIVE_TX_COPY;
	check_says(v, "send: bytes per send call");
	run_of(v, MODE_ONECOPY)->stages[NIO_STAGE_TX_COPY].event = "transmit";
	check_says(v, "send: bytes per event");
	check_says(v, "x transmit");
	check_says(v, "x send call");
}

TEST(colour_is_never_the_only_mark_of_a_mode)
{
	struct grid *g = grid__new(24, 80);
	struct view *v = view__new(3);
	unsigned int modes = 0;

	live_layout__draw(g, &v->m, true);
	for (int i = 0; i < 24 * 80; i++)
		modes |= 1u << (g->cells[i].attr & GRID_COLOUR_MASK);
	assert_int_equal(modes, 0xf);
	assert_true(g->cells[0].attr & GRID_REVERSE);
	grid__free(g);
}

TEST(grid_clips_text_at_its_edges)
{
	struct grid *g = grid__new(2, 10);
	char *text;

	assert_null(grid__new(0, 10));
	assert_null(grid__new(10, 1 << 20));
	grid__put(g, 0, 4, 3, GRID_PLAIN, "overlong");
	grid__put(g, 1, 6, 100, GRID_PLAIN, "to the edge");
	grid__put(g, 2, 0, 5, GRID_PLAIN, "below");
	grid__put(g, -1, -3, 5, GRID_PLAIN, "above");
	grid__put(g, 0, 0, -1, GRID_PLAIN, "no");
	grid__put_right(g, 1, 0, 4, GRID_PLAIN, "\033[");
	text = grid_text(g);
	assert_string_equal(text, "    ov~\n  ?[  to ~\n");
	free(text);
	grid__free(g);
}

TEST(line_has_the_figures_or_n_a)
{
	struct view *v = view__new(2);

	check_words(line_text(v->f),
		    "  3.0s one-copy 2/5  31.1 Gbit/s  send 3.89 GB/s  receive 3.89 GB/s"
		    "  CPU 256 ns/KiB  n/a switches/GiB  missed 0",
		    true);
	run_of(v, MODE_ONECOPY)->stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	v->f->health.missed.known = false;
	check_words(line_text(v->f), "receive n/a", true);
	check_words(line_text(v->f), "missed n/a", true);
	run_of(v, MODE_ONECOPY)->ledger_known = false;
	check_words(line_text(v->f), "ledger n/a", true);
	v->f->phase = LIVE_WARMUP;
	check_words(line_text(v->f), "  3.0s one-copy 2/5  warm-up, nothing is counted yet", true);
}

TEST(remote_receiver_leaves_costs_of_the_sender_in_line_and_live_view)
{
	struct view *v = view__new(1);
	struct run_result *run = run_of(v, MODE_TWOCOPY);

	run->sender_side = true;
	run->app.receiver_cpu_ns.known = false;
	run->perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES] = known(1000);
	check_words(line_text(v->f), "  of the sender: CPU 123 ns/KiB  1074 switches/GiB  missed 0",
		    true);
	check_says(v, "  sender's    CPU ns/KiB");
	check_says(v, "no hardware counters: virtual machine");
	check_says(v, "  two-copy           123          1074");
	run->perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(run->app.tx_bytes);
	check_words(line_text(v->f), "  of the sender: 1.00 cycles/B  1074 switches/GiB", true);
}
