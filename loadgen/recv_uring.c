/* SPDX-License-Identifier: GPL-2.0-only */
/* The way uring: one io_uring RECV request at a time copies into the thread's buffer. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/xalloc.h"
#include "receive_way.h"
#include "receiver_pool.h"
#include "uring.h"

static int uring_way__setup(struct recv_loop *r)
{
	r->own = xcalloc(1, sizeof(struct uring));
	return uring__open(r->own, 1, 1);
}

static void uring_way__teardown(struct recv_loop *r)
{
	if (r->own)
		uring__close(r->own);
	free(r->own);
}

/* A request that was submitted completes: with bytes, or when the pool shuts the socket down. */
static ssize_t uring_way__receive(struct recv_loop *r, int fd, bool wait, struct received *got)
{
	const struct io_uring_sqe request = {
		.opcode = IORING_OP_RECV,
		.fd = fd,
		.addr = (uintptr_t)r->buf,
		.len = RECV_LOOP_CHUNK,
		.msg_flags = wait ? 0 : MSG_DONTWAIT,
	};
	struct io_uring_cqe done;
	int err = uring__submit(r->own, &request);

	if (err)
		return err;
	do {
		err = uring__next(r->own, INT_MAX, &done);
	} while (err == -EAGAIN);
	if (err)
		return err;
	if (done.res > 0)
		*got = (struct received){.data = {r->buf}, .len = {(size_t)done.res}};
	return done.res;
}

const struct receive_way receive_way_uring = {
	.try = uring__try,
	.try_fails = URING_TRY_FAILS,
	.try_remedy = URING_TRY_REMEDY,
	.setup = uring_way__setup,
	.teardown = uring_way__teardown,
	.receive = uring_way__receive,
};
