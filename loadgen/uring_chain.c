/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the requests of a chain, and adds up their results. */
#include <errno.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "uring_chain.h"

void uring_chain__open(struct uring_chain *c, const struct sender_conn *f)
{
	*c = (struct uring_chain){.links = xcalloc(f->depth, sizeof(*c->links))};
}

void uring_chain__close(struct uring_chain *c)
{
	free(c->links);
}

unsigned int uring_chain__begin(struct uring_chain *c, const struct sender_conn *f,
				unsigned int max)
{
	unsigned int first = (unsigned int)(f->done / sender_conn__message_size(f));

	c->nr = f->group - first;
	if (c->nr > max)
		c->nr = max;
	return first;
}

struct io_uring_sqe uring_chain__request(struct uring_chain *c, struct sender_conn *f,
					 unsigned int i, const struct message *m)
{
	size_t done = i ? 0 : f->done % m->size;
	struct iovec *rest = f->rest + (size_t)i * m->iov_nr;
	struct uring_link *link = &c->links[i];

	link->size = m->size - done;
	link->msg = (struct msghdr){.msg_iov = rest};
	link->msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, done, rest);
	/* Without MSG_WAITALL a short send would not cancel the following requests. */
	return (struct io_uring_sqe){
		.opcode = IORING_OP_SENDMSG,
		.flags = i + 1 < c->nr ? IOSQE_IO_LINK : 0,
		.fd = f->fd,
		.addr = (uintptr_t)&link->msg,
		.len = 1,
		.msg_flags = MSG_NOSIGNAL | (f->blocking ? 0 : MSG_DONTWAIT) |
			     (f->depth > 1 ? MSG_WAITALL : 0),
		.user_data = i,
	};
}

int uring_chain__submit(struct uring_chain *c, struct uring *ring)
{
	int n = uring__enter(ring, c->nr);

	c->nr = c->pending = n < 0 ? 0 : (unsigned int)n;
	return n < 0 ? n : 0;
}

void uring_chain__completed(struct uring_chain *c, unsigned int i, int32_t result)
{
	c->links[i].result = result;
	c->pending--;
}

/* The kernel cancels the requests around the one that failed: its result is the cause. */
ssize_t uring_chain__result(const struct uring_chain *c)
{
	ssize_t sum = 0, cause = -ECANCELED;
	bool gap = false;

	for (const struct uring_link *l = c->links; l < c->links + c->nr; l++) {
		if (l->result > 0 && gap)
			return -EBADE;
		if (l->result > 0)
			sum += l->result;
		else if (cause == -ECANCELED)
			cause = l->result;
		gap |= l->result < 0 || (size_t)l->result < l->size;
	}
	/* To the callers, -ECANCELED is a stop before the message began. */
	return sum ? sum : cause == -ECANCELED ? -EIO : cause;
}
