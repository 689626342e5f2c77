/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode uringzc: an io_uring SENDMSG_ZC request pins header and fields, from slots. With
 * --fixed-buffers a SEND_ZC request sends a message from a registered buffer, pinned once.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "send_slots.h"
#include "sock.h"
#include "uring.h"

/* Since Linux 6.2, newer than some headers. */
#ifndef IORING_SEND_ZC_REPORT_USAGE
#define IORING_SEND_ZC_REPORT_USAGE (1U << 3)
#endif
#ifndef IORING_RECVSEND_FIXED_BUF
#define IORING_RECVSEND_FIXED_BUF (1U << 2)
#endif
#ifndef IORING_NOTIF_USAGE_ZC_COPIED
#define IORING_NOTIF_USAGE_ZC_COPIED (1U << 31)
#endif

/* Requests in flight: each message needs one, and one more for each time the socket was full. */
#define REQUESTS_MIN 64u

/* In use until its notification has come. */
struct request {
	struct send_slot *slot;
	bool sent; /* it queued bytes; a failed one has a notification that means nothing */
};

struct uringzc_sender {
	struct send_slots slots;
	struct uring ring;
	struct request *requests;
	uint16_t *free_list;
	unsigned int free_nr;
	uint32_t outstanding; /* requests whose notification is still to come */
	struct msghdr msg;
	bool pending;   /* the current request has not completed */
	int32_t result; /* of the last request that completed */
	bool fixed;     /* buffer i of the ring is the only field of slot i */
};

/* user_data of the only request that has no notification. */
#define COPYING UINT64_MAX

static unsigned int requests_of(const struct uringzc_sender *own)
{
	return own->slots.nr * 2 > REQUESTS_MIN ? own->slots.nr * 2 : REQUESTS_MIN;
}

static void uringzc__release(struct uringzc_sender *own, struct request *r)
{
	send_slots__drop(&own->slots, r->slot);
	own->free_list[own->free_nr++] = (uint16_t)(r - own->requests);
	own->outstanding--;
}

static void uringzc__notified(struct sender_conn *f, struct request *r, uint32_t usage)
{
	struct counters *c = f->counters;

	if (r->sent) {
		hist__record_latency(c->hist[COUNTERS_COMPLETION], clock__now() - r->slot->stamp);
		c->zc_completed++;
		if (usage & IORING_NOTIF_USAGE_ZC_COPIED)
			c->zc_copied++;
		else
			c->zc_not_copied++;
	}
	uringzc__release(f->own, r);
}

/* A request completed; its notification follows if the kernel says so. */
static void uringzc__completed(struct sender_conn *f, const struct io_uring_cqe *cqe)
{
	struct uringzc_sender *own = f->own;
	struct request *r = cqe->user_data == COPYING ? NULL : &own->requests[cqe->user_data];

	own->pending = false;
	own->result = cqe->res;
	if (!r)
		return;
	r->sent = cqe->res > 0;
	f->counters->zc_sends += r->sent;
	if (!(cqe->flags & IORING_CQE_F_MORE))
		uringzc__release(own, r);
}

/* Handles one completion or notification, waiting at most ms. -EAGAIN: there is none. */
static int uringzc__handle(struct sender_conn *f, unsigned int ms)
{
	struct uringzc_sender *own = f->own;
	struct io_uring_cqe cqe;
	int err = uring__next(&own->ring, ms, &cqe);

	if (err)
		return err;
	if (cqe.flags & IORING_CQE_F_NOTIF)
		uringzc__notified(f, &own->requests[cqe.user_data], (uint32_t)cqe.res);
	else
		uringzc__completed(f, &cqe);
	return 0;
}

static int uringzc__reap(struct sender_conn *f)
{
	int err;

	do
		err = uringzc__handle(f, 0);
	while (!err);
	return err == -EAGAIN ? 0 : err;
}

static int uringzc__wait(struct sender_conn *f, unsigned int ms)
{
	int err = uringzc__handle(f, ms);

	return err && err != -EAGAIN ? err : uringzc__reap(f);
}

static int uringzc__open_ring(struct uringzc_sender *own)
{
	/* Each request has a completion and a notification. */
	return uring__open(&own->ring, 1, 2 * requests_of(own));
}

/* As many slots as fit into this connection's share of half of RLIMIT_MEMLOCK. */
static unsigned int slots_allowed(const struct sender_conn *f, const struct send_slots *s)
{
	const struct workload *w = &f->options->workload;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t each = (workload__message_size(w) / page + 2) * page, n;
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return s->nr;
	n = limit.rlim_cur / 2 / w->connections / each;
	if (n < MODE_SLOTS_MIN)
		return MODE_SLOTS_MIN;
	return n < s->nr ? (unsigned int)n : s->nr;
}

/* Registers the memory of as many slots as RLIMIT_MEMLOCK allows. 0 or -errno. */
static int uringzc__register(const struct sender_conn *f, struct uringzc_sender *own)
{
	struct send_slots *s = &own->slots;
	struct iovec *buffers = xcalloc(s->nr, sizeof(*buffers));
	unsigned int n = slots_allowed(f, s);
	int err;

	for (unsigned int i = 0; i < n; i++)
		buffers[i] = s->list[i].message.iov[0];
	while ((err = uring__register(&own->ring, buffers, n)) == -ENOMEM && n > MODE_SLOTS_MIN)
		n /= 2;
	free(buffers);
	send_slots__keep(s, n);
	return err;
}

static int uringzc__setup(struct sender_conn *f)
{
	struct uringzc_sender *own = xcalloc(1, sizeof(*own));
	int err;

	f->own = own;
	send_slots__open(&own->slots, f);
	own->free_nr = requests_of(own);
	own->requests = xcalloc(own->free_nr, sizeof(*own->requests));
	own->free_list = xcalloc(own->free_nr, sizeof(*own->free_list));
	for (unsigned int i = 0; i < own->free_nr; i++)
		own->free_list[i] = (uint16_t)(own->free_nr - 1 - i);
	own->fixed = f->options->workload.fixed_buffers;
	err = uringzc__open_ring(own);
	return err || !own->fixed ? err : uringzc__register(f, own);
}

/* The ring is closed before the memory goes that a request may still read. */
static void uringzc__teardown(struct sender_conn *f)
{
	struct uringzc_sender *own = f->own;

	uring__close(&own->ring);
	send_slots__close(&own->slots);
	free(own->requests);
	free(own->free_list);
	free(own);
}

static int uringzc__prepare(struct sender_conn *f)
{
	int err = uringzc__reap(f);

	return err ? err : send_slots__prepare(f);
}

/* Only a message of very many partial sends needs to wait for a free request. */
static int uringzc__find_request(struct sender_conn *f)
{
	const struct uringzc_sender *own = f->own;
	int err = 0;

	if (!own->free_nr)
		err = send_slots__await(f, SEND_SLOTS_WAIT_MS);
	if (err)
		return err;
	return own->free_nr ? 0 : -EAGAIN;
}

static void uringzc__mark_begun(struct uringzc_sender *own, struct io_uring_sqe *sqe)
{
	struct request *r = &own->requests[own->free_list[--own->free_nr]];

	*r = (struct request){.slot = own->slots.current};
	own->slots.current->holds++;
	own->outstanding++;
	sqe->opcode = IORING_OP_SENDMSG_ZC;
	sqe->ioprio = IORING_SEND_ZC_REPORT_USAGE;
	sqe->user_data = (uint64_t)(r - own->requests);
	if (!own->fixed)
		return;
	sqe->opcode = IORING_OP_SEND_ZC;
	sqe->ioprio |= IORING_RECVSEND_FIXED_BUF;
	sqe->buf_index = (uint16_t)(own->slots.current - own->slots.list);
	sqe->addr = (uintptr_t)own->msg.msg_iov->iov_base;
	sqe->len = (uint32_t)own->msg.msg_iov->iov_len;
}

static int uringzc__begin_send(struct sender_conn *f)
{
	struct uringzc_sender *own = f->own;
	const struct message *m = &own->slots.current->message;
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_SENDMSG,
		.fd = f->fd,
		.addr = (uintptr_t)&own->msg,
		.len = 1,
		.msg_flags = MSG_NOSIGNAL | (f->blocking ? MSG_WAITALL : MSG_DONTWAIT),
		.user_data = COPYING,
	};
	int err = own->slots.copying ? 0 : uringzc__find_request(f);

	if (err)
		return err;
	own->msg = (struct msghdr){.msg_iov = f->rest};
	own->msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, f->done, f->rest);
	if (!own->slots.copying)
		uringzc__mark_begun(own, &sqe);
	own->pending = true;
	return uring__submit(&own->ring, &sqe);
}

/* A request that does not complete in time stays in flight: the next call waits for it. */
static ssize_t uringzc__send(struct sender_conn *f)
{
	struct uringzc_sender *own = f->own;
	int err = own->pending ? 0 : uringzc__begin_send(f);

	while (!err && own->pending)
		err = uringzc__handle(f, f->blocking ? SOCK_SEND_TIMEOUT_MS : 0);
	if (err)
		return err;
	/* RLIMIT_MEMLOCK is used up. */
	if (own->result == -ENOMEM && !own->slots.copying)
		return send_slots__relieve(f, own->outstanding);
	return own->result < 0 ? own->result : send_slots__sent(f, own->result);
}

static int uringzc__finish(struct sender_conn *f)
{
	const struct uringzc_sender *own = f->own;

	return send_slots__drain(f, &own->outstanding);
}

static int uringzc__notices_fd(const struct sender_conn *f)
{
	const struct uringzc_sender *own = f->own;

	return own->ring.fd;
}

/*
 * Whether this kernel takes a SENDMSG_ZC that reports whether its pages were copied; fixed: a
 * SEND_ZC from a registered buffer.
 */
static int try_on(int fd, bool fixed)
{
	static uint8_t byte;
	const struct iovec buffer = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {0};
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_SENDMSG_ZC,
		.ioprio = IORING_SEND_ZC_REPORT_USAGE,
		.fd = fd,
		.addr = (uintptr_t)&msg,
		.len = 1,
		.msg_flags = MSG_NOSIGNAL,
	};
	struct io_uring_cqe cqe;
	struct uring ring;
	int err = uring__open(&ring, 1, 2);

	if (fixed) {
		sqe.opcode = IORING_OP_SEND_ZC;
		sqe.ioprio |= IORING_RECVSEND_FIXED_BUF;
		sqe.addr = (uintptr_t)&byte;
	}
	if (!err && fixed)
		err = uring__register(&ring, &buffer, 1);
	if (!err)
		err = uring__submit(&ring, &sqe);
	if (!err)
		err = uring__next(&ring, SOCK_SEND_TIMEOUT_MS, &cqe);
	uring__close(&ring);
	/* A request that the kernel knows fails later: the socket is not connected. */
	return err || (cqe.res != -EINVAL && cqe.res != -EOPNOTSUPP) ? err : cqe.res;
}

static int uringzc__try(const struct workload *w)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	err = try_on(fd, w->fixed_buffers);
	close(fd);
	return err;
}

const struct send_mode send_mode_uringzc = {
	.try = uringzc__try,
	.try_fails = "io_uring is missing or forbidden, or lacks SENDMSG_ZC with REPORT_USAGE",
	.try_remedy = "see kernel.io_uring_disabled, or use a newer kernel",
	.setup = uringzc__setup,
	.teardown = uringzc__teardown,
	.prepare = uringzc__prepare,
	.begin = send_slots__begin,
	.send = uringzc__send,
	.wait = uringzc__wait,
	.reap = uringzc__reap,
	.finish = uringzc__finish,
	.notices_fd = uringzc__notices_fd,
};
