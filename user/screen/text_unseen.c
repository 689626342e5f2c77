/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the end of a run says of hardware counters, and of what was not measured: each thing with
 * its reason in short; the whole reasons are among the details.
 */
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/remote.h"
#include "model/time_figures.h"
#include "model/uncovered.h"
#include "text_end.h"
#include "text_list.h"

#define UNSEEN_MAX 16
#define REASON_MAX 64

struct unseen {
	struct {
		const char *what;
		char reason[REASON_MAX];
	} list[UNSEEN_MAX];
	size_t nr;
};

/* In plural, as things that were not seen; NULL: of no interest, the load generator splices
 * nothing. */
static const char *const stage_names[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = "gather copies", [NIO_STAGE_TX_COPY] = "send copies",
	[NIO_STAGE_TX_PIN] = "pinned bytes",       [NIO_STAGE_DEFERRED_COPY] = "deferred copies",
	[NIO_STAGE_RX_COPY] = "receive copies",    [NIO_STAGE_OTHER_COPY] = "unexpected copies",
};

/* The first clause of a reason, without what names the thing again. */
static void shorten(char *buf, const char *reason)
{
	static const char *const leads[] = {"no hardware counters: "};
	size_t len;

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (!strncmp(reason, leads[i], strlen(leads[i])))
			reason += strlen(leads[i]);
	len = strcspn(reason, ";(");
	while (len && reason[len - 1] == ' ')
		len--;
	if (len < REASON_MAX)
		snprintf(buf, REASON_MAX, "%.*s", (int)len, reason);
	else
		snprintf(buf, REASON_MAX, "%.*s...", REASON_MAX - 4, reason);
}

static void add(struct unseen *u, const char *what, const char *reason)
{
	if (u->nr == UNSEEN_MAX)
		return;
	u->list[u->nr].what = what;
	shorten(u->list[u->nr].reason, reason ? reason : "the reason was not recorded");
	u->nr++;
}

/* Why a stage was not seen in a mode; NULL: it was. */
static const char *why_no_stage(const struct run_result *run, int s)
{
	const char *reason;

	if (!stage_names[s] || figures__stage_known(run, (enum nio_stage)s, &reason))
		return NULL;
	return remote__is_beyond(run, (enum nio_stage)s) ? REMOTE_REASON : reason;
}

static void add_stages(struct unseen *u, const struct result *r)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		const char *reason = NULL;

		for (size_t i = 0; i < r->summary_nr && !reason; i++)
			reason = why_no_stage(&r->summary[i].total, s);
		if (reason)
			add(u, stage_names[s], reason);
	}
}

static bool applies(const struct mode_summary *s, int k)
{
	return k != LATENCY_COMPLETION || mode__has(s->mode, MODE_PINS);
}

static void add_latencies(struct unseen *u, const struct result *r)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		const char *reason = NULL;

		if (!figures__shows_latency(r, (enum latency_kind)k))
			continue;
		for (size_t i = 0; i < r->summary_nr && !reason; i++) {
			const struct latency_result *l = &r->summary[i].total.app.latency[k];

			if (!l->hist && applies(&r->summary[i], k))
				reason = l->reason ? l->reason : "";
		}
		if (reason)
			add(u, latency__heading((enum latency_kind)k), *reason ? reason : NULL);
	}
}

/* The parts of a send call: unknown of every mode, all for one reason. */
static void add_parts(struct unseen *u, const struct result *r)
{
	struct real part = {.reason = NULL};

	for (size_t i = 0; i < r->summary_nr; i++) {
		for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
			part = time_figures__part(&r->summary[i].total, (enum path_part)p);
			if (part.known)
				return;
		}
	}
	if (r->summary[0].total.ledger_known)
		add(u, "parts of a send call", part.reason);
}

static void add_classes(struct unseen *u, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct cpu_result *c = &r->summary[i].total.cpu;

		if (c->known)
			continue;
		add(u, "CPU time by class", c->reason[0] ? c->reason : NULL);
		return;
	}
}

static struct real figure_of(const struct mode_summary *s, enum perf_derived d)
{
	return perf_derive(&s->total, d, perf_whose__here(&s->total));
}

static bool is_counted(const struct result *r, enum perf_derived d)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (figure_of(&r->summary[i], d).known)
			return true;
	return false;
}

static void add_counters(struct unseen *u, const struct result *r)
{
	if (!is_counted(r, DERIVED_CYCLES_PER_BYTE))
		add(u, "cycles", figure_of(&r->summary[0], DERIVED_CYCLES_PER_BYTE).reason);
	if (!is_counted(r, DERIVED_LLC_MISSES_PER_KIB))
		add(u, "cache misses",
		    figure_of(&r->summary[0], DERIVED_LLC_MISSES_PER_KIB).reason);
}

/* All things with the reason of the first of them that is not printed yet. */
static void say_group(FILE *f, struct unseen *u, size_t first)
{
	const char *reason = u->list[first].reason;

	for (size_t i = first; i < u->nr; i++) {
		if (!u->list[i].what || strcmp(u->list[i].reason, reason))
			continue;
		fprintf(f, "%s%s", i == first ? "" : ", ", u->list[i].what);
		u->list[i].what = NULL;
	}
	fprintf(f, " (%s)", reason);
}

static void say_uncovered(FILE *f, const struct run_result *run)
{
	char bytes[UNITS_BUF];

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			const struct nio_uncovered *n = &run->uncovered[side][kind];

			if (n->events)
				fprintf(f, "%s%s of %s by %s", side ? " " : "",
					format_bytes_si(bytes, sizeof(bytes), (double)n->bytes),
					mode__words(run->mode),
					uncovered__key((enum nio_uncovered_kind)kind));
		}
	}
}

static void say_figures(FILE *f, const struct result *r, enum perf_derived d)
{
	char cell[32];

	if (!is_counted(r, d))
		return;
	fprintf(f, "%s %s ", perf_derived__words(d), perf_derived__unit(d));
	for (size_t i = 0; i < r->summary_nr; i++) {
		struct real v = figure_of(&r->summary[i], d);

		snprintf(cell, sizeof(cell), v.known ? "%.3g" : "n/a", v.value);
		fprintf(f, "%s%s", i ? " / " : "", cell);
	}
}

/* Whose the figures are that stand beside each other. */
static void say_modes(FILE *f, const struct result *r)
{
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr; i++)
		fprintf(f, "%s%s", i ? " / " : "total of ", mode__words(r->summary[i].mode));
	if (r->summary_nr > 1)
		fputs(": ", f);
}

int text_counted__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	const struct text_list_form form = {
		.label = "COUNTED", .separator = ", ", .columns = columns, .lines = lines};
	struct text_list l;
	int err = text_list__begin(&l);

	if (err)
		return err;
	if (is_counted(r, DERIVED_CYCLES_PER_BYTE) || is_counted(r, DERIVED_LLC_MISSES_PER_KIB))
		say_modes(l.f, r);
	say_figures(l.f, r, DERIVED_CYCLES_PER_BYTE);
	text_list__next(&l);
	say_figures(l.f, r, DERIVED_LLC_MISSES_PER_KIB);
	text_list__next(&l);
	return text_list__end(&l, f, &form);
}

/* Returns whether there is anything. */
static bool say_unseen(struct text_list *l, const struct result *r)
{
	struct unseen u = {.nr = 0};
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		any |= uncovered__any(&r->summary[i].total);
		say_uncovered(l->f, &r->summary[i].total);
		text_list__next(l);
	}
	add_stages(&u, r);
	add_counters(&u, r);
	add_latencies(&u, r);
	add_classes(&u, r);
	add_parts(&u, r);
	for (size_t i = 0; i < u.nr; i++) {
		if (u.list[i].what)
			say_group(l->f, &u, i);
		text_list__next(l);
	}
	return any || u.nr;
}

int text_unseen__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines,
		       bool details)
{
	struct text_list_form form = {
		.label = "NOT SEEN",
		.separator = "; ",
		.end = details ? ". Try `netiotrace doctor`."
			       : ". Try `netiotrace doctor`; --details prints the rest.",
		.cut = "; and more (see --details).",
		.columns = columns,
		.lines = lines,
	};
	struct text_list l;
	int err = text_list__begin(&l);

	if (err)
		return err;
	if (!say_unseen(&l, r)) {
		form.label = "MORE";
		form.end = NULL;
		fputs(details ? "" : "--details prints stages, times and reasons.", l.f);
	}
	return text_list__end(&l, f, &form);
}
