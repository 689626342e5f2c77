/* SPDX-License-Identifier: GPL-2.0-only */
/* The run command: what a whole session holds, shared by run.c and round.c. */
#ifndef NETIOTRACE_RUN_H
#define NETIOTRACE_RUN_H

#include <limits.h>

#include "display.h"
#include "environment.h"
#include "loop.h"
#include "netpath.h"
#include "options.h"
#include "plan.h"
#include "session.h"

struct run {
	const struct options *o;
	struct loop loop;
	struct address connect;         /* with --connect: resolved */
	struct sockaddr_storage remote; /* the same */
	struct netpath *path;
	struct session *session;    /* NULL: backend none */
	struct plan plans[MODE_NR]; /* by mode */
	struct plan_row rows[PLAN_ROWS_MAX];
	struct result result;
	struct display display;
	char loadgen[PATH_MAX];
	int signo;    /* the signal that ended the run early, or 0 */
	bool stopped; /* by that signal or by q */
};

/* Runs the command: returns an exit code, everything said and cleaned up. */
int run__main(const struct options *o);

/*
 * One round of one mode: starts both sides of the load generator, watches their sockets, measures,
 * and fills out (initialised by the caller). An interrupted round is no error: out then holds what
 * was measured so far, duration_ns 0 if nothing was. Returns an exit code, the failure said.
 */
int round__run(struct run *run, enum mode mode, unsigned int index, struct run_result *out);

#endif
