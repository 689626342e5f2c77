/* SPDX-License-Identifier: GPL-2.0-only */
/* A way to send messages: each of MODES is a file, send_NAME.c, with one struct send_mode. */
#ifndef LOADGEN_SEND_MODE_H
#define LOADGEN_SEND_MODE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/mode.h"

struct sender_conn;
struct workload;

/*
 * Operations on a connection, except try(); those that return int return 0 or -errno. setup()
 * allocates what teardown() frees. prepare() fills the conn->group messages, outside the timed
 * call; -EAGAIN: too few slots are free. begin() writes the tags. send() sends the rest, or a part
 * of it, with one call: bytes, 0 to retry, or -errno. Only with slots, else NULL: wait() waits at
 * most ms for a slot, reap() reads notifications, finish() waits until the kernel has released all
 * buffers. notices_fd(): what is readable when notifications are there; NULL: the socket then
 * reports EPOLLERR.
 */
struct send_mode {
	int (*try)(const struct workload *w); /* of a MODE_TRIED: whether it can run here */
	const char *try_fails, *try_remedy;   /* what a failed try() means, and what to do */
	int (*setup)(struct sender_conn *conn);
	void (*teardown)(struct sender_conn *conn);
	int (*prepare)(struct sender_conn *conn);
	void (*begin)(struct sender_conn *conn, uint64_t stamp);
	ssize_t (*send)(struct sender_conn *conn);
	int (*wait)(struct sender_conn *conn, unsigned int ms);
	int (*reap)(struct sender_conn *conn);
	int (*finish)(struct sender_conn *conn);
	int (*notices_fd)(const struct sender_conn *conn);
};

/* send_mode_twocopy and so on, one for each of MODES. */
#define X(id, name, ...) extern const struct send_mode send_mode_##name;
MODES(X)
#undef X

const struct send_mode *send_mode__get(enum mode mode);

#endif
