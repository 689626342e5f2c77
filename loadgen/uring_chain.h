/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A chain: linked requests that send consecutive messages of one connection. The kernel executes
 * them in order. If one fails or sends less than its message, it cancels the following ones.
 */
#ifndef LOADGEN_URING_CHAIN_H
#define LOADGEN_URING_CHAIN_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "sender_conn.h"
#include "uring.h"

struct uring_link {
	struct msghdr msg;
	size_t size;    /* bytes to send */
	int32_t result; /* bytes sent, or -errno */
};

struct uring_chain {
	struct uring_link *links; /* sender_conn.depth of them */
	unsigned int nr;          /* requests of the current or the last chain */
	unsigned int pending;     /* requests that have not completed */
};

/* Allocates room for f->depth requests; free with uring_chain__close(), after the ring is closed.
 */
void uring_chain__open(struct uring_chain *c, const struct sender_conn *f);
void uring_chain__close(struct uring_chain *c);

/*
 * Begins a chain for the messages of f's group that are not sent yet, at most `max` of them.
 * Returns the index in the group of the first one.
 */
unsigned int uring_chain__begin(struct uring_chain *c, const struct sender_conn *f,
				unsigned int max);

/* The SENDMSG request for message m, which is number i of the chain. Call for each i in order. */
struct io_uring_sqe uring_chain__request(struct uring_chain *c, struct sender_conn *f,
					 unsigned int i, const struct message *m);

/* Submits the queued requests of the chain with one call. c->nr: those that the kernel took. 0 or
 * -errno: none. */
int uring_chain__submit(struct uring_chain *c, struct uring *ring);

/* Request i of the chain has completed. */
void uring_chain__completed(struct uring_chain *c, unsigned int i, int32_t result);

/*
 * When all requests have completed: the bytes sent, or if there are none the cause (-errno).
 * -EBADE: a request sent bytes after another had left a gap.
 */
ssize_t uring_chain__result(const struct uring_chain *c);

#endif
