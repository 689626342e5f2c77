/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listening socket and the connections that have not said who they are. A stranger, whether he
 * sends garbage or nothing, costs one entry for a few seconds and delays nobody. Knows the hello
 * but not the session.
 */
#ifndef LOADGEN_ACCEPTOR_H
#define LOADGEN_ACCEPTOR_H

#include <poll.h>
#include <stdint.h>

#include "settings.h"
#include "wire.h"

#define ACCEPTOR_PENDING_MAX 64
#define ACCEPTOR_FDS_MAX     (ACCEPTOR_PENDING_MAX + 1)

struct acceptor_entry {
	int fd;
	uint64_t deadline;
	unsigned int have;
	uint8_t buf[WIRE_HELLO_SIZE];
};

struct acceptor {
	int listen_fd; /* -1: closed */
	unsigned int nr;
	struct acceptor_entry pending[ACCEPTOR_PENDING_MAX]; /* oldest first */
};

int acceptor__open(struct acceptor *a, const struct endpoint *on, uint64_t rcvbuf);
void acceptor__close(struct acceptor *a);

/* The descriptors to wait for; returns how many. *deadline is lowered to when one runs out. */
unsigned int acceptor__fds(const struct acceptor *a, struct pollfd fds[ACCEPTOR_FDS_MAX],
			   uint64_t *deadline);

/*
 * Accepts and reads what is there, without waiting. Returns a descriptor, now the caller's, with
 * its hello, or -EAGAIN when no connection has one. Call until then.
 */
int acceptor__next(struct acceptor *a, struct wire_hello *hello);

/* Says why there is no session on this connection, whose hello was read, and closes it. */
void acceptor__refuse(int fd, enum wire_refusal why);

#endif
