/* SPDX-License-Identifier: GPL-2.0-only */
/* The live side of a run; see display.h. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "display.h"
#include "model/ledger.h"
#include "base/log.h"
#include "model/verdict.h"

static void open_view(struct display *d, bool quiet)
{
	int err;

	if (quiet)
		return;
	d->ops = &live_view_line;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
		err = live_view_curses.open(&d->view);
		if (!err) {
			d->ops = &live_view_curses;
			return;
		}
		log_info("no full-screen view: %s", strerror(-err));
	}
	if (d->ops->open(&d->view))
		d->ops = NULL;
}

static int view_fd(const struct display *d)
{
	return d->ops ? d->ops->fd(d->view) : -1;
}

/* A view with keys is one with a screen. */
static void connect_view(struct display *d, struct loop *loop)
{
	if (view_fd(d) < 0)
		return;
	d->loop = loop;
	loop__add(loop, view_fd(d));
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
	connect_view(d, loop);
}

void display__close(struct display *d)
{
	if (d->loop) {
		loop__remove(d->loop, view_fd(d));
		loop__take_pauses(d->loop, false);
		d->loop = NULL;
	}
	if (d->ops)
		d->ops->close(d->view);
	d->ops = NULL;
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
	return d->ops != NULL;
}

static void draw(struct display *d)
{
	if (d->ops)
		d->ops->draw(d->view, &d->frame);
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
	/* A line view has nothing to say of a phase in which nothing is counted. */
	if (d->ops == &live_view_curses)
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

	return d->ops != &live_view_line || since >= interval_ns - interval_ns / 8;
}

void display__update(struct display *d, const struct run_result *partial)
{
	size_t i = column_of(d, partial->mode);

	if (!d->ops || !partial->duration_ns)
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
	if (!d->ops)
		return 0;
	set_total(d, i, NULL);
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

/* No key counts after the last; and a terminal that is gone would be readable for ever. */
enum live_action display__input(struct display *d)
{
	enum live_action action = d->ops ? d->ops->input(d->view) : LIVE_NONE;

	if (action == LIVE_QUIT)
		loop__remove(d->loop, view_fd(d));
	return action;
}

bool display__signal(struct display *d, int signo)
{
	switch (signo) {
	case SIGWINCH:
		if (d->ops)
			d->ops->resize(d->view);
		return true;
	case SIGTSTP:
		d->ops->leave(d->view);
		loop__pause();
		d->ops->enter(d->view);
		return true;
	case SIGCONT: /* after a SIGSTOP, which cannot be seen coming */
		d->ops->enter(d->view);
		return true;
	default:
		return false;
	}
}
