/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts perf events and /proc counters over the measured phase. */
#include <string.h>

#include "base/log.h"
#include "model/result.h"
#include "model/perf_figures.h"
#include "event.h"
#include "watch.h"

static const char not_asked[] = "counters were switched off (--perf-events none)";
static const char unwatched[] = "the kernel was not watched (--backend none)";
static const char elsewhere[] = "the process runs on another machine";

void perf_watch__init(struct perf_watch *w, const struct perf_spec *asked, size_t asked_nr,
		      bool virtual_machine)
{
	perf_plan__init(&w->plan, asked, asked_nr);
	w->facts.virtual_machine = virtual_machine;
	if (!w->off) {
		perf_event__probe(&w->plan, &w->facts);
		perf_proc__find_known(&w->plan);
	}
	log_info("counters: %zu groups of events, %u registers a group", w->plan.groups_nr,
		 w->plan.registers);
}

const char *perf_watch__no_stage_event(const struct perf_watch *w, enum nio_perf_event event)
{
	static const enum perf_counter counters[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = PERF_CYCLES,
		[NIO_PERF_LLC_MISSES] = PERF_LLC_MISSES,
	};

	if (w->off)
		return not_asked;
	return perf_plan__missing(&w->plan, counters[event], PERF_WHOLE, &w->facts);
}

void perf_watch__begin(const struct perf_watch *w, struct run_result *r)
{
	const struct perf_slot *s;

	run_result__no_windows(r, unwatched);
	for (size_t i = 0; i < w->plan.slots_nr; i++) {
		s = &w->plan.slots[i];
		if (s->quantity >= PERF_NR)
			r->perf_asked[r->perf_asked_nr++].name = s->spec.name;
	}
}

static void book_nothing(struct run_result *r, enum nio_side side, const char *reason)
{
	const struct num none = num__unknown(reason);
	const struct real never = real__unknown(reason);

	for (int c = 0; c < PERF_NR; c++) {
		r->perf[side][c] = none;
		r->perf_detail[side][c].user = none;
		r->perf_detail[side][c].kernel = none;
		r->perf_detail[side][c].running = never;
	}
	for (size_t i = 0; i < r->perf_asked_nr; i++) {
		r->perf_asked[i].count[side] = none;
		r->perf_asked[i].running[side] = never;
	}
}

void perf_watch__open(struct perf_watch *w, enum nio_side side, pid_t pid)
{
	struct perf_side *s = &w->sides[side];

	*s = (struct perf_side){.pid = pid};
	if (w->off || !pid)
		return;
	s->err = perf_events__open(&s->events, &w->plan, pid);
	if (s->err)
		log_info("perf events of process %d: %s", pid, strerror(-s->err));
	else
		log_info("perf events of process %d: %u threads", pid,
			 perf_events__threads(s->events));
}

void perf_watch__enable(struct perf_watch *w)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct perf_side *s = &w->sides[side];

		if (w->off || !s->pid)
			continue;
		s->has_base = !perf_proc__read(&s->base, s->pid);
		s->counting = true;
		if (s->events)
			s->err = perf_events__enable(s->events);
	}
}

static void read_side(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	struct perf_side *s = &w->sides[side];
	struct perf_sum sums[PERF_SLOTS_MAX];
	struct perf_proc now;

	if (s->events && !s->err)
		s->err = perf_events__read(s->events, sums);
	if (s->events && !s->err)
		perf_read__book(r, side, &w->plan, sums, &w->facts);
	else
		book_nothing(r, side, perf_plan__reason(s->err, false, &w->facts));
	if (s->has_base && !perf_proc__read(&now, s->pid))
		perf_proc__book(r, side, &s->base, &now);
}

void perf_watch__read(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	if (w->off)
		book_nothing(r, side, not_asked);
	else if (!w->sides[side].pid)
		book_nothing(r, side, elsewhere);
	else if (w->sides[side].counting)
		read_side(w, side, r);
}

void perf_watch__finish(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	struct perf_side *s = &w->sides[side];

	if (s->counting && s->events && !s->err)
		s->err = perf_events__disable(s->events);
	perf_watch__read(w, side, r);
	s->counting = false;
}

void perf_watch__end(struct perf_watch *w)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		perf_events__close(w->sides[side].events);
		w->sides[side] = (struct perf_side){.pid = 0};
	}
}

void perf_watch__warn(struct perf_watch *w, const struct run_result *r)
{
	struct real lowest = perf_derive__lowest_running(r);

	if (w->warned || !lowest.known || lowest.value >= PERF_RUNNING_MIN)
		return;
	w->warned = true;
	log_warning("performance counters took turns and are scaled up: one counted %.0f %% of the "
		    "time. Longer runs and fewer --perf-events make that surer.",
		    lowest.value * 100);
}
