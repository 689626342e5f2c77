/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode uring: an io_uring SENDMSG request sends header and fields as they are. */
#include <stdlib.h>
#include <sys/socket.h>

#include "common/xalloc.h"
#include "send_mode.h"
#include "sender_conn.h"
#include "sock.h"
#include "uring.h"

struct uring_sender {
	struct uring ring;
	struct msghdr msg;
	bool pending; /* the request is in flight: it reads f->rest and the message */
};

static int uring_mode__try(const struct workload *w)
{
	(void)w;
	return uring__try();
}

static int uring_mode__setup(struct sender_conn *f)
{
	struct uring_sender *own = xcalloc(1, sizeof(*own));

	f->own = own;
	sender_conn__init_message(f, &f->message);
	return uring__open(&own->ring, 1, 1);
}

/* The ring is closed before the memory goes that a request may still read. */
static void uring_mode__teardown(struct sender_conn *f)
{
	struct uring_sender *own = f->own;

	uring__close(&own->ring);
	free(own);
	message__clear(&f->message);
}

static int uring_mode__begin_send(struct sender_conn *f)
{
	struct uring_sender *own = f->own;
	const struct message *m = &f->message;
	const struct io_uring_sqe request = {
		.opcode = IORING_OP_SENDMSG,
		.fd = f->fd,
		.addr = (uintptr_t)&own->msg,
		.len = 1,
		.msg_flags = MSG_NOSIGNAL | (f->blocking ? 0 : MSG_DONTWAIT),
	};
	int err;

	own->msg = (struct msghdr){.msg_iov = f->rest};
	own->msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, f->done, f->rest);
	err = uring__submit(&own->ring, &request);
	own->pending = !err;
	return err;
}

/* A request that does not complete in time stays in flight: the next call waits for it. */
static ssize_t uring_mode__send(struct sender_conn *f)
{
	struct uring_sender *own = f->own;
	struct io_uring_cqe done;
	int err = own->pending ? 0 : uring_mode__begin_send(f);

	if (!err)
		err = uring__next(&own->ring, f->blocking ? SOCK_SEND_TIMEOUT_MS : 0, &done);
	if (err)
		return err;
	own->pending = false;
	return done.res;
}

const struct send_mode send_mode_uring = {
	.try = uring_mode__try,
	.try_fails = URING_TRY_FAILS,
	.try_remedy = URING_TRY_REMEDY,
	.setup = uring_mode__setup,
	.teardown = uring_mode__teardown,
	.prepare = sender_conn__fill_message,
	.begin = sender_conn__tag_message,
	.send = uring_mode__send,
};
