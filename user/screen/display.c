/* SPDX-License-Identifier: GPL-2.0-only */
/* The live side of a run; see display.h. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "common/units.h"
#include "curses_screen.h"
#include "display.h"
#include "live_layout.h"
#include "model/figures.h"
#include "model/ledger.h"
#include "model/perf_figures.h"
#include "model/verdict.h"

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t len, const char *fmt,
							 ...)
{
	size_t used = strlen(buf);
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf + used, len - used, fmt, args);
	va_end(args);
}

static const struct live_mode *mode_under_way(const struct live_frame *f)
{
	size_t i;

	for (i = 0; i < f->modes_nr && i < MODE_NR; i++)
		if (f->modes[i].running)
			return &f->modes[i];
	return NULL;
}

/* The copies every mode makes are always named; other stages when bytes pass through them. */
static bool stage_is_named(const struct live_mode *m, enum nio_stage stage)
{
	return stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_RX_COPY ||
	       (m->total.stages[stage].quality != QUALITY_UNAVAILABLE && m->stage_rate[stage] > 0);
}

static void append_stages(char *buf, size_t len, const struct live_mode *m)
{
	char rate[UNITS_BUF];
	const char *reason;
	int i;

	if (!m->total.ledger_known) {
		append(buf, len, "  ledger n/a");
		return;
	}
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!stage_is_named(m, i))
			continue;
		if (!figures__stage_known(&m->total, i, &reason) || !isfinite(m->stage_rate[i]))
			append(buf, len, "  %s n/a", stage__heading(i));
		else
			append(buf, len, "  %s %s/s", stage__heading(i),
			       format_bytes_si(rate, sizeof(rate), m->stage_rate[i]));
	}
}

/* Cycles where they are counted, else CPU time; of the sides that are here together. */
static void append_cost(char *buf, size_t len, const struct live_mode *m)
{
	enum perf_whose whose = perf_whose__here(&m->total);
	struct real cycles = perf_derive(&m->total, DERIVED_CYCLES_PER_BYTE, whose);
	struct real cpu = perf_derive(&m->total, DERIVED_CPU_NS_PER_KIB, whose);
	struct real switches = perf_derive(&m->total, DERIVED_CONTEXT_SWITCHES_PER_GIB, whose);
	char figure[32];

	append(buf, len, whose == PERF_OF_SENDER ? "  of the sender: " : "  ");
	if (cycles.known)
		append(buf, len, "%s cycles/B", live_layout__cost(figure, sizeof(figure), cycles));
	else
		append(buf, len, "CPU %s ns/KiB", live_layout__cost(figure, sizeof(figure), cpu));
	append(buf, len, "  %s switches/GiB", live_layout__cost(figure, sizeof(figure), switches));
}

static void append_running(char *buf, size_t len, const struct live_frame *f,
			   const struct live_mode *m)
{
	const struct num *missed = &f->health.missed;

	if (isfinite(m->gbps))
		append(buf, len, "  %.1f Gbit/s", m->gbps);
	else
		append(buf, len, "  n/a Gbit/s");
	append_stages(buf, len, m);
	append_cost(buf, len, m);
	if (missed->known)
		append(buf, len, "  missed %llu", (unsigned long long)missed->value);
	else
		append(buf, len, "  missed n/a");
	if (f->health.dropped.known && f->health.dropped.value)
		append(buf, len, "  dropped %llu", (unsigned long long)f->health.dropped.value);
}

char *display__line(char *buf, size_t len, const struct live_frame *f)
{
	static const char *const phases[] = {
		[LIVE_STARTING] = "starting",
		[LIVE_WARMUP] = "warm-up: nothing is counted yet",
		[LIVE_RUNNING] = "running",
		[LIVE_SAMPLING] = "sampling where CPU time goes",
		[LIVE_TIMING] = "timing the parts of send calls",
		[LIVE_DRAINING] = "draining: waiting for what is in flight",
		[LIVE_DONE] = "done",
	};
	const struct live_mode *m = mode_under_way(f);

	snprintf(buf, len, "%5.1fs", (double)f->elapsed_ns / 1e9);
	if (m)
		append(buf, len, " %s", mode__words(m->mode));
	if (f->rounds)
		append(buf, len, " %u/%u", f->round, f->rounds);
	if (f->phase == LIVE_RUNNING && m && m->seen)
		append_running(buf, len, f, m);
	else
		append(buf, len, "  %s", phases[f->phase]);
	return buf;
}

#define LINE_LEN 256

static void redraw(struct display *d)
{
	struct sweep_grid *g;

	if (d->kind != DISPLAY_SCREEN)
		return;
	g = curses_screen__grid();
	live_layout__draw(g, &d->model, curses_screen__utf8());
	curses_screen__show(g);
}

static void open_view(struct display *d, bool quiet)
{
	int err;

	if (quiet)
		return;
	d->kind = DISPLAY_LINES;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return;
	err = curses_screen__open();
	if (err)
		log_info("no full-screen view: %s", strerror(-err));
	else
		d->kind = DISPLAY_SCREEN;
}

static void connect_keys(struct display *d, struct loop *loop)
{
	if (d->kind != DISPLAY_SCREEN)
		return;
	d->loop = loop;
	loop__add(loop, STDIN_FILENO);
	loop__take_pauses(loop, true);
}

void display__open(struct display *d, const struct display_settings *s, struct loop *loop)
{
	const struct workload *t = s->traffic;
	struct live_frame *f = &d->frame;

	memset(d, 0, sizeof(*d));
	d->interval_ns = s->interval_ns;
	f->version = NETIOTRACE_VERSION;
	f->env = s->env;
	f->backend = s->backend;
	f->size = t->size;
	f->fields = t->fields;
	f->threads = t->threads;
	f->rounds = t->rounds;
	f->planned_ns = t->duration_ns * s->modes_nr;
	f->modes_nr = s->modes_nr;
	for (size_t i = 0; i < s->modes_nr; i++) {
		f->modes[i].mode = s->modes[i];
		run_result__init(&f->modes[i].total);
		run_result__init(&d->done[i]);
	}
	open_view(d, s->quiet);
	connect_keys(d, loop);
	redraw(d);
}

void display__close(struct display *d)
{
	if (d->loop) {
		loop__remove(d->loop, STDIN_FILENO);
		loop__take_pauses(d->loop, false);
		d->loop = NULL;
	}
	if (d->kind == DISPLAY_SCREEN)
		curses_screen__close();
	live_model__clear(&d->model);
	d->kind = DISPLAY_NONE;
}

void display__clear(struct display *d)
{
	display__close(d);
	for (size_t i = 0; i < d->frame.modes_nr; i++) {
		run_result__clear(&d->frame.modes[i].total);
		run_result__clear(&d->done[i]);
	}
}

bool display__shows(const struct display *d)
{
	return d->kind != DISPLAY_NONE;
}

static void draw(struct display *d)
{
	char line[LINE_LEN];

	if (d->kind == DISPLAY_SCREEN) {
		live_model__frame(&d->model, &d->frame);
		redraw(d);
	} else if (d->kind == DISPLAY_LINES) {
		fprintf(stderr, "%s\n", display__line(line, sizeof(line), &d->frame));
	}
}

static size_t column_of(const struct display *d, enum mode mode)
{
	size_t i = 0;

	while (i + 1 < d->frame.modes_nr && d->frame.modes[i].mode != mode)
		i++;
	return i;
}

void display__round(struct display *d, enum mode mode, unsigned int round, unsigned int probes)
{
	d->frame.round = round;
	d->frame.probes = probes;
	for (size_t i = 0; i < d->frame.modes_nr; i++)
		d->frame.modes[i].running = d->frame.modes[i].mode == mode;
}

void display__phase(struct display *d, enum live_phase phase)
{
	d->frame.phase = phase;
	/* Phases in which nothing is counted have no line. */
	if (d->kind == DISPLAY_SCREEN)
		draw(d);
}

/* Below this interval a rate depends on the moment of reading more than on the traffic. */
#define RATE_NS_MIN 20000000ULL

/* Rates since the last update of this mode. */
static void update_rates(struct display *d, size_t i)
{
	struct live_mode *m = &d->frame.modes[i];
	const struct run_result *t = &m->total;
	double seconds = (t->duration_ns - d->last_ns[i]) / 1e9;

	if (t->duration_ns <= d->last_ns[i])
		return;
	/* Bytes that drain after the last update have no interval. */
	if (d->last_ns[i] && t->duration_ns - d->last_ns[i] < RATE_NS_MIN)
		return;
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		m->stage_rate[s] = (t->stages[s].bytes - d->last_bytes[i][s]) / seconds;
		d->last_bytes[i][s] = t->stages[s].bytes;
	}
	m->gbps = ((double)run_result__delivered(t) - (double)d->last_rx[i]) * 8 / seconds / 1e9;
	d->last_rx[i] = run_result__delivered(t);
	d->last_ns[i] = t->duration_ns;
	d->frame.interval_s = seconds;
}

static void sum_elapsed(struct live_frame *f)
{
	f->elapsed_ns = 0;
	for (size_t i = 0; i < f->modes_nr; i++)
		f->elapsed_ns += f->modes[i].total.duration_ns;
}

static void set_total(struct display *d, size_t i, const struct run_result *partial)
{
	struct live_mode *m = &d->frame.modes[i];

	run_result__clear(&m->total);
	run_result__init(&m->total);
	if (d->done[i].duration_ns)
		ledger__add(&m->total, &d->done[i]);
	if (partial)
		ledger__add(&m->total, partial);
	ledger__close(&m->total, false);
	verdict__give(&m->total, d->frame.env);
	m->seen = true;
	d->frame.health = m->total.health;
}

/*
 * A screen is drawn at once, as soon as there is anything to see; lines stay, and each is of an
 * interval of its mode, give or take what a timer does.
 */
static bool is_due(const struct display *d, size_t i, uint64_t interval_ns)
{
	uint64_t since = d->frame.modes[i].total.duration_ns - d->last_ns[i];

	return d->kind != DISPLAY_LINES || since >= interval_ns - interval_ns / 8;
}

void display__update(struct display *d, const struct run_result *partial)
{
	size_t i = column_of(d, partial->mode);

	if (!display__shows(d) || !partial->duration_ns)
		return;
	set_total(d, i, partial);
	if (!is_due(d, i, d->interval_ns))
		return;
	update_rates(d, i);
	sum_elapsed(&d->frame);
	draw(d);
}

int display__finish_round(struct display *d, const struct run_result *run)
{
	size_t i = column_of(d, run->mode);
	bool due;

	if (!run->duration_ns)
		return 0;
	ledger__add(&d->done[i], run);
	/* No view shows stacks, and each sum would copy them. */
	profile__clear(&d->done[i].cpu.profile);
	if (!display__shows(d))
		return 0;
	set_total(d, i, NULL);
	/* The figures are of the round, not of the auxiliary rounds after it. */
	d->frame.phase = LIVE_RUNNING;
	/* A round has at least one line, and no second one for its last moment. */
	due = is_due(d, i, run->duration_ns < d->interval_ns ? 0 : d->interval_ns / 2);
	update_rates(d, i);
	sum_elapsed(&d->frame);
	if (due)
		draw(d);
	d->frame.modes[i].running = false;
	return 0;
}

static enum live_key live_key_of(int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return LIVE_KEY_QUIT;
	case 'p':
	case 'P':
	case ' ':
		return LIVE_KEY_PAUSE;
	case 'r':
	case 'R':
		return LIVE_KEY_RESET;
	case 't':
	case 'T':
		return LIVE_KEY_TIMES;
	case '?':
		return LIVE_KEY_HELP;
	case SCREEN_KEY_LEFT:
		return LIVE_KEY_LEFT;
	case SCREEN_KEY_RIGHT:
		return LIVE_KEY_RIGHT;
	default:
		return LIVE_KEY_OTHER;
	}
}

/* No key counts after q; a terminal that is gone would be readable forever. */
enum live_action display__input(struct display *d)
{
	enum live_action action = LIVE_NONE;
	int key;

	if (d->kind != DISPLAY_SCREEN)
		return LIVE_NONE;
	while (action == LIVE_NONE && (key = curses_screen__key()) != SCREEN_KEY_NONE)
		action = live_model__key(&d->model, live_key_of(key));
	if (action == LIVE_QUIT)
		loop__remove(d->loop, STDIN_FILENO);
	redraw(d);
	return action;
}

static void return_to_screen(struct display *d)
{
	curses_screen__enter();
	redraw(d);
}

bool display__signal(struct display *d, int signo)
{
	switch (signo) {
	case SIGWINCH:
		if (d->kind == DISPLAY_SCREEN) {
			curses_screen__resize();
			redraw(d);
		}
		return true;
	case SIGTSTP:
		curses_screen__leave();
		loop__pause();
		return_to_screen(d);
		return true;
	case SIGCONT: /* after a SIGSTOP, which cannot be caught */
		return_to_screen(d);
		return true;
	default:
		return false;
	}
}
