/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling of events in a round; see event_sampling.h. */
#include "event_sampling.h"

#include <string.h>
#include <sys/random.h>

#include "kernel/declared_probes.h"

bool event_sampling__fits(const struct runner *runner)
{
	const struct options *o = runner->o;

	/* Programs that could not be attached again are left where they are. */
	return !o->count_calls && !o->workload.messages && o->times != TIMES_ON &&
	       !runner->timing.none;
}

static bool is_wanted(const struct round *r, struct plan *base_plan)
{
	const struct runner *runner = r->runner;

	return runner->probes && runner->kind == ROUND_COMPARED && event_sampling__fits(runner) &&
	       plan__can_detach(r->plan, base_plan);
}

static struct window_load load_now(const struct round *r)
{
	return (struct window_load){.watched = declared_probes__events(r->runner->probes)};
}

void event_sampling__begin(struct round *r)
{
	uint64_t seed = 0, now_ns = loop__now_ns();

	r->sampled_events.on = is_wanted(r, &r->sampled_events.base_plan);
	if (!r->sampled_events.on)
		return;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = now_ns;
	event_windows__begin(&r->sampled_events.windows, &window_rule_run, now_ns, seed,
			     load_now(r));
}

static int resume(struct round *r)
{
	int err = declared_probes__attach(r->runner->probes, r->plan);

	return err ? round__fail(r, err, "cannot attach the programs again: %s.", strerror(-err))
		   : 0;
}

int event_sampling__turn(struct round *r, uint64_t now_ns)
{
	if (now_ns < event_sampling__due(r))
		return 0;
	switch (event_windows__step(&r->sampled_events.windows, now_ns, load_now(r))) {
	case WINDOW_ATTACH:
		return resume(r);
	case WINDOW_DETACH:
		declared_probes__pause(r->runner->probes, &r->sampled_events.base_plan);
		return 0;
	default:
		return 0;
	}
}

uint64_t event_sampling__due(const struct round *r)
{
	return r->sampled_events.on && r->measuring ? r->sampled_events.windows.due_ns : UINT64_MAX;
}

void event_sampling__note(const struct round *r, struct snapshot *s)
{
	const struct event_windows *w = &r->sampled_events.windows;
	uint64_t now_ns = loop__now_ns();

	s->phase_ns = s->attached_ns = 0;
	if (!r->sampled_events.on)
		return;
	s->phase_ns = now_ns - w->begun_ns;
	s->attached_ns = event_windows__seen_ns(w, now_ns);
}
