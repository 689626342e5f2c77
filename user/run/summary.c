/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary of a result; see summary.h. */
#include <stdlib.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "model/ledger.h"
#include "model/perf_figures.h"
#include "model/verdict.h"
#include "summary.h"

static void spread_of(struct spread *spread, const struct result *res, enum mode mode,
		      struct real (*value)(const struct run_result *r))
{
	double *values = xcalloc(res->runs_nr, sizeof(*values));
	size_t n = 0;

	for (size_t i = 0; i < res->runs_nr; i++) {
		struct real v = value(&res->runs[i]);

		if (res->runs[i].mode == mode && v.known)
			values[n++] = v.value;
	}
	*spread = stats__spread(values, n);
	free(values);
}

static struct real copies_of(const struct run_result *r)
{
	return r->copies_per_byte;
}

static struct real cpu_of(const struct run_result *r)
{
	return perf_derive(r, DERIVED_CPU_NS_PER_KIB, perf_whose__here(r));
}

static void summarise_mode(struct result *res, const struct options *o, enum mode mode)
{
	struct mode_summary *s = &res->summary[res->summary_nr];

	*s = (struct mode_summary){
		.mode = mode, .size = o->traffic.size, .threads = o->traffic.threads};
	run_result__init(&s->total);
	for (size_t i = 0; i < res->runs_nr; i++) {
		if (res->runs[i].mode != mode)
			continue;
		ledger__add(&s->total, &res->runs[i]);
		s->rounds++;
	}
	if (!s->rounds) {
		run_result__clear(&s->total);
		return;
	}
	ledger__close(&s->total, s->total.balance_known);
	verdict__give(&s->total, &res->env);
	res->summary_nr++;
	spread_of(&s->throughput_gbps, res, mode, run_result__gbps);
	spread_of(&s->copies_per_byte, res, mode, copies_of);
	spread_of(&s->cpu_ns_per_kib, res, mode, cpu_of);
}

void summary__make(struct result *res, const struct options *o)
{
	for (size_t i = 0; i < o->modes_nr; i++)
		summarise_mode(res, o, o->modes[i]);
}
