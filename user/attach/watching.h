/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The watching of attach, without its outputs: who is watched, the programs, what they saw. Opened
 * once, refreshed as often as one likes, stopped once. Functions that return exit codes have said
 * what failed.
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
	size_t alive;                /* of them */
	bool finished;               /* the time is over */
	bool passes_again;           /* there are sockets to take in that existed before */
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
 * Finds who is asked for, loads, attaches, and lets a command go. An exit code: 128 + the signal's
 * number where one came meanwhile that ends the program; a command was not started then.
 */
int watching__open(struct watching *w, const struct attach_options *o, struct loop *l);
void watching__close(struct watching *w);

/* Reads what was seen so far into w->found, and sorts it. An exit code. */
int watching__refresh(struct watching *w);

/*
 * Was anything there that an assertion could be about: a process that was asked for or, with --port
 * alone, a connection? Else why not, in buf of len bytes.
 */
bool watching__saw_any(const struct watching *w, char *buf, size_t len);

/*
 * Sorts it as it is now asked for: until the watching is over, what moved since the refresh before
 * comes first.
 */
void watching__sort(struct watching *w);

/* Takes the connections that have ended: their descriptor, watcher__ends_fd(), is readable. */
void watching__take_ended(struct watching *w);

/* Attaches and detaches the programs of events, when it is time: w->next_step_ns. */
void watching__step(struct watching *w);

/* Ends the watching and reads all of it. An exit code. */
int watching__finish(struct watching *w);

/* Is nobody left of whom it was asked for, since the cgroup is gone? Says so, once. */
bool watching__lost_cgroup(struct watching *w);

/* A descriptor of the loop is readable: is nobody left that was asked for by --pid? */
bool watching__lost(struct watching *w, struct loop *l, int fd);

#endif
