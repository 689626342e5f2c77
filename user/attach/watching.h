/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session of attach without its outputs: the targets, the BPF programs, and what they saw. Opened
 * once, refreshed any number of times, stopped once. Functions that return an exit code have
 * reported what failed.
 */
#ifndef NETIOTRACE_WATCHING_H
#define NETIOTRACE_WATCHING_H

#include "findings.h"
#include "base/exit_code.h"
#include "base/loop.h"
#include "base/ready.h"
#include "cpu_sampling.h"
#include "launch.h"
#include "target.h"

struct watching {
	const struct attach_options *o;
	struct watcher *watcher;
	struct target target;
	struct launch launch;
	struct findings found;
	struct cpu_sampling sampling;
	struct baseline baseline;
	int pidfds[ATTACH_PIDS_MAX]; /* of --pid; -1: gone */
	size_t alive;                /* processes of --pid */
	bool finished;               /* watching has ended */
	bool passes_again;           /* there are existing sockets to add */
	uint64_t next_step_ns;       /* of watching__step() */
	uint64_t since_ns;           /* of the refresh before the last; 0: finished */
	struct ready ready;
	int cgroup; /* the directory of --cgroup; -1: none, or gone */
};

#define WATCHING_INIT                                \
	{                                            \
		.launch = LAUNCH_INIT, .cgroup = -1, \
	}

/*
 * Finds the targets, loads and attaches the programs, and starts a command. An exit code: 128 + the
 * signal number if a signal came meanwhile; then the command was not started.
 */
int watching__open(struct watching *w, const struct attach_options *o, struct loop *l);
void watching__close(struct watching *w);

/* Reads what was seen so far into w->found and sorts it. An exit code. */
int watching__refresh(struct watching *w);

/*
 * Was a requested process watched or, with --port alone, a connection? Assertions need one.
 * Otherwise buf, of len bytes, has the reason.
 */
bool watching__saw_any(const struct watching *w, char *buf, size_t len);

/* Sorts by the current options. While watching, rows that moved bytes since the last refresh come
 * first. */
void watching__sort(struct watching *w);

/* Reads the connections that have ended, when watcher__ends_fd() is readable. */
void watching__take_ended(struct watching *w);

/* Attaches or detaches the programs of send and receive events, at w->next_step_ns. */
void watching__step(struct watching *w);

/* Stops watching and reads everything. An exit code. */
int watching__finish(struct watching *w);

/* Is no target left because the cgroup is gone? Reports that once. */
bool watching__lost_cgroup(struct watching *w);

/* fd of the loop is readable: is no process of --pid left? */
bool watching__lost(struct watching *w, struct loop *l, int fd);

#endif
