/* SPDX-License-Identifier: GPL-2.0-only */
/* The live side of a run; see display.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "curses_screen.h"
#include "display.h"
#include "live_layout.h"
#include "model/figures.h"
#include "model/ledger.h"
#include "model/verdict.h"

/* The copies every mode makes are always named; other stages when bytes pass through them. */
static bool stage_is_named(const struct live_mode *m, enum nio_stage stage)
{
	return stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_RX_COPY ||
	       (m->total.stages[stage].quality != QUALITY_UNAVAILABLE && m->stage_rate[stage] > 0);
}

static void print_stages(FILE *out, const struct live_mode *m)
{
	char rate[UNITS_BUF];
	const char *reason;

	if (!m->total.ledger_known) {
		fputs("  ledger n/a", out);
		return;
	}
	for (int i = 0; i < NIO_STAGE_NR; i++) {
		if (!stage_is_named(m, i))
			continue;
		if (!figures__stage_known(&m->total, i, &reason) || !isfinite(m->stage_rate[i]))
			fprintf(out, "  %s n/a", stage__heading(i));
		else
			fprintf(out, "  %s %s/s", stage__heading(i),
				format_bytes_si(rate, sizeof(rate), m->stage_rate[i]));
	}
}

/* Cycles where they are counted, else CPU time. */
static void print_cost(FILE *out, const struct live_mode *m)
{
	bool sender = perf_whose__here(&m->total) == PERF_OF_SENDER;
	char figure[32];

	fputs(sender ? "  of the sender: " : "  ", out);
	if (live_layout__figure(m, DERIVED_CYCLES_PER_BYTE).known)
		fprintf(out, "%s cycles/B",
			live_layout__cost(figure, sizeof(figure),
					  live_layout__figure(m, DERIVED_CYCLES_PER_BYTE)));
	else
		fprintf(out, "CPU %s ns/KiB",
			live_layout__cost(figure, sizeof(figure),
					  live_layout__figure(m, DERIVED_CPU_NS_PER_KIB)));
	fprintf(out, "  %s switches/GiB",
		live_layout__cost(figure, sizeof(figure),
				  live_layout__figure(m, DERIVED_CONTEXT_SWITCHES_PER_GIB)));
}

void display__line(FILE *out, const struct live_frame *f)
{
	const struct live_mode *m = live_layout__running(f);
	const struct num *missed = &f->health.missed, *dropped = &f->health.dropped;

	fprintf(out, "%5.1fs", (double)f->elapsed_ns / 1e9);
	if (m)
		fprintf(out, " %s", mode__words(m->mode));
	if (f->rounds)
		fprintf(out, " %u/%u", f->round, f->rounds);
	if (f->phase != LIVE_RUNNING || !m || !m->seen) {
		fprintf(out, "  %s", live_layout__phase(f->phase));
		return;
	}
	fprintf(out, isfinite(m->gbps) ? "  %.1f Gbit/s" : "  n/a Gbit/s", m->gbps);
	print_stages(out, m);
	print_cost(out, m);
	if (missed->known)
		fprintf(out, "  missed %" PRIu64, missed->value);
	else
		fputs("  missed n/a", out);
	if (dropped->known && dropped->value)
		fprintf(out, "  dropped %" PRIu64, dropped->value);
}

static void draw_screen(void *arg, struct grid *g, bool utf8)
{
	struct display *d = arg;

	live_layout__draw(g, &d->model, utf8);
}

void display__open(struct display *d, const struct display_settings *s, struct loop *loop)
{
	const struct workload *t = s->workload;
	struct live_frame *f = &d->frame;
	int err;

	memset(d, 0, sizeof(*d));
	d->interval_ns = s->interval_ns;
	d->result = s->result;
	f->version = NETIOTRACE_VERSION;
	f->env = &s->result->env;
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
	if (s->quiet)
		return;
	d->loop = loop;
	err = curses_screen__open(loop, draw_screen, d);
	d->kind = err ? DISPLAY_LINES : DISPLAY_SCREEN;
	if (err && err != -ENOTTY)
		log_info("no full-screen view: %s", strerror(-err));
}

void display__close(struct display *d)
{
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
	char *line;
	size_t len;
	FILE *f;

	d->model.now = &d->frame;
	curses_screen__draw();
	if (d->kind != DISPLAY_LINES)
		return;
	f = xopen_memstream(&line, &len);
	display__line(f, &d->frame);
	xclose_memstream(f);
	fprintf(stderr, "%s\n", line);
	free(line);
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
	d->frame.elapsed_ns = 0;
	for (size_t k = 0; k < d->frame.modes_nr; k++)
		d->frame.elapsed_ns += d->frame.modes[k].total.duration_ns;
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
	draw(d);
}

void display__finish_round(struct display *d, const struct run_result *run)
{
	size_t i = column_of(d, run->mode);
	bool due;

	if (!run->duration_ns)
		return;
	ledger__add(&d->done[i], run);
	/* No view shows stacks, and each sum would copy them. */
	profile__clear(&d->done[i].cpu.profile);
	if (!display__shows(d))
		return;
	d->frame.fastest = figures__ranking(d->result, run_result__gbps, false, true);
	d->frame.cheapest = figures__cheapest(d->result);
	set_total(d, i, NULL);
	/* The figures are of the round, not of the auxiliary rounds after it. */
	d->frame.phase = LIVE_RUNNING;
	/* A round has at least one line, and no second one for its last moment. */
	due = is_due(d, i, run->duration_ns < d->interval_ns ? 0 : d->interval_ns / 2);
	update_rates(d, i);
	if (due)
		draw(d);
	d->frame.modes[i].running = false;
}

/* No key counts after q; a terminal that is gone would be readable forever. */
bool display__input(struct display *d)
{
	bool over = false;
	int key;

	if (d->kind != DISPLAY_SCREEN)
		return false;
	while (!over && (key = curses_screen__key()) != SCREEN_KEY_NONE)
		over = live_model__key(&d->model, key);
	if (over)
		loop__remove(d->loop, STDIN_FILENO);
	curses_screen__draw();
	return over;
}
