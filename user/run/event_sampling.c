/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling of events in a round; see event_sampling.h. */
#include "event_sampling.h"

#include <string.h>

#include "round.h"

bool event_sampling__fits(const struct runner *e)
{
	const struct options *o = e->o;

	/* Programs that could not be attached again are left where they are. */
	return !o->count_calls && !o->traffic.messages && o->times != TIMES_ON && !e->timing.none;
}

static bool is_wanted(const struct round *r, struct plan *rest)
{
	const struct runner *e = r->e;

	return e->session && e->kind == ROUND_COMPARED && event_sampling__fits(e) &&
	       plan__can_rest(r->plan, rest);
}

static void begin_slice(struct round *r, uint64_t now_ns)
{
	struct event_sampling *d = &r->duty;

	d->attached = true;
	d->slice_ns = now_ns;
	d->due_ns = now_ns + EVENT_SAMPLING_SLICE_NS;
	d->events = session__events(r->e->session, r->slot);
}

void event_sampling__begin(struct round *r)
{
	r->duty.on = is_wanted(r, &r->duty.rest);
	if (!r->duty.on)
		return;
	r->duty.begin_ns = loop__now_ns();
	begin_slice(r, r->duty.begin_ns);
}

static void end_slice(struct round *r, uint64_t now_ns)
{
	struct event_sampling *d = &r->duty;

	if (session__events(r->e->session, r->slot) - d->events < EVENT_SAMPLING_EVENTS) {
		d->due_ns = now_ns + EVENT_SAMPLING_SLICE_NS;
		return;
	}
	session__rest(r->e->session, &d->rest);
	d->attached = false;
	d->looked_ns += now_ns - d->slice_ns;
	d->due_ns = d->slice_ns + EVENT_SAMPLING_PERIOD_NS;
	/* A slice that was extended because events were rare is also followed by a pause. */
	if (d->due_ns < now_ns + EVENT_SAMPLING_SLICE_NS)
		d->due_ns = now_ns + EVENT_SAMPLING_SLICE_NS;
}

static int resume(struct round *r, uint64_t now_ns)
{
	struct session *s = r->e->session;
	int err;

	for (int side = 0; side < NIO_SIDE_NR; side++)
		session__forget_streams(s, r->cookies[side], r->cookies_nr[side]);
	err = session__attach(s, r->plan);
	if (err)
		return round__fail(r, err, "cannot attach the programs again: %s.", strerror(-err));
	begin_slice(r, now_ns);
	return 0;
}

int event_sampling__turn(struct round *r, uint64_t now_ns)
{
	if (now_ns < event_sampling__due(r))
		return 0;
	if (!r->duty.attached)
		return resume(r, now_ns);
	end_slice(r, now_ns);
	return 0;
}

uint64_t event_sampling__due(const struct round *r)
{
	return r->duty.on && r->measuring ? r->duty.due_ns : UINT64_MAX;
}

void event_sampling__note(const struct round *r, struct snapshot *s)
{
	const struct event_sampling *d = &r->duty;
	uint64_t now_ns = loop__now_ns();

	s->phase_ns = s->looked_ns = 0;
	if (!d->on)
		return;
	s->phase_ns = now_ns - d->begin_ns;
	s->looked_ns = d->looked_ns + (d->attached ? now_ns - d->slice_ns : 0);
}
