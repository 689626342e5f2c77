/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small io_uring for one thread, by system calls: the load generator needs no library. Requests
 * in flight are never more than completions have room: the caller sees to this.
 */
#ifndef LOADGEN_URING_H
#define LOADGEN_URING_H

#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "sender_conn.h"

struct uring {
	int fd; /* -1: closed */
	unsigned int *sq_tail, *sq_array, *cq_head, *cq_tail;
	unsigned int sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	void *sq_ring, *cq_ring;
	size_t sq_len, cq_len, sqes_len;
};

/*
 * completions: that may wait to be taken, at least `entries`. 0 or -errno: ENOSYS and EPERM where
 * io_uring is missing or forbidden; ENOMEM after a wait for RLIMIT_MEMLOCK, of at most 2 s in all
 * calls of a process; EINTR: SIGINT or SIGTERM is pending in that wait.
 */
int uring__open(struct uring *u, unsigned int entries, unsigned int completions);

/* Whether io_uring works here: opens a ring and closes it. As uring__open(); its texts. */
int uring__try(void);
#define URING_TRY_FAILS  "io_uring is missing or forbidden"
#define URING_TRY_REMEDY "see kernel.io_uring_disabled"

/* Cancels requests in flight. Also accepts a ring that failed to open. */
void uring__close(struct uring *u);

/*
 * Registers n buffers, which stay pinned until the ring is closed; each begin of an iovec is a
 * buffer's. 0 or -errno: ENOMEM where RLIMIT_MEMLOCK does not allow it.
 */
int uring__register(struct uring *u, const struct iovec *buffers, unsigned int n);

/* Queues a request for uring__enter(). No more than `entries` may be queued. */
void uring__queue(struct uring *u, const struct io_uring_sqe *request);

/*
 * Submits the n queued requests with one call; they may be complete at once. Returns how many the
 * kernel took, or -errno: none. Those that it did not take are dropped.
 */
int uring__enter(struct uring *u, unsigned int n);

/* Queues and submits one request. 0 or -errno. */
int uring__submit(struct uring *u, const struct io_uring_sqe *request);

/*
 * Takes the next completion, waiting at most ms for one (0: not at all). 0; -EAGAIN: there is none;
 * other -errno.
 */
int uring__next(struct uring *u, unsigned int ms, struct io_uring_cqe *completion);

struct uring_link {
	struct msghdr msg;
	size_t size;    /* bytes to send */
	int32_t result; /* bytes sent, or -errno */
};

/*
 * A chain: linked requests that send consecutive messages of one connection. The kernel executes
 * them in order. If one fails or sends less than its message, it cancels the following ones.
 */
struct uring_chain {
	struct uring_link *links; /* sender_conn.depth of them */
	unsigned int nr;          /* requests of the current or the last chain */
	unsigned int pending;     /* requests that have not completed */
};

/* Allocates room for conn->depth requests; free with uring_chain__close(), after the ring. */
void uring_chain__open(struct uring_chain *c, const struct sender_conn *conn);
void uring_chain__close(struct uring_chain *c);

/*
 * Begins a chain for the messages of conn's group that are not sent yet, at most `max` of them.
 * Returns the index in the group of the first one.
 */
unsigned int uring_chain__begin(struct uring_chain *c, const struct sender_conn *conn,
				unsigned int max);

/* The SENDMSG request for message m, which is number i of the chain. Call for each i in order. */
struct io_uring_sqe uring_chain__request(struct uring_chain *c, struct sender_conn *conn,
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
