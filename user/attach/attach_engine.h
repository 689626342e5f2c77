/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The watching of attach, without its outputs: who is watched, the programs, what they saw. Opened
 * once, refreshed as often as one likes, stopped once. Functions that return exit codes have said
 * what failed.
 */
#ifndef NETIOTRACE_ATTACH_ENGINE_H
#define NETIOTRACE_ATTACH_ENGINE_H

#include "attach_report.h"
#include "base/exit_code.h"
#include "base/loop.h"
#include "launch.h"
#include "target.h"

struct attach_engine {
	const struct attach_options *o;
	struct watcher *watcher;
	struct target target;
	struct launch launch;
	struct attach_report report;
	int pidfds[ATTACH_PIDS_MAX]; /* of --pid; -1: gone */
	size_t alive;                /* of them */
	bool finished;               /* the time is over */
};

#define ATTACH_ENGINE_INIT            \
	{                             \
		.launch = LAUNCH_INIT \
	}

/* Finds who is asked for, loads, attaches, and lets a command go. An exit code. */
int attach_engine__open(struct attach_engine *e, const struct attach_options *o, struct loop *l);
void attach_engine__close(struct attach_engine *e);

/* Reads what was seen so far into e->report. An exit code. */
int attach_engine__refresh(struct attach_engine *e);

/* Ends the watching and reads all of it. An exit code. */
int attach_engine__finish(struct attach_engine *e);

/* A descriptor of the loop is readable: is nobody left that was asked for by --pid? */
bool attach_engine__lost(struct attach_engine *e, struct loop *l, int fd);

#endif
