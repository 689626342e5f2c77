/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a process's threads in /proc: free of cost, unlike perf events (docs/DESIGN.md). */
#ifndef PERF_PROC_H
#define PERF_PROC_H

#include <sys/types.h>

#include "perf_plan.h"
#include "model/result.h"

/* Counters that /proc has, in the order of struct perf_proc. */
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

#endif
