/* SPDX-License-Identifier: GPL-2.0-only */
/* A way to receive: each of RECEIVE_WAYS is one struct receive_way in a file recv_*.c. */
#ifndef LOADGEN_RECEIVE_WAY_H
#define LOADGEN_RECEIVE_WAY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/receive_way.h"

struct receiver_conn;
struct recv_loop;

/* Bytes of one call of receive(), in the order of the stream. */
struct received {
	const uint8_t *data[2]; /* valid until the next call; NULL: they cannot be read */
	size_t len[2];
	size_t uncopied; /* of them, taken without a copy */
};

/*
 * Operations of a receiver thread; those that return int return 0 or -errno. setup() allocates what
 * teardown() frees, also after an error; NULL: nothing. receive() takes what the socket has: bytes,
 * 0 at the end of the stream, or -errno. With `wait` it blocks until there are bytes, else it
 * returns -EAGAIN. A way whose requests are in flight on all connections has next() instead: it
 * waits for any of them, and sets *conn.
 */
struct receive_way {
	int (*try)(void);                   /* of a RECEIVE_TRIED: whether it works here */
	const char *try_fails, *try_remedy; /* what a failed try() means, and what to do */
	int (*setup)(struct recv_loop *r);
	void (*teardown)(struct recv_loop *r);
	ssize_t (*receive)(struct recv_loop *r, int fd, bool wait, struct received *got);
	ssize_t (*next)(struct recv_loop *r, struct receiver_conn **conn, struct received *got);
};

/* receive_way_recv and so on, one for each of RECEIVE_WAYS. */
#define X(id, name, ...) extern const struct receive_way receive_way_##name;
RECEIVE_WAYS(X)
#undef X

const struct receive_way *receive_way__get(enum receive way);

/* Whether the way works in this process: tried at most once a second, in one thread. 0 or -errno.
 */
int receive_way__try(enum receive way);

#endif
