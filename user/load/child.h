/* SPDX-License-Identifier: GPL-2.0-only */
/* A load generator process: unprivileged, on pipes. It ends when this process does, even by kill
 * -9. */
#ifndef LOAD_CHILD_H
#define LOAD_CHILD_H

#include <sys/types.h>

struct child {
	pid_t pid; /* 0: none */
	int in;    /* write end of its stdin; -1: closed */
	int out;   /* read end of its stdout, non-blocking */
};

#define CHILD_INIT                  \
	{                           \
		.in = -1, .out = -1 \
	}

/*
 * Starts argv (argv[0]: a path). netns: a namespace descriptor to enter, or -1. As root the child
 * becomes the user behind sudo (SUDO_UID and SUDO_GID, valid and not 0), else the user nobody, with
 * no groups, no capabilities and no_new_privs. It has its own session without a terminal,
 * PR_SET_PDEATHSIG SIGKILL, default signal dispositions, and no descriptor of ours but 0, 1, 2. 0,
 * or -errno with the failed step in *step (static); exec failures count. The caller owns c and ends
 * it with child__kill().
 */
int child__start(struct child *c, char *const argv[], int netns, const char **step);

/* Writes a line and a newline. 0 or -errno; -EPIPE: the child is gone. SIGPIPE must be ignored. */
int child__send_line(struct child *c, const char *line);

/* Writes len bytes after a line, waiting some seconds for the child to read. 0 or -errno. */
int child__send(struct child *c, const char *text, size_t len);

/* Closes its stdin and sends SIGKILL, without waiting, so that several children end in parallel. */
void child__send_kill(struct child *c);

/*
 * child__send_kill() and a bounded wait. Takes a zeroed or ended child. Reports a surviving
 * process. The wait status, also of a process that was ending before; -1: unknown.
 */
int child__kill(struct child *c);

#endif
