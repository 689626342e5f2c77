/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a whole session holds (path, plan, programs, event loop), and the steps that the commands
 * that make rounds share: opened once, then any number of rounds. Functions that return an exit
 * code have said what failed.
 */
#ifndef NETIOTRACE_RUN_H
#define NETIOTRACE_RUN_H

#include <limits.h>

#include "screen/display.h"
#include "host/environment.h"
#include "base/loop.h"
#include "host/netpath.h"
#include "options.h"
#include "perf/watch.h"
#include "model/plan.h"
#include "kernel/session.h"

struct run {
	const struct options *o;
	struct loop loop;
	struct address connect;         /* with --connect: resolved */
	struct sockaddr_storage remote; /* the same */
	struct netpath *path;
	struct session *session;    /* NULL: backend none */
	struct offer *offers;       /* what this kernel offers, by alternative */
	struct plan plans[MODE_NR]; /* by mode */
	struct plan_row rows[PLAN_ROWS_MAX];
	struct result result;
	struct traffic traffic;     /* of the options in use, with the congestion control chosen */
	struct cpu_times cpu_begin; /* of all processors, when the path was made */
	struct display display;
	struct perf_watch perf;
	char loadgen[PATH_MAX];
	int signo;    /* the signal that ended the run early, or 0 */
	bool stopped; /* by that signal or by q */
	/* Called at each interval of a measured phase, if set. */
	void (*tick)(struct run *run, void *arg);
	void *tick_arg;
};

/* Runs the command: returns an exit code, everything said and cleaned up. */
int run__main(const struct options *o);

/* 4 with the remedy said when these options need privileges we do not have. */
int run__check_privileges(const struct options *o);

/*
 * Makes the path and loads what rounds with these options and messages of any of these sizes need,
 * then uses o. run__init() before it, run__close() after it, also when it failed. Returns an exit
 * code.
 */
void run__init(struct run *run);
int run__open(struct run *run, const struct options *o, const uint64_t *sizes, size_t sizes_nr);
void run__close(struct run *run);

/*
 * Rounds from here on are made with these options, which must outlive them: other modes, size,
 * threads or amounts than before, but of the sizes given to run__open(), and the same path and
 * backend.
 */
void run__use(struct run *run, const struct options *o);

/* Makes a round and adds it to run->result, if anything was measured. Returns an exit code. */
int run__round(struct run *run, enum mode mode, unsigned int index);

/* Fills the summary of run->result from its runs. Returns an exit code. */
int run__summarise(struct run *run);

/* Empties run->result of runs and their summary. */
void run__forget(struct run *run);

/*
 * One round of one mode: starts both sides of the load generator, watches their sockets, measures,
 * and fills out (initialised by the caller). An interrupted round is no error: out then holds what
 * was measured so far, duration_ns 0 if nothing was. Returns an exit code, the failure said.
 */
int round__run(struct run *run, enum mode mode, unsigned int index, struct run_result *out);

#endif
