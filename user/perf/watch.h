/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The performance counters of a session and of the round under way: decides what is counted, counts
 * both processes of the load generator over the measured phase, fills the result. Never fails a
 * run: what cannot be counted is unknown with the reason.
 *
 *   init, then in each round: begin, open both sides, enable, read at will, finish each side, end
 */
#ifndef NETIOTRACE_PERF_WATCH_H
#define NETIOTRACE_PERF_WATCH_H

#include <sys/types.h>

#include "event.h"
#include "proc.h"

struct perf_watch {
	bool off; /* --perf-events none */
	struct perf_plan plan;
	struct perf_facts facts;
	struct perf_side {
		pid_t pid;
		struct perf_events *events; /* NULL: none, for this reason: */
		int err;
		struct perf_proc base;
		bool has_base, counting;
	} sides[NIO_SIDE_NR];
	bool warned; /* of counters that took turns */
};

/* asked: what --perf-events asked for. Takes a zeroed watch. */
void perf_watch__init(struct perf_watch *w, const struct perf_spec *asked, size_t asked_nr,
		      bool virtual_machine);

/* Why this counter of the CPUs cannot be read inside the kernel's stages; NULL: it can. */
const char *perf_watch__no_stage_event(const struct perf_watch *w, enum nio_perf_event event);

/* Names the events asked for in a result, which points to them from then on. */
void perf_watch__begin(const struct perf_watch *w, struct run_result *r);

/* The threads of a process, all of which exist by now. pid 0: not a process of this machine. */
void perf_watch__open(struct perf_watch *w, enum nio_side side, pid_t pid);

void perf_watch__enable(struct perf_watch *w); /* the measured phase begins */

/* Counts of a side so far, into r. After finish: those of the phase. */
void perf_watch__read(struct perf_watch *w, enum nio_side side, struct run_result *r);

/* The side's part of the phase is over: reads it a last time and counts no more. */
void perf_watch__finish(struct perf_watch *w, enum nio_side side, struct run_result *r);

void perf_watch__end(struct perf_watch *w); /* of the round; may be called twice */

/* Says once in a session that counters took turns more than PERF_RUNNING_MIN allows. */
void perf_watch__warn(struct perf_watch *w, const struct run_result *r);

#endif
