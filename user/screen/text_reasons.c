/* SPDX-License-Identifier: GPL-2.0-only */
/* The one list of what a run did not measure, or not exactly; see text_reasons.h. */
#include <string.h>

#include "model/figures.h"
#include "model/perf_figures.h"
#include "probes/plan.h"
#include "model/remote.h"
#include "model/time_figures.h"
#include "text_end.h"
#include "text_note.h"
#include "text_reasons.h"

/* In plural, as things that were not seen. The load generator splices nothing: details only. */
static const char *const stage_names[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = "gather copies",    [NIO_STAGE_TX_COPY] = "send copies",
	[NIO_STAGE_TX_PIN] = "pinned bytes",          [NIO_STAGE_TX_SPLICE] = "spliced bytes",
	[NIO_STAGE_RX_COPY] = "receive copies",       [NIO_STAGE_DEFERRED_COPY] = "deferred copies",
	[NIO_STAGE_OTHER_COPY] = "unexpected copies",
};

static const char *const time_names[NIO_STAGE_NR] = {
#define X(id, key, head, ...) [NIO_STAGE_##id] = "time of " head,
	NIO_STAGES(X)
#undef X
};

static void add(struct text_reasons *l, const char *what, enum quality quality, const char *reason,
		unsigned int modes)
{
	if (!reason || !*reason)
		reason = "the reason was not recorded";
	for (size_t i = 0; i < l->nr; i++) {
		struct text_reason *r = &l->list[i];

		if (r->what == what && r->quality == quality && !strcmp(r->reason, reason)) {
			r->modes |= modes;
			return;
		}
	}
	if (l->nr < TEXT_REASONS_MAX)
		l->list[l->nr++] = (struct text_reason){what, reason, quality, modes};
}

static void add_unknown(struct text_reasons *l, const char *what, const char *reason,
			unsigned int modes)
{
	add(l, what, QUALITY_UNAVAILABLE, reason, modes);
}

static void add_stage(struct text_reasons *l, const struct run_result *run, enum nio_stage stage,
		      bool details, unsigned int mode)
{
	const struct stage_result *s = &run->stages[stage];
	const char *reason = s->reason;

	if (!details && stage == NIO_STAGE_TX_SPLICE)
		return;
	if (!figures__stage_known(run, stage, &reason))
		add_unknown(l, stage_names[stage],
			    remote__is_beyond(run, stage) ? REMOTE_REASON : reason, mode);
	else if (details && s->quality != QUALITY_EXACT && reason &&
		 reason != plan__by_construction)
		add(l, stage_names[stage], s->quality, reason, mode);
}

static void add_latencies(struct text_reasons *l, const struct result *r,
			  const struct run_result *run, bool details, unsigned int mode)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		const struct latency_result *latency = &run->app.latency[k];
		bool applies = k != LATENCY_COMPLETION || mode__has(run->mode, MODE_PINS);

		if (!latency->hist && figures__shows_latency(r, k) &&
		    (details || (applies && !latency__is_detail(k))))
			add_unknown(l, latency__heading(k), latency->reason, mode);
	}
}

/* If all parts of a send call are unknown for one reason, they are one thing. */
static void add_parts(struct text_reasons *l, const struct run_result *run, bool details,
		      unsigned int mode)
{
	const char *first = time_figures__part(run, PATH_SEND_TOTAL + 1).reason;
	unsigned int unknown = 0, same = 0;

	if (!run->ledger_known)
		return;
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
		struct real v = time_figures__part(run, p);

		unknown += !v.known;
		same += !v.known && first && !strcmp(v.reason, first);
	}
	if (unknown == PATH_NR - 1 && (same == unknown || !details)) {
		add_unknown(l, "parts of a send call", first, mode);
		return;
	}
	for (int p = PATH_SEND_TOTAL + 1; details && p < PATH_NR; p++)
		if (!time_figures__part(run, p).known)
			add_unknown(l, path_part__heading(p), time_figures__part(run, p).reason,
				    mode);
}

/* Only copying stages with known bytes have a time. */
static void add_time(struct text_reasons *l, const struct run_result *run, enum nio_stage stage,
		     unsigned int mode)
{
	struct real v = time_figures__per_kib(run, stage);
	const char *reason;

	if (stage__is_copy(stage) && figures__stage_known(run, stage, &reason) && !v.known)
		add_unknown(l, time_names[stage], v.reason, mode);
}

static void add_counter(struct text_reasons *l, const struct run_result *run, const char *what,
			enum perf_derived d, unsigned int mode)
{
	struct real v = perf_derive(run, d, perf_whose__here(run));

	if (!v.known)
		add_unknown(l, what, v.reason, mode);
}

static void add_counters(struct text_reasons *l, const struct run_result *run, unsigned int mode)
{
	add_counter(l, run, "CPU time", DERIVED_CPU_NS_PER_KIB, mode);
	for (int d = 0; d < DERIVED_NR; d++)
		if (perf_derived__shown(d, VISIBILITY_TEXT))
			add_counter(l, run, perf_derived__words(d), d, mode);
	for (size_t i = 0; i < run->perf_asked_nr; i++)
		if (!text_cost__asked(run, i).known)
			add_unknown(l, run->perf_asked[i].name, text_cost__asked(run, i).reason,
				    mode);
}

static void add_health(struct text_reasons *l, const struct health *h, unsigned int mode)
{
	if (!h->coverage.known && h->coverage.reason)
		add_unknown(l, "coverage", h->coverage.reason, mode);
	if (!h->missed.known && h->missed.reason)
		add_unknown(l, "events missed", h->missed.reason, mode);
	if (!h->dropped.known && h->dropped.reason)
		add_unknown(l, "events dropped", h->dropped.reason, mode);
	if (!h->unmatched.known && h->unmatched.reason)
		add_unknown(l, "events unmatched", h->unmatched.reason, mode);
}

static void add_mode(struct text_reasons *l, const struct result *r, size_t i, bool details)
{
	const struct run_result *run = &r->summary[i].total;
	unsigned int mode = 1u << i;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		add_stage(l, run, s, details, mode);
	if (details) {
		add_counters(l, run, mode);
	} else {
		add_counter(l, run, "cycles", DERIVED_CYCLES_PER_BYTE, mode);
		add_counter(l, run, "cache misses", DERIVED_LLC_MISSES_PER_KIB, mode);
	}
	add_latencies(l, r, run, details, mode);
	if (!run->cpu.known)
		add_unknown(l, "CPU time by class", run->cpu.reason, mode);
	add_parts(l, run, details, mode);
	for (int s = 0; details && s < NIO_STAGE_NR; s++)
		add_time(l, run, s, mode);
	if (details)
		add_health(l, &run->health, mode);
}

void text_reasons__collect(struct text_reasons *l, const struct result *r, bool details)
{
	l->nr = 0;
	for (size_t i = 0; i < r->summary_nr; i++)
		add_mode(l, r, i, details);
	for (size_t i = 0; i < l->nr && !details; i++)
		l->list[i].modes = 0;
}

const struct text_reason *text_reasons__write(FILE *f, struct text_reasons *l)
{
	const struct text_reason *first = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		struct text_reason *r = &l->list[i];

		if (!r->what ||
		    (first && (r->modes != first->modes || r->quality != first->quality ||
			       strcmp(r->reason, first->reason) != 0)))
			continue;
		fprintf(f, "%s%s", first ? ", " : "", r->what);
		first = first ? first : r;
		r->what = NULL;
	}
	return first;
}

/* The modes that have the reason, if not all have it. */
static void say_modes(FILE *f, const struct result *r, unsigned int modes)
{
	const char *lead = " (";

	if (modes == (1u << r->summary_nr) - 1)
		return;
	for (size_t i = 0; i < r->summary_nr; i++) {
		if (!(modes & 1u << i))
			continue;
		fprintf(f, "%s%s", lead, mode__words(r->summary[i].mode));
		lead = ", ";
	}
	fputc(')', f);
}

void text_reasons__print(FILE *f, const struct result *r, unsigned int columns)
{
	const struct text_reason *next;
	const char *label = "reasons";
	struct text_reasons l;

	text_reasons__collect(&l, r, true);
	do {
		struct text_note n;

		text_note__begin(&n);
		next = text_reasons__write(n.f, &l);
		if (next) {
			say_modes(n.f, r, next->modes);
			fprintf(n.f, " %s: %s",
				next->quality ? quality__name(next->quality) : "n/a", next->reason);
		}
		text_note__end(&n, f, columns, label);
		label = "";
	} while (next);
}
