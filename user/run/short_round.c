/* SPDX-License-Identifier: GPL-2.0-only */
/* Short rounds beside those that are compared; see short_round.h. */
#include "short_round.h"

#include "round.h"

#define NS_MIN        100000000ULL /* of each round, if the round before it is as long itself */
#define WARMUP_NS_MAX 50000000ULL

uint64_t short_round__ns(const struct traffic *t, uint64_t mode_ns)
{
	uint64_t round_ns = traffic__round_ns(t), ns = mode_ns / t->rounds;

	if (ns > round_ns / 4)
		ns = round_ns / 4;
	if (ns < NS_MIN)
		ns = NS_MIN;
	return ns < round_ns ? ns : round_ns;
}

/* The settings of the round under way, but short. */
static struct traffic short_traffic(const struct engine *e, uint64_t ns)
{
	struct traffic t = e->traffic;

	t.duration_ns = ns;
	t.rounds = 1;
	if (t.warmup_ns > WARMUP_NS_MAX)
		t.warmup_ns = WARMUP_NS_MAX;
	return t;
}

int short_round__make(struct engine *e, enum round_kind kind, uint64_t ns,
		      const struct run_result *of, struct run_result *out)
{
	struct traffic traffic = e->traffic;
	bool perf_off = e->perf.off;
	int err;

	e->traffic = short_traffic(e, ns);
	e->perf.off = true;
	e->kind = kind;
	err = round__run(e, of->mode, of->round, out);
	e->kind = ROUND_COMPARED;
	e->perf.off = perf_off;
	e->traffic = traffic;
	return err;
}
