/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode uring: io_uring SENDMSG requests send header and fields as they are. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mode.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "sender_conn.h"
#include "sock.h"
#include "uring.h"

struct uring_sender {
	struct uring ring;
	struct uring_chain chain; /* requests in flight read conn->rest and the messages */
	struct message *messages; /* sender_conn.depth of them */
};

/* More than a socket takes. */
#define CUT_SIZE (1 << 20)

/* Whether a request that a full socket cuts short says what it sent. */
static int try_cut(int fd)
{
	void *data = xcalloc(1, CUT_SIZE);
	const struct io_uring_sqe request = {
		.opcode = IORING_OP_SEND,
		.fd = fd,
		.addr = (uintptr_t)data,
		.len = CUT_SIZE,
		.msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL,
	};
	struct io_uring_cqe done = {0};
	struct uring ring;
	int err = uring__open(&ring, 1, 1);

	if (!err)
		err = uring__submit(&ring, &request);
	if (!err)
		err = uring__next(&ring, SOCK_SEND_TIMEOUT_MS, &done);
	uring__close(&ring);
	free(data);
	return err || done.res > 0 ? err : -EOPNOTSUPP;
}

/* Chains need more: Linux 5.10.163 says EAGAIN of bytes that it sent, which would be sent again. */
static int uring_mode__try(const struct workload *w)
{
	int fds[2], err;

	if (mode__depth(MODE_URING, w) == 1)
		return uring__try();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds))
		return -errno;
	err = try_cut(fds[0]);
	close(fds[0]);
	close(fds[1]);
	return err;
}

static int uring_mode__setup(struct sender_conn *conn)
{
	struct uring_sender *own = xcalloc(1, sizeof(*own));

	conn->own = own;
	uring_chain__open(&own->chain, conn);
	own->messages = xcalloc(conn->depth, sizeof(*own->messages));
	for (unsigned int i = 0; i < conn->depth; i++)
		sender_conn__init_message(conn, &own->messages[i]);
	return uring__open(&own->ring, conn->depth, conn->depth);
}

/* The ring is closed before the memory goes that a request may still read. */
static void uring_mode__teardown(struct sender_conn *conn)
{
	struct uring_sender *own = conn->own;

	uring__close(&own->ring);
	uring_chain__close(&own->chain);
	for (unsigned int i = 0; i < conn->depth; i++)
		message__clear(&own->messages[i]);
	free(own->messages);
	free(own);
}

static int uring_mode__prepare(struct sender_conn *conn)
{
	struct uring_sender *own = conn->own;

	if (!conn->options->workload.verify)
		return 0;
	for (unsigned int i = 0; i < conn->group; i++)
		message__fill(&own->messages[i], conn->index, conn->seq + i);
	conn->now = 0;
	return 0;
}

static void uring_mode__begin(struct sender_conn *conn, uint64_t stamp)
{
	struct uring_sender *own = conn->own;

	for (unsigned int i = 0; i < conn->group; i++)
		message__put_tag(&own->messages[i], conn->seq + i, stamp);
}

static int uring_mode__submit(struct sender_conn *conn)
{
	struct uring_sender *own = conn->own;
	unsigned int first = uring_chain__begin(&own->chain, conn, conn->depth);

	for (unsigned int i = 0; i < own->chain.nr; i++) {
		const struct io_uring_sqe request =
			uring_chain__request(&own->chain, conn, i, &own->messages[first + i]);

		uring__queue(&own->ring, &request);
	}
	return uring_chain__submit(&own->chain, &own->ring);
}

/*
 * Requests of a socket that does not block complete at once. Others that do not complete in time
 * stay in flight: the next call waits for them.
 */
static ssize_t uring_mode__send(struct sender_conn *conn)
{
	struct uring_sender *own = conn->own;
	int err = own->chain.pending ? 0 : uring_mode__submit(conn);

	while (!err && own->chain.pending) {
		struct io_uring_cqe done;

		err = uring__next(&own->ring, SOCK_SEND_TIMEOUT_MS, &done);
		if (!err)
			uring_chain__completed(&own->chain, (unsigned int)done.user_data, done.res);
	}
	return err ? err : uring_chain__result(&own->chain);
}

const struct send_mode send_mode_uring = {
	.try = uring_mode__try,
	.try_fails = URING_TRY_FAILS ", or does not say what a request sent that is cut short, as "
				     "--uring-depth needs",
	.try_remedy = URING_TRY_REMEDY ", or use Linux 6.1 or newer",
	.setup = uring_mode__setup,
	.teardown = uring_mode__teardown,
	.prepare = uring_mode__prepare,
	.begin = uring_mode__begin,
	.send = uring_mode__send,
};
