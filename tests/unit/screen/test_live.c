/* SPDX-License-Identifier: GPL-2.0-only */
/* The live picture: its form as golden files, its behaviour under keys, and that nothing overflows.
 */
#include <stdlib.h>
#include <string.h>

#include "screen/live_layout.h"
#include "screen/live_line.h"

/* A test is linked with the programs' code alone: helpers are included. */
#include "support/fake_result.c"
#include "support/golden.c"
#include "support/test.h"

/* The text of a grid, blanks at the ends of lines left out. */
static char *dump(const struct grid *g)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int row, col, end;

	assert_non_null(f);
	for (row = 0; row < g->rows; row++) {
		end = g->cols;
		while (end && !strcmp(g->cells[row * g->cols + end - 1].text, " "))
			end--;
		for (col = 0; col < end; col++)
			fputs(g->cells[row * g->cols + col].text, f);
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static char *render(const struct view_model *m, int cols, int rows, bool utf8)
{
	struct grid *g = grid__new(rows, cols);
	char *text;

	assert_non_null(g);
	view_layout__draw(g, m, utf8);
	text = dump(g);
	grid__free(g);
	return text;
}

static void check_golden(const struct view_model *m, int cols, int rows, const char *name)
{
	char *text = render(m, cols, rows, true);

	golden__check(name, text);
	free(text);
}

static bool says(const struct view_model *m, const char *words)
{
	char *text = render(m, 120, 40, true);
	bool hit = strstr(text, words);

	free(text);
	return hit;
}

/* A model that has seen one frame of n modes. The frame itself is gone: the model must not care. */
static void model__open(struct view_model *m, size_t n)
{
	struct live_frame *f = fake_frame__new(n);

	memset(m, 0, sizeof(*m));
	assert_int_equal(view_model__frame(m, f), 0);
	fake_frame__free(f);
}

/* The same of a session in which times were taken. */
static void model__open_timed(struct view_model *m, size_t n)
{
	struct live_frame *f = fake_frame__new(n);

	memset(m, 0, sizeof(*m));
	fake_frame__trampoline(f);
	assert_int_equal(view_model__frame(m, f), 0);
	fake_frame__free(f);
}

static void press(struct view_model *m, enum view_key key, int times)
{
	while (times--)
		assert_int_equal(view_model__key(m, key), LIVE_NONE);
}

TEST(test_forms)
{
	struct view_model m;

	model__open(&m, 3);
	check_golden(&m, 80, 24, "view-3modes-80x24");
	check_golden(&m, 120, 40, "view-3modes-120x40");
	m.quantity = VIEW_TX_COPY;
	check_golden(&m, 80, 24, "view-tx-copy-80x24");
	check_golden(&m, 120, 40, "view-tx-copy-120x40");
	m.quantity = VIEW_CPU;
	check_golden(&m, 80, 24, "view-cpu-80x24");
	check_golden(&m, 120, 40, "view-cpu-120x40");
	m.quantity = VIEW_COMPLETION;
	check_golden(&m, 80, 24, "view-unavailable-80x24");
	check_golden(&m, 79, 23, "view-too-small-79x23");
	press(&m, VIEW_KEY_PAUSE, 1);
	check_golden(&m, 80, 24, "view-paused-80x24");
	press(&m, VIEW_KEY_HELP, 1);
	check_golden(&m, 80, 24, "view-help-80x24");
	view_model__clear(&m);
	model__open(&m, 1);
	m.quantity = VIEW_DELIVERY;
	check_golden(&m, 80, 24, "view-1mode-80x24");
	view_model__clear(&m);
	model__open_timed(&m, 3);
	m.quantity = VIEW_CALL_PARTS;
	check_golden(&m, 80, 24, "view-parts-80x24");
	check_golden(&m, 120, 40, "view-parts-120x40");
	m.quantity = VIEW_RX_COPY;
	press(&m, VIEW_KEY_TIMES, 1);
	check_golden(&m, 80, 24, "view-times-80x24");
	view_model__clear(&m);
}

TEST(test_ascii)
{
	struct view_model m;
	char *text, *p;

	model__open(&m, 3);
	m.quantity = VIEW_SEND_CALL;
	text = render(&m, 80, 24, false);
	assert_non_null(strstr(text, "####"));
	for (p = text; *p; p++)
		assert_true((unsigned char)*p < 0x80);
	free(text);
	view_model__clear(&m);
}

TEST(test_too_small_is_one_sentence)
{
	struct view_model m;
	int rows, cols;
	char *text;

	model__open(&m, 2);
	for (rows = 1; rows <= 24; rows++) {
		for (cols = 1; cols <= 80; cols += 7) {
			text = render(&m, cols, rows, true);
			assert_memory_equal(text, "terminal too small", cols < 18 ? cols - 1 : 18);
			assert_int_equal(strspn(strchr(text, '\n'), "\n"), rows);
			free(text);
		}
	}
	view_model__clear(&m);
}

/* Every quantity at every size: nothing may write outside its grid, and the keys stay in place. */
TEST(test_all_sizes)
{
	struct view_model m;
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
				m.quantity = (enum view_quantity)((rows + cols) % VIEW_QUANTITY_NR);
				text = render(&m, cols, rows, true);
				assert_non_null(strstr(text, "q quit   p pause"));
				assert_non_null(strstr(text, "copies/B Gbit/s"));
				free(text);
			}
		}
		view_model__clear(&m);
	}
}

TEST(test_parts_of_a_call)
{
	struct live_frame *f = fake_frame__new(2);
	struct view_model m = {.quantity = VIEW_CALL_PARTS};

	f->modes[0].seen = false;
	view_model__frame(&m, f);
	assert_true(says(&m, "not run yet"));
	assert_true(says(&m, "n/a: " FAKE_TIME_REASON));
	f->modes[0].seen = true;
	fake_frame__trampoline(f);
	view_model__frame(&m, f);
	assert_true(says(&m, "39.0%"));
	assert_true(says(&m, "gather 30.5ns send 76.4ns receive 86.3ns"));
	/* One part that nobody could see takes the rest of the call with it, not the others. */
	f->modes[0].total.path_ns[PATH_WAIT] = (struct num){.reason = "no hook"};
	view_model__frame(&m, f);
	assert_true(says(&m, "39.0%"));
	assert_true(says(&m, " n/a"));
	fake_frame__free(f);
	view_model__clear(&m);
}

/* Sampled after each round, so at first there is nothing; classes without a row are together. */
TEST(test_cpu_by_class)
{
	struct live_frame *f = fake_frame__new(2);
	struct view_model m = {.quantity = VIEW_CPU};
	char *text;

	cpu_time__none(&f->modes[0].total.cpu, "not measured");
	f->modes[0].running = true;
	view_model__frame(&m, f);
	assert_true(says(&m, "sampled after this round"));
	assert_true(says(&m, "2000 samples"));
	f->modes[0].running = false;
	cpu_time__none(&f->modes[0].total.cpu, "--no-cpu was given");
	view_model__frame(&m, f);
	assert_true(says(&m, "n/a: --no-cpu was given"));
	for (int c = 0; c < CPU_CLASS_NR; c++)
		f->modes[1].total.cpu.by[0].classes[c] = 100;
	f->modes[1].total.cpu.by[0].samples = 100 * CPU_CLASS_NR;
	view_model__frame(&m, f);
	assert_false(says(&m, "all others"));
	text = render(&m, 80, 24, true);
	assert_non_null(strstr(text, "all others"));
	assert_non_null(strstr(text, "receive copy"));
	free(text);
	fake_frame__free(f);
	view_model__clear(&m);
}

/* Times of what happened since the reset only. */
TEST(test_reset_of_times)
{
	struct live_frame *f = fake_frame__new(1);
	struct frame_copy shown;
	struct view_model m;
	struct run_result *run = &f->modes[0].total;

	fake_frame__trampoline(f);
	model__open_timed(&m, 1);
	press(&m, VIEW_KEY_RESET, 1);
	m.quantity = VIEW_CALL_PARTS;
	assert_true(says(&m, "n/a: no call was timed"));
	run->path_ns[PATH_COPY].value += 700;
	run->path_calls.value += 7;
	hist__add_bucket(run->stages[NIO_STAGE_RX_COPY].times, 100, 3);
	assert_int_equal(view_model__frame(&m, f), 0);
	assert_int_equal(view_model__shown(&m, &shown), 0);
	run = &shown.frame.modes[0].total;
	assert_int_equal(run->path_ns[PATH_COPY].value, 700);
	assert_int_equal(run->path_ns[PATH_LOCK].value, 0);
	assert_int_equal(run->path_calls.value, 7);
	assert_int_equal(run->stages[NIO_STAGE_RX_COPY].times->count, 3);
	frame_copy__clear(&shown);
	fake_frame__free(f);
	view_model__clear(&m);
}

TEST(test_pause_freezes)
{
	struct live_frame *f = fake_frame__new(3);
	struct view_model m;

	model__open(&m, 3);
	press(&m, VIEW_KEY_PAUSE, 1);
	f->elapsed_ns = 7000000000;
	assert_int_equal(view_model__frame(&m, f), 0);
	assert_true(says(&m, "PAUSED"));
	assert_true(says(&m, "3.0 of 10.0 s"));
	press(&m, VIEW_KEY_PAUSE, 1);
	assert_false(says(&m, "PAUSED"));
	assert_true(says(&m, "7.0 of 10.0 s"));
	fake_frame__free(f);
	view_model__clear(&m);
}

/* A reset hides what was before; what comes after is counted in full; the frame is not altered. */
TEST(test_reset_subtracts)
{
	struct live_frame *f = fake_frame__new(3);
	struct hist *calls = f->modes[0].total.app.latency[LATENCY_SEND_CALL].hist;
	struct frame_copy shown;
	struct view_model m;
	uint64_t before = calls->count;
	int i;

	model__open(&m, 3);
	m.quantity = VIEW_SEND_CALL;
	press(&m, VIEW_KEY_RESET, 1);
	assert_true(says(&m, "no events so far"));
	assert_true(says(&m, "counts since 3.0 s"));
	for (i = 0; i < 23; i++)
		hist__record(calls, 5000);
	f->modes[0].total.app.rx_bytes += 1000;
	f->modes[0].total.stages[NIO_STAGE_TX_COPY].bytes += 1500;
	assert_int_equal(view_model__frame(&m, f), 0);
	assert_true(says(&m, "twocopy  23 events"));
	assert_true(says(&m, "1.50"));
	assert_int_equal(view_model__shown(&m, &shown), 0);
	assert_int_equal(shown.frame.modes[0].total.app.latency[LATENCY_SEND_CALL].hist->sum,
			 23 * 5000);
	assert_int_equal(calls->count, before + 23);
	assert_int_equal(m.latest.frame.modes[0].total.app.latency[LATENCY_SEND_CALL].hist->count,
			 before + 23);
	frame_copy__clear(&shown);
	fake_frame__free(f);
	view_model__clear(&m);
}

/* A mode that joins after the reset is shown in full; counts below the baseline are 0, not huge. */
TEST(test_reset_edges)
{
	struct live_frame *late = fake_frame__new(3);
	struct frame_copy shown;
	struct view_model m;

	model__open(&m, 2);
	press(&m, VIEW_KEY_RESET, 1);
	late->modes[0].total.app.rx_bytes = 1;
	assert_int_equal(view_model__frame(&m, late), 0);
	assert_int_equal(view_model__shown(&m, &shown), 0);
	assert_int_equal(shown.frame.modes[0].total.app.rx_bytes, 0);
	assert_int_equal(shown.frame.modes[2].total.app.rx_bytes,
			 late->modes[2].total.app.rx_bytes);
	frame_copy__clear(&shown);
	fake_frame__free(late);
	view_model__clear(&m);
}

/* A column without events says why where the mode has none. */
TEST(test_columns_of_other_modes)
{
	struct view_model m;
	struct live_mode *zc;

	model__open(&m, 3);
	zc = &m.latest.frame.modes[2];
	assert_int_equal(zc->mode, MODE_ZEROCOPY);
	m.quantity = VIEW_TX_COPY;
	assert_true(says(&m, "its pages are"));
	m.quantity = VIEW_TX_PIN;
	assert_true(says(&m, "this mode copies at"));
	/* Nothing was sent yet: nothing is known of it. */
	zc->total.stages[NIO_STAGE_TX_PIN].bytes = 0;
	m.quantity = VIEW_TX_COPY;
	assert_true(says(&m, "no events so far"));
	view_model__clear(&m);
}

TEST(test_keys)
{
	struct view_model m;

	model__open(&m, 3);
	/* First what is a distribution in every mode. */
	assert_int_equal(m.quantity, VIEW_SEND_CALL);
	press(&m, VIEW_KEY_LEFT, 1);
	assert_int_equal(m.quantity, VIEW_QUANTITY_NR - 1);
	press(&m, VIEW_KEY_RIGHT, VIEW_QUANTITY_NR + 1);
	assert_int_equal(m.quantity, VIEW_SEND_CALL);
	press(&m, VIEW_KEY_RIGHT, 2);
	assert_int_equal(m.quantity, VIEW_CPU);
	press(&m, VIEW_KEY_HELP, 1);
	assert_true(says(&m, "any key closes this"));
	/* Under the help page any key only closes it: q, too. */
	press(&m, VIEW_KEY_QUIT, 1);
	assert_false(says(&m, "any key closes this"));
	press(&m, VIEW_KEY_OTHER, 3);
	assert_int_equal(view_model__key(&m, VIEW_KEY_QUIT), LIVE_QUIT);
	view_model__clear(&m);
}

/* Keys before the first frame have nothing to act on. */
TEST(test_before_the_first_frame)
{
	struct view_model m = {.help = false};

	press(&m, VIEW_KEY_PAUSE, 1);
	press(&m, VIEW_KEY_RESET, 1);
	assert_true(says(&m, "waiting for the first figures"));
	view_model__clear(&m);
}

TEST(test_losses_and_phases)
{
	struct live_frame *f = fake_frame__new(2);
	struct view_model m = {.help = false};

	view_model__frame(&m, f);
	assert_false(says(&m, "LOSSES"));
	f->health.missed.value = 3;
	f->health.unmatched.value = 4;
	f->health.dropped = (struct num){.value = 9, .reason = "unknown: must not be said"};
	f->phase = LIVE_WARMUP;
	view_model__frame(&m, f);
	assert_true(says(&m, "LOSSES: 3 program runs missed, 4 unmatched\n"));
	assert_true(says(&m, "WARM-UP of onecopy: nothing is counted yet"));
	fake_frame__free(f);
	view_model__clear(&m);
}

TEST(test_unknown_is_not_zero)
{
	struct live_frame *f = fake_frame__new(2);
	struct stage_result *tx = &f->modes[1].total.stages[NIO_STAGE_TX_COPY];
	struct view_model m = {.quantity = VIEW_TX_COPY};

	tx->quality = QUALITY_UNAVAILABLE;
	tx->reason = "the probe could not be attached here";
	f->modes[0].seen = false;
	f->planned_ns = 0;
	view_model__frame(&m, f);
	assert_true(says(&m, "n/a: the probe could not be attached here"));
	assert_true(says(&m, "  * copies/B is without send other: not measured"));
	assert_true(says(&m, "  twocopy   not run yet") || says(&m, "twocopy     not run yet"));
	assert_true(says(&m, "   3.0 s\n"));
	fake_frame__free(f);
	view_model__clear(&m);
}

/* With the receiver on another machine the figure is the sender's, and rx_copy is not lacking. */
TEST(test_sender_side_is_said)
{
	struct view_model m;
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
	view_model__clear(&m);
}

TEST(test_splice_column_when_used)
{
	struct live_frame *f = fake_frame__new(1);
	struct view_model m = {.help = false};

	view_model__frame(&m, f);
	assert_false(says(&m, " splice "));
	f->modes[0].total.stages[NIO_STAGE_TX_SPLICE].bytes = 1;
	view_model__frame(&m, f);
	assert_true(says(&m, " splice "));
	fake_frame__free(f);
	view_model__clear(&m);
}

/* Modes whose events differ in kind say so in their own column. */
TEST(test_event_of_each_mode)
{
	struct live_frame *f = fake_frame__new(2);
	struct view_model m = {.quantity = VIEW_TX_COPY};

	view_model__frame(&m, f);
	assert_true(says(&m, "send: bytes per send call"));
	f->modes[1].total.stages[NIO_STAGE_TX_COPY].event = "transmit";
	view_model__frame(&m, f);
	assert_true(says(&m, "send: bytes per event"));
	assert_true(says(&m, "x transmit"));
	fake_frame__free(f);
	view_model__clear(&m);
}

TEST(test_colour_never_alone)
{
	struct grid *g = grid__new(24, 80);
	struct view_model m;
	unsigned int modes = 0;
	int i;

	model__open(&m, 3);
	view_layout__draw(g, &m, true);
	for (i = 0; i < 24 * 80; i++)
		modes |= 1u << (g->cells[i].attr & GRID_COLOUR_MASK);
	assert_int_equal(modes, 0xf);
	assert_true(g->cells[0].attr & GRID_REVERSE);
	view_model__clear(&m);
	grid__free(g);
}

TEST(test_grid_clips)
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
	text = dump(g);
	assert_string_equal(text, "    ov~\n  ?[  to ~\n");
	free(text);
	grid__free(g);
}

TEST(test_line)
{
	struct live_frame *f = fake_frame__new(2);
	char line[256], tiny[8];

	assert_string_equal(view_line__format(line, sizeof(line), f),
			    "  3.0s onecopy 2/5  31.1 Gbit/s  send 3.89 GB/s  receive 3.89 GB/s"
			    "  CPU 256 ns/KiB  n/a switches/GiB  missed 0");
	f->modes[1].total.stages[NIO_STAGE_RX_COPY].quality = QUALITY_UNAVAILABLE;
	f->health.missed.known = false;
	assert_non_null(strstr(view_line__format(line, sizeof(line), f), "receive n/a"));
	assert_non_null(strstr(line, "missed n/a"));
	f->modes[1].total.ledger_known = false;
	assert_non_null(strstr(view_line__format(line, sizeof(line), f), "ledger n/a"));
	f->phase = LIVE_WARMUP;
	assert_string_equal(view_line__format(line, sizeof(line), f),
			    "  3.0s onecopy 2/5  warm-up: nothing is counted yet");
	assert_string_equal(view_line__format(tiny, sizeof(tiny), f), "  3.0s ");
	fake_frame__free(f);
}
