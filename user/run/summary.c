/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary of a result; see summary.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "model/ledger.h"
#include "model/perf_figures.h"
#include "model/verdict.h"
#include "summary.h"

static int spread_of(struct spread *spread, const struct result *res, enum mode mode,
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
	return 0;
}

static struct real copies_of(const struct run_result *r)
{
	return r->copies_per_byte;
}

static struct real cpu_of(const struct run_result *r)
{
	return perf_derive(r, DERIVED_CPU_NS_PER_KIB, perf_whose__here(r));
}

static int summarise_mode(struct result *res, const struct options *o, enum mode mode)
{
	struct mode_summary *s = &res->summary[res->summary_nr];
	unsigned int rounds = 0;
	int err;

	*s = (struct mode_summary){
		.mode = mode, .size = o->traffic.size, .threads = o->traffic.threads};
	run_result__init(&s->total);
	for (size_t i = 0; i < res->runs_nr; i++) {
		if (res->runs[i].mode != mode)
			continue;
		ledger__add(&s->total, &res->runs[i]);
		rounds++;
	}
	if (!rounds) {
		run_result__clear(&s->total);
		return 0;
	}
	s->rounds = rounds;
	ledger__close(&s->total, s->total.balance_known);
	verdict__give(&s->total, &res->env);
	res->summary_nr++;
	err = spread_of(&s->throughput_gbps, res, mode, run_result__gbps);
	if (!err)
		err = spread_of(&s->copies_per_byte, res, mode, copies_of);
	return err ? err : spread_of(&s->cpu_ns_per_kib, res, mode, cpu_of);
}

int summary__make(struct result *res, const struct options *o)
{
	int err = 0;

	for (size_t i = 0; i < o->modes_nr && !err; i++)
		err = summarise_mode(res, o, o->modes[i]);
	return err;
}
