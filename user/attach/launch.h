/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is started to be watched: as the invoking user of sudo, with our descriptors 0 to
 * 2, environment and, as they were at our start, ignored and blocked signals, held before its exec
 * until it is let go.
 */
#ifndef NETIOTRACE_LAUNCH_H
#define NETIOTRACE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct launch {
	pid_t pid;   /* 0: none */
	int pidfd;   /* readable when it has ended; -1 */
	int gate;    /* closed or written to, to let it go */
	int failure; /* what it tells if exec failed */
};

#define LAUNCH_INIT                                    \
	{                                              \
		.pidfd = -1, .gate = -1, .failure = -1 \
	}

/*
 * Forks; argv ends with NULL. apart: the command's stdout is our stderr, since our stdout takes a
 * document. 0 or -errno.
 */
int launch__hold(struct launch *l, char *const *argv, bool apart);

/* Lets it go. 0, or -errno of what it could not do to become the command. */
int launch__go(struct launch *l);

/* Waits for it to end, timeout_ms at most. Its exit status, 128 + signal; -EAGAIN: it goes on. */
int launch__wait(struct launch *l, int timeout_ms);

/* Ends one that was never let go, and waits for that; leaves others alone. Frees what is held. */
void launch__close(struct launch *l);

#endif
