/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A load generator process: started unprivileged in a network namespace with pipes on its stdin and
 * stdout (its stderr is ours), and gone when we are, even by kill -9.
 */
#ifndef NETIOTRACE_CHILD_H
#define NETIOTRACE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: none */
	int pidfd; /* -1 where the kernel has no pidfd_open */
	int in;    /* we write its stdin here; -1 when closed */
	int out;   /* we read its stdout here, non-blocking */
	bool reaped;
	int status; /* wait status once reaped */
};

#define CHILD_INIT                               \
	{                                        \
		.pidfd = -1, .in = -1, .out = -1 \
	}

/*
 * Starts argv (argv[0]: a path). netns: a namespace file descriptor to enter, or -1. As root the
 * child becomes the invoking user of sudo (SUDO_UID/SUDO_GID, if they are valid and not 0), else
 * nobody, with no groups, no capabilities and no_new_privs; it never runs as root. It is in its own
 * session, without a terminal (Ctrl-C there is ours to act on), has PR_SET_PDEATHSIG SIGKILL,
 * default signal dispositions, and no file descriptor of ours but 0, 1, 2. A failure before or at
 * exec is returned from here as -errno, with what failed in *step (static). The caller owns c and
 * ends it with child__kill().
 */
int child__start(struct child *c, char *const argv[], int netns, const char **step);

/* Writes a line ("measure") and a newline. -EPIPE when the child is gone. Never raises SIGPIPE. */
int child__say(struct child *c, const char *line);

/* Reaps without waiting: 1 ended (status set), 0 still running, -errno. */
int child__poll(struct child *c);

/*
 * Closes its stdin and sends SIGKILL: what the kernel takes down of several goes on side by side.
 */
void child__doom(struct child *c);

/*
 * The same, then waits for the end and closes the rest. Takes a zeroed, half-started or ended
 * child. The wait has a limit: a message names a process that goes on, which can be where this one
 * lacks CAP_KILL.
 */
void child__kill(struct child *c);

#endif
