/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is started to be watched. It runs as the user who called sudo, with the
 * descriptors 0 to 2, the environment, and the ignored and blocked signals that netiotrace was
 * started with. It is held before its exec until spawn__go().
 */
#ifndef ATTACH_SPAWN_H
#define ATTACH_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	pid_t pid;   /* 0: none */
	int pidfd;   /* readable when it has ended; -1 */
	int gate;    /* a byte releases the command; closing it ends the child */
	int failure; /* the child writes its errno here if exec fails */
};

#define SPAWN_INIT                                     \
	{                                              \
		.pidfd = -1, .gate = -1, .failure = -1 \
	}

/*
 * Forks; argv ends with NULL. apart: the command's stdout goes to stderr, because a document goes
 * to stdout. 0 or -errno.
 */
int spawn__hold(struct spawn *l, char *const *argv, bool apart);

/* Releases the command. 0, or the -errno that kept it from its exec. */
int spawn__go(struct spawn *l);

/* Waits up to timeout_ms for its end. Its exit status, or 128 + signal; -EAGAIN: it still runs. */
int spawn__wait(struct spawn *l, int timeout_ms);

/* Ends a command that was not released; leaves a running one alone. Closes the descriptors. */
void spawn__close(struct spawn *l);

#endif
