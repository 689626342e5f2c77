/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session of attach without its outputs: targets, BPF programs, and their events. Opened once,
 * refreshed any number of times, stopped once. Functions that return an exit code have reported the
 * failure.
 */
#ifndef ATTACH_ATTACH_SESSION_H
#define ATTACH_ATTACH_SESSION_H

#include "attach_result.h"
#include "base/exit_code.h"
#include "base/loop.h"
#include "base/ready.h"
#include "cpu_sampling.h"
#include "base/spawn.h"
#include "host/copy_search.h"
#include "kernel/attach_probes.h"
#include "kernel/target.h"

struct attach_session {
	const struct attach_options *o;
	struct attach_probes *probes;
	struct launch launch;
	struct attach_result found;
	struct cpu_sampling sampling;
	struct baseline baseline;
	struct followed_document followed; /* of --follow-result */
	struct copy_search copies;
	int pidfds[TARGET_PIDS_MAX]; /* of --pid; -1: gone */
	size_t alive;                /* processes of --pid */
	bool finished;               /* watching has ended */
	bool passes_again;           /* there are existing sockets to add */
	uint64_t next_step_ns;       /* of attach_session__step() */
	uint64_t since_ns;           /* of the refresh before the last; 0: finished */
	struct ready ready;
	struct attach_filter filter;
	int cgroup; /* the directory of --cgroup; -1: none, or gone */
};

#define ATTACH_SESSION_INIT                          \
	{                                            \
		.launch = LAUNCH_INIT, .cgroup = -1, \
	}

/*
 * Finds the targets, loads and attaches the programs, and starts a command. An exit code: 128 + the
 * signal number if a signal came meanwhile; then the command was not started.
 */
int attach_session__open(struct attach_session *session, const struct attach_options *o,
			 struct loop *l);
void attach_session__close(struct attach_session *session);

/*
 * Watches anew, the same targets with the processes that they have started, and then forgets what
 * was counted before. Traffic while programs are loaded is of the time before. If a signal comes
 * meanwhile or the start fails, what was counted stays and the watching is as it was; the loop gets
 * the signal. An exit code.
 */
int attach_session__restart(struct attach_session *session, struct loop *l);

/* Of attach_targets.c: adds the processes that the options name. */
void attach_targets__add_all(struct attach_session *session);
/* The processes of a table that are alive: children that the programs have seen begin. */
void attach_targets__add_again(struct attach_session *session, const struct table *before);
/* What a process has read so far (rchar). new: it began while it was watched. */
void attach_targets__add_read(struct attach_session *session, pid_t pid, uint64_t started,
			      bool new);

/* Reads the events so far into w->found and sorts them. An exit code. */
int attach_session__refresh(struct attach_session *session);

/*
 * NULL if a requested process was watched or, with --port alone, a connection; otherwise the reason
 * why not. Assertions need one.
 */
const char *attach_session__saw_nothing(const struct attach_session *session);

/* Sorts by the current options. While watching, rows that moved bytes since the last refresh come
 * first. */
void attach_session__sort(struct attach_session *session);

/* Reads the connections that have ended, when attach_probes__ends_fd() is readable. */
void attach_session__add_ended(struct attach_session *session);

/* Attaches or detaches the programs of send and receive events, at w->next_step_ns. */
void attach_session__step(struct attach_session *session);

/* Stops watching and reads everything. An exit code. */
int attach_session__finish(struct attach_session *session);

/* Is no target left because the cgroup was removed? Reports that once. */
bool attach_session__lost_cgroup(struct attach_session *session);

/* After fd of the loop became readable: is no process of --pid left? */
bool attach_session__lost(struct attach_session *session, struct loop *l, int fd);

#endif
