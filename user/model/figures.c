/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures shared by the live views and the final text: see figures.h. Pure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "figures.h"
#include "perf_figures.h"
#include "rounds.h"

bool figures__stage_known(const struct run_result *run, enum nio_stage stage, const char **reason)
{
	const struct stage_result *s = &run->stages[stage];

	/* The gather stage is counted by the load generator and outlives a missing ledger. */
	if (s->quality != QUALITY_UNAVAILABLE)
		return true;
	*reason = s->reason;
	if (!*reason && !run->ledger_known)
		*reason = run->ledger_reason;
	if (!*reason)
		*reason = "the reason was not recorded";
	return false;
}

struct real figures__per_byte(const struct run_result *run, enum nio_stage stage)
{
	uint64_t payload = run_result__payload(run);
	const char *reason = NULL;

	if (!figures__stage_known(run, stage, &reason))
		return real__unknown(reason);
	if (run->not_final)
		return real__unknown(run->not_final);
	if (!payload)
		return real__unknown(run->sender_side ? "no payload was sent"
						      : "no payload was received");
	return real__known((double)run->stages[stage].bytes / (double)payload);
}

struct copies_figure figures__copies(const struct run_result *run)
{
	struct copies_figure c = {.value = {.reason = "no copying stage was measured"}};
	const char *reason;
	struct real part;
	int i;

	if (!run->ledger_known) {
		c.value.reason = run->ledger_reason;
		return c;
	}
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!stage__is_copy(i))
			continue;
		part = figures__per_byte(run, i);
		if (part.known) {
			c.value.known = true;
			c.value.value += part.value;
		} else if (!figures__stage_known(run, i, &reason)) {
			if (!remote__owns_stage(run, i))
				c.excluded |= 1u << i;
		} else {
			c.value.reason = part.reason;
		}
	}
	return c;
}

static bool any_timed(const struct result *r, enum latency_kind k)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct hist *h = r->summary[i].total.app.latency[k].hist;

		if (h && h->count)
			return true;
	}
	return false;
}

static bool any_pins(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (mode__has(r->summary[i].mode, MODE_PINS))
			return true;
	return false;
}

bool figures__shows_latency(const struct result *r, enum latency_kind k)
{
	return k == LATENCY_SEND_CALL || k == LATENCY_DELIVERY || k == LATENCY_RECV_CALL ||
	       (k == LATENCY_COMPLETION && any_pins(r)) ||
	       (k == LATENCY_HALF_ROUND_TRIP && r->workload.request_response) || any_timed(r, k);
}

char *figures__load(char *buf, size_t len, uint64_t size, unsigned int fields, unsigned int threads)
{
	char bytes[UNITS_BUF];

	snprintf(buf, len, "%s in %u field%s, %u thread%s", format_size(bytes, sizeof(bytes), size),
		 fields, plural(fields), threads, plural(threads));
	return buf;
}

char *figures__kernel(char *buf, size_t len, const struct environment *env)
{
	static const char prefix[] = "Linux ";
	const char *release = env->kernel;

	if (!strncmp(release, prefix, sizeof(prefix) - 1))
		release += sizeof(prefix) - 1;
	if (*release)
		snprintf(buf, len, "Linux %s", release);
	else
		snprintf(buf, len, "kernel unknown");
	return buf;
}

struct real figures__cpu(const struct run_result *run)
{
	return perf_derive(run, DERIVED_CPU_NS_PER_KIB, perf_whose__here(run));
}

size_t figures__rounds(const struct result *r, enum mode mode, figure_of_round *figure, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->runs_nr; i++) {
		struct real value = figure(&r->runs[i]);

		if (r->runs[i].mode == mode && value.known)
			v[n++] = value.value;
	}
	return n;
}

size_t figures__comparisons(const struct result *r)
{
	return r->modes_nr * (r->modes_nr - 1); /* half as many pairs, two figures */
}

unsigned int figures__rounds_needed(const struct result *r)
{
	unsigned int needed = rank_test__rounds_needed(figures__comparisons(r));

	return rounds__all(r) || needed > r->rounds ? needed : r->rounds;
}

struct ranking figures__ranking(const struct result *r, figure_of_round *figure,
				bool higher_is_better)
{
	double *values = xcalloc(MODE_NR * r->runs_nr + 1, sizeof(*values)), *v = values;
	struct ranked_mode modes[MODE_NR];
	struct ranking ranking;

	for (int m = 0; m < MODE_NR; m++, v += r->runs_nr)
		modes[m] = (struct ranked_mode){m, v, figures__rounds(r, m, figure, v)};
	ranking = ranking__of(modes, MODE_NR, higher_is_better,
			      rounds__all(r) ? figures__comparisons(r) : 0);
	ranking.needed = figures__rounds_needed(r);
	free(values);
	return ranking;
}

void figures__compare(struct rank_test *t, const struct result *r, enum mode first,
		      enum mode second)
{
	double *a = xcalloc(r->runs_nr, sizeof(*a)), *b = xcalloc(r->runs_nr, sizeof(*b));

	*t = rank_test__of(a, figures__rounds(r, first, run_result__gbps, a), b,
			   figures__rounds(r, second, run_result__gbps, b),
			   figures__comparisons(r));
	if (t->difference >= DIFFERENCE_NOISE && !rounds__all(r))
		t->difference = DIFFERENCE_FEW;
	/* Nothing was sent in half of the rounds and more: that has no quotient. */
	if (!(t->b > 0))
		t->difference = DIFFERENCE_UNKNOWN;
	free(a);
	free(b);
}
