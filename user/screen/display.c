/* SPDX-License-Identifier: GPL-2.0-only */
/* The live side of a run; see display.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "curses_screen.h"
#include "display.h"
#include "live_layout.h"
#include "model/ledger.h"
#include "base/log.h"
#include "model/verdict.h"

#define LINE_LEN 256

static void redraw(struct display *d)
{
	struct grid *g;

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
	const struct traffic *t = s->traffic;
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
		fprintf(stderr, "%s\n", live_line__format(line, sizeof(line), &d->frame));
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

/* A rate over less than this says more of when it was looked at than of the traffic. */
#define RATE_NS_MIN 20000000ULL

/* Rates over what was measured since the last update of this mode. */
static void update_rates(struct display *d, size_t i)
{
	struct live_mode *m = &d->frame.modes[i];
	const struct run_result *t = &m->total;
	double seconds = (t->duration_ns - d->last_ns[i]) / 1e9;

	if (t->duration_ns <= d->last_ns[i])
		return;
	/* What drains after the last update belongs to no interval of its own. */
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

static int set_total(struct display *d, size_t i, const struct run_result *partial)
{
	struct live_mode *m = &d->frame.modes[i];
	int err;

	run_result__clear(&m->total);
	run_result__init(&m->total);
	err = d->done[i].duration_ns ? ledger__add(&m->total, &d->done[i]) : 0;
	if (!err && partial)
		err = ledger__add(&m->total, partial);
	if (err)
		return err;
	ledger__close(&m->total, false);
	verdict__give(&m->total, d->frame.env);
	m->seen = true;
	d->frame.health = m->total.health;
	return 0;
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

	if (!display__shows(d) || !partial->duration_ns || set_total(d, i, partial) ||
	    !is_due(d, i, d->interval_ns))
		return;
	update_rates(d, i);
	sum_elapsed(&d->frame);
	draw(d);
}

int display__finish_round(struct display *d, const struct run_result *run)
{
	size_t i = column_of(d, run->mode);
	bool due;
	int err;

	if (!run->duration_ns)
		return 0;
	err = ledger__add(&d->done[i], run);
	/* No view shows stacks, and each sum would copy them. */
	profile__clear(&d->done[i].cpu.profile);
	if (err || !display__shows(d))
		return err;
	err = set_total(d, i, NULL);
	if (err)
		return err;
	/* The figures are those of the round, whatever short ones came behind it. */
	d->frame.phase = LIVE_RUNNING;
	/* A round has a line of its own, however short; not a second one for its last moment. */
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
