/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the start of a child process: it is held before its exec until launch__go(), which reports
 * why an exec failed.
 */
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

#include <sys/types.h>

struct launch {
	pid_t pid; /* 0: none */
	int pidfd; /* readable when it has ended; -1: none, or the kernel has no pidfd_open */
	int gate;  /* a byte releases the child; closing it ends the child. -1: released */
	int failure;
};

#define LAUNCH_INIT                                    \
	{                                              \
		.pidfd = -1, .gate = -1, .failure = -1 \
	}

/* Of the child, until its exec. */
struct launch_child {
	void *arg;
	int report; /* descriptor of its failure, closed by exec; become() may move it */
	pid_t parent;
	unsigned int step;
};

/*
 * Forks. When released, the child calls become(), with all signals blocked. It executes a program,
 * or returns -errno and leaves the number of the failed step in step. 0 or -errno.
 */
int launch__hold(struct launch *l, int (*become)(struct launch_child *c), void *arg);

/*
 * Releases the child and waits for its exec. 0, or the -errno of become() with the step in *step
 * (may be NULL); -ETIMEDOUT after 10 s, or soon after a signal that ends this program.
 */
int launch__go(struct launch *l, unsigned int *step);

/* In a child: no handler, ignored or blocked signal of this program. Calls only the kernel. */
void launch__reset_signals(void);

/*
 * In a child, after its change of user, which clears the parent-death signal: ties its life to the
 * parent's. Its session has no terminal: Ctrl-C is for the parent, and no command can be typed into
 * root's terminal (TIOCSTI). 0 or -errno.
 */
int launch__tie(const struct launch_child *c);

/* Waits up to timeout_ms for its end. Its exit status, or 128 + signal; -EAGAIN: it still runs. */
int launch__wait(struct launch *l, int timeout_ms);

/* Ends a child that was not released; leaves a running one alone. Closes the descriptors. */
void launch__close(struct launch *l);

#endif
