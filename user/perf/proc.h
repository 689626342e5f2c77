/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own account of a process's threads as /proc shows it: switches, migrations, faults,
 * CPU time. Kept for every task anyway, so that it costs nothing to count, where one perf event
 * alone costs about a microsecond at each switch of the task: several percent at 20 000 switches a
 * second.
 */
#ifndef NETIOTRACE_PERF_PROC_H
#define NETIOTRACE_PERF_PROC_H

#include <sys/types.h>

#include "perf_plan.h"
#include "model/result.h"

/* Since the threads' beginning, summed over those there are. Unknown ones say why. */
struct perf_proc {
	struct num context_switches; /* status: voluntary and not */
	struct num cpu_migrations;   /* sched: se.nr_migrations; not on every kernel */
	struct num page_faults;      /* stat: minflt + majflt */
	struct num task_clock_ns;    /* schedstat: time on the CPU */
};

/* 0; -ESRCH when the process is gone, -errno. */
int perf_proc__read(struct perf_proc *p, pid_t pid);

/* Marks the slots of plan that this kernel's /proc makes needless, and packs it again. */
void perf_proc__take(struct perf_plan *plan);

/*
 * Fills those counters of r's side that are unknown there from now minus base. Leaves alone what
 * perf_event_open(2) counted.
 */
void perf_proc__book(struct run_result *r, enum nio_side side, const struct perf_proc *base,
		     const struct perf_proc *now);

/* Numbers of the text of one file of a thread; pure. 0 or -EPROTO. */
int perf_proc__parse_status(const char *text, uint64_t *switches);
int perf_proc__parse_stat(const char *text, uint64_t *faults);
int perf_proc__parse_schedstat(const char *text, uint64_t *ns);
int perf_proc__parse_sched(const char *text, uint64_t *migrations);

#endif
