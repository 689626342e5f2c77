/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters of both load generator processes over the measured phase. A counter that
 * fails has a reason and never fails the run.
 *
 * init; in each round: begin, open both sides, enable, read, finish each side, end.
 */
#ifndef PERF_WATCH_H
#define PERF_WATCH_H

#include <sys/types.h>

#include "model/result.h"
#include "perf_plan.h"

/* Counters of threads in /proc, which cost nothing, in the order of struct perf_proc. */
enum perf_proc_counter {
	PERF_PROC_CONTEXT_SWITCHES, /* status: voluntary and nonvoluntary */
	PERF_PROC_CPU_MIGRATIONS,   /* sched: se.nr_migrations; not in every kernel */
	PERF_PROC_PAGE_FAULTS,      /* stat: minflt + majflt */
	PERF_PROC_TASK_CLOCK_NS,    /* schedstat: time on the CPU */
	PERF_PROC_NR,
};

/* Sums over the present threads, each since its start. An unknown sum has a reason. */
struct perf_proc {
	struct num sum[PERF_PROC_NR];
};

/* 0; -ESRCH: the process is gone; other -errno. */
int perf_proc__read(struct perf_proc *p, pid_t pid);

/* Marks the slots that /proc replaces, and packs the plan again. */
void perf_proc__find_known(struct perf_plan *plan);

/* Sets the unknown counters of a side to now minus base. Keeps the counts of perf events. */
void perf_proc__book(struct run_result *r, enum nio_side side, const struct perf_proc *base,
		     const struct perf_proc *now);

/* Parse the text of one file of a thread. 0 or -EPROTO. */
int perf_proc__parse_status(const char *text, uint64_t *switches);
int perf_proc__parse_stat(const char *text, uint64_t *faults);
int perf_proc__parse_schedstat(const char *text, uint64_t *ns);
int perf_proc__parse_sched(const char *text, uint64_t *migrations);

struct perf_watch {
	bool off; /* --perf-events none */
	struct perf_plan plan;
	struct perf_facts facts;
	struct perf_side {
		pid_t pid;
		struct perf_events *events; /* NULL: none; err has the reason */
		int err;
		struct perf_proc base;
		bool has_base, counting;
	} sides[NIO_SIDE_NR];
	bool warned; /* perf_watch__warn() has printed the warning */
};

/* asked: the events of --perf-events. *w must be zeroed, except off. */
void perf_watch__init(struct perf_watch *w, const struct perf_spec *asked, size_t asked_nr,
		      bool virtual_machine);

/* Why BPF programs cannot read this counter inside stages; NULL: they can. */
const char *perf_watch__no_stage_event(const struct perf_watch *w, enum nio_perf_event event);

/* Stores the names of the events asked for in *r, which then points into *w. */
void perf_watch__begin(const struct perf_watch *w, struct run_result *r);

/* Opens the events of all threads of pid; all threads must exist. pid 0: another machine. */
void perf_watch__open(struct perf_watch *w, enum nio_side side, pid_t pid);

void perf_watch__enable(struct perf_watch *w); /* when the measured phase begins */

/* Stores the counts of a side in *r: so far, or of the phase after perf_watch__finish(). */
void perf_watch__read(struct perf_watch *w, enum nio_side side, struct run_result *r);

/* Disables the events of a side and stores their last counts in *r. */
void perf_watch__finish(struct perf_watch *w, enum nio_side side, struct run_result *r);

void perf_watch__end(struct perf_watch *w); /* closes all events; may be called twice */

/* Warns once a session if an event had a counter less than PERF_RUNNING_MIN of the time. */
void perf_watch__warn(struct perf_watch *w, const struct run_result *r);

#endif
