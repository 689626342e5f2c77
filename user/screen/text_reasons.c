/* SPDX-License-Identifier: GPL-2.0-only */
/* The one list of what a run did not measure; see text_reasons.h. */
#include <string.h>

#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/remote.h"
#include "model/time_figures.h"
#include "text_reasons.h"

/* In plural, as things that were not seen. The load generator splices nothing. */
static const char *const stage_names[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = "gather copies",     [NIO_STAGE_TX_COPY] = "send copies",
	[NIO_STAGE_TX_PIN] = "pinned bytes",           [NIO_STAGE_RX_COPY] = "receive copies",
	[NIO_STAGE_DEFERRED_COPY] = "deferred copies", [NIO_STAGE_OTHER_COPY] = "unexpected copies",
};

static void add(struct text_reasons *l, const char *what, const char *reason)
{
	if (!reason || !*reason)
		reason = "the reason was not recorded";
	for (size_t i = 0; i < l->nr; i++)
		if (l->list[i].what == what && !strcmp(l->list[i].reason, reason))
			return;
	if (l->nr < TEXT_REASONS_MAX)
		l->list[l->nr++] = (struct text_reason){what, reason};
}

static void add_stage(struct text_reasons *l, const struct run_result *run, enum nio_stage stage)
{
	const char *reason = run->stages[stage].reason;

	if (stage != NIO_STAGE_TX_SPLICE && !figures__stage_known(run, stage, &reason))
		add(l, stage_names[stage], remote__is_beyond(run, stage) ? REMOTE_REASON : reason);
}

static void add_latencies(struct text_reasons *l, const struct result *r,
			  const struct run_result *run)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		const struct latency_result *latency = &run->app.latency[k];
		bool applies = k != LATENCY_COMPLETION || mode__has(run->mode, MODE_PINS);

		if (!latency->hist && figures__shows_latency(r, k) && applies &&
		    !latency__is_detail(k))
			add(l, latency__heading(k), latency->reason);
	}
}

static void add_parts(struct text_reasons *l, const struct run_result *run)
{
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		if (!run->ledger_known || time_figures__part(run, p).known)
			return;
	add(l, "parts of a send call", time_figures__part(run, PATH_SEND_TOTAL + 1).reason);
}

static void add_counter(struct text_reasons *l, const struct run_result *run, const char *what,
			enum perf_derived d)
{
	struct real v = perf_derive(run, d, perf_whose__here(run));

	if (!v.known)
		add(l, what, v.reason);
}

void text_reasons__collect(struct text_reasons *l, const struct result *r)
{
	l->nr = 0;
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		for (int s = 0; s < NIO_STAGE_NR; s++)
			add_stage(l, run, s);
		add_counter(l, run, "cycles", DERIVED_CYCLES_PER_BYTE);
		add_counter(l, run, "cache misses", DERIVED_LLC_MISSES_PER_KIB);
		add_latencies(l, r, run);
		if (!run->cpu.known)
			add(l, "CPU time by class", run->cpu.reason);
		add_parts(l, run);
	}
}

const struct text_reason *text_reasons__write(FILE *f, struct text_reasons *l)
{
	const struct text_reason *first = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		struct text_reason *r = &l->list[i];

		if (!r->what || (first && strcmp(r->reason, first->reason) != 0))
			continue;
		fprintf(f, "%s%s", first ? ", " : "", r->what);
		first = first ? first : r;
		r->what = NULL;
	}
	return first;
}
