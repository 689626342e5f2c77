/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode uringzc: io_uring SENDMSG_ZC requests pin header and fields, from slots. With
 * --fixed-buffers SEND_ZC requests send messages from registered buffers, pinned once.
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

/*
 * In use until its notification has come. One that the kernel cancels with its chain completes as
 * if it had none, and yet has one: its number then is no longer the entry's.
 */
struct request {
	struct send_slot *slot;
	bool sent;       /* it pinned bytes; a failed one has a notification that means nothing */
	uint32_t number; /* of the uses of this entry */
};

struct uringzc_sender {
	struct send_slots slots;
	struct uring ring;
	struct request *requests;
	uint16_t *free_list;
	unsigned int free_nr;
	uint32_t outstanding; /* requests in use */
	struct uring_chain chain;
	bool single; /* a chain was refused: the messages of the group are sent one by one */
	bool fixed;  /* buffer i of the ring is the only field of slot i */
};

/* NULL: the notification of a cancelled request. */
static struct request *uringzc__find(const struct uringzc_sender *own, uint64_t data)
{
	struct request *r = &own->requests[data & UINT16_MAX];

	return r->number == data >> 32 ? r : NULL;
}

static unsigned int requests_of(const struct uringzc_sender *own)
{
	return own->slots.nr * 2 > REQUESTS_MIN ? own->slots.nr * 2 : REQUESTS_MIN;
}

static void uringzc__release(struct uringzc_sender *own, struct request *r)
{
	send_slots__drop(&own->slots, r->slot);
	own->free_list[own->free_nr++] = (uint16_t)(r - own->requests);
	own->outstanding--;
	r->number++;
}

static void uringzc__notified(struct sender_conn *conn, struct request *r, uint32_t usage)
{
	struct counters *c = conn->counters;

	if (r->sent) {
		hist__record_latency(c->hist[COUNTERS_COMPLETION], clock__now() - r->slot->stamp);
		c->zc_completed++;
		if (usage & IORING_NOTIF_USAGE_ZC_COPIED)
			c->zc_copied++;
		else
			c->zc_not_copied++;
	}
	uringzc__release(conn->own, r);
}

/* A request completed; its notification follows if the kernel says so. */
static void uringzc__completed(struct sender_conn *conn, struct request *r,
			       const struct io_uring_cqe *cqe)
{
	struct uringzc_sender *own = conn->own;

	uring_chain__completed(&own->chain, cqe->user_data >> 16 & UINT16_MAX, cqe->res);
	r->sent = cqe->res > 0 && !own->slots.copying;
	conn->counters->zc_sends += r->sent;
	if (!(cqe->flags & IORING_CQE_F_MORE))
		uringzc__release(own, r);
}

/* Handles one completion or notification, waiting at most ms. -EAGAIN: there is none. */
static int uringzc__handle(struct sender_conn *conn, unsigned int ms)
{
	struct uringzc_sender *own = conn->own;
	struct io_uring_cqe cqe;
	struct request *r;
	int err = uring__next(&own->ring, ms, &cqe);

	if (err)
		return err;
	r = uringzc__find(own, cqe.user_data);
	if (r && cqe.flags & IORING_CQE_F_NOTIF)
		uringzc__notified(conn, r, (uint32_t)cqe.res);
	else if (r)
		uringzc__completed(conn, r, &cqe);
	return 0;
}

static int uringzc__reap(struct sender_conn *conn)
{
	int err;

	do
		err = uringzc__handle(conn, 0);
	while (!err);
	return err == -EAGAIN ? 0 : err;
}

static int uringzc__wait(struct sender_conn *conn, unsigned int ms)
{
	int err = uringzc__handle(conn, ms);

	return err && err != -EAGAIN ? err : uringzc__reap(conn);
}

/* As many slots as fit into this connection's share of half of RLIMIT_MEMLOCK. */
static unsigned int slots_allowed(const struct sender_conn *conn, const struct send_slots *s,
				  unsigned int least)
{
	const struct workload *w = &conn->options->workload;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t each = (workload__message_size(w) / page + 2) * page, n;
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return s->nr;
	n = limit.rlim_cur / 2 / w->connections / each;
	if (n < least)
		return least;
	return n < s->nr ? (unsigned int)n : s->nr;
}

/* Registers the memory of as many slots as RLIMIT_MEMLOCK allows. 0 or -errno. */
static int uringzc__register(const struct sender_conn *conn, struct uringzc_sender *own)
{
	struct send_slots *s = &own->slots;
	struct iovec *buffers = xcalloc(s->nr, sizeof(*buffers));
	unsigned int least = MODE_SLOTS_MIN * conn->depth, n = slots_allowed(conn, s, least);
	int err;

	for (unsigned int i = 0; i < n; i++)
		buffers[i] = s->list[i].message.iov[0];
	while ((err = uring__register(&own->ring, buffers, n)) == -ENOMEM && n > least)
		n = n / 2 > least ? n / 2 : least;
	free(buffers);
	send_slots__keep(s, n);
	return err;
}

static int uringzc__setup(struct sender_conn *conn)
{
	struct uringzc_sender *own = xcalloc(1, sizeof(*own));
	int err;

	conn->own = own;
	send_slots__open(&own->slots, conn);
	uring_chain__open(&own->chain, conn);
	/* The ring has room for the notifications of a cancelled chain, too. */
	own->free_nr = requests_of(own) - (conn->depth - 1);
	own->requests = xcalloc(own->free_nr, sizeof(*own->requests));
	own->free_list = xcalloc(own->free_nr, sizeof(*own->free_list));
	for (unsigned int i = 0; i < own->free_nr; i++)
		own->free_list[i] = (uint16_t)(own->free_nr - 1 - i);
	own->fixed = conn->options->workload.fixed_buffers;
	/* Each request has a completion and a notification. */
	err = uring__open(&own->ring, conn->depth, 2 * requests_of(own));
	return err || !own->fixed ? err : uringzc__register(conn, own);
}

/* The ring is closed before the memory goes that a request may still read. */
static void uringzc__teardown(struct sender_conn *conn)
{
	struct uringzc_sender *own = conn->own;

	uring__close(&own->ring);
	send_slots__close(&own->slots);
	uring_chain__close(&own->chain);
	free(own->requests);
	free(own->free_list);
	free(own);
}

static int uringzc__prepare(struct sender_conn *conn)
{
	int err = uringzc__reap(conn);

	return err ? err : send_slots__prepare(conn);
}

static void uringzc__begin(struct sender_conn *conn, uint64_t stamp)
{
	struct uringzc_sender *own = conn->own;

	own->single = false;
	send_slots__begin(conn, stamp);
}

/* Only a message of very many partial sends needs to wait for a free request. */
static int uringzc__find_request(struct sender_conn *conn)
{
	const struct uringzc_sender *own = conn->own;
	int err = 0;

	if (!own->free_nr)
		err = send_slots__await(conn, SEND_SLOTS_WAIT_MS);
	if (err)
		return err;
	return own->free_nr ? 0 : -EAGAIN;
}

/* The zero-copy request for what a request that copies would send. */
static void pin(const struct uringzc_sender *own, const struct send_slot *slot,
		struct io_uring_sqe *sqe)
{
	const struct msghdr *msg = (const struct msghdr *)(uintptr_t)sqe->addr;

	sqe->opcode = IORING_OP_SENDMSG_ZC;
	sqe->ioprio = IORING_SEND_ZC_REPORT_USAGE;
	if (!own->fixed)
		return;
	sqe->opcode = IORING_OP_SEND_ZC;
	sqe->ioprio |= IORING_RECVSEND_FIXED_BUF;
	sqe->buf_index = (uint16_t)(slot - own->slots.list);
	sqe->addr = (uintptr_t)msg->msg_iov->iov_base;
	sqe->len = (uint32_t)msg->msg_iov->iov_len;
}

/* Request i of the chain, which sends the message of this slot. */
static void uringzc__queue(struct sender_conn *conn, unsigned int i, struct send_slot *slot)
{
	struct uringzc_sender *own = conn->own;
	struct io_uring_sqe sqe = uring_chain__request(&own->chain, conn, i, &slot->message);
	struct request *r = &own->requests[own->free_list[--own->free_nr]];

	r->slot = slot;
	r->sent = false;
	slot->holds++;
	own->outstanding++;
	/* From its low end: index in requests, 16 bits; index in the chain, 16; number, 32. */
	sqe.user_data = (uint64_t)(r - own->requests) | i << 16 | (uint64_t)r->number << 32;
	if (conn->blocking)
		sqe.msg_flags |= MSG_WAITALL;
	if (!own->slots.copying)
		pin(own, slot, &sqe);
	uring__queue(&own->ring, &sqe);
}

static int uringzc__submit(struct sender_conn *conn)
{
	struct uringzc_sender *own = conn->own;
	int err = uringzc__find_request(conn);
	unsigned int first, max, i;

	if (err)
		return err;
	max = own->single && !own->slots.copying ? 1 : own->free_nr;
	first = uring_chain__begin(&own->chain, conn, max);
	for (i = 0; i < own->chain.nr; i++)
		uringzc__queue(conn, i, own->slots.current[first + i]);
	err = uring_chain__submit(&own->chain, &own->ring);
	/* Those that the kernel did not take are on the free list's end, the last one first. */
	for (; i > own->chain.nr; i--)
		uringzc__release(own, &own->requests[own->free_list[own->free_nr]]);
	return err;
}

/* As uring_mode__send(). */
static ssize_t uringzc__send(struct sender_conn *conn)
{
	struct uringzc_sender *own = conn->own;
	int err = own->chain.pending ? 0 : uringzc__submit(conn);
	ssize_t n;

	while (!err && own->chain.pending)
		err = uringzc__handle(conn, SOCK_SEND_TIMEOUT_MS);
	if (err)
		return err;
	n = uring_chain__result(&own->chain);
	if (n != -ENOMEM || own->slots.copying)
		return n < 0 ? n : send_slots__sent(conn, n);
	/* RLIMIT_MEMLOCK is used up. One refused request cancels its chain. */
	if (own->chain.nr == 1)
		return send_slots__relieve(conn, own->outstanding);
	own->single = true;
	return 0;
}

static int uringzc__finish(struct sender_conn *conn)
{
	const struct uringzc_sender *own = conn->own;

	return send_slots__drain(conn, &own->outstanding);
}

static int uringzc__notices_fd(const struct sender_conn *conn)
{
	const struct uringzc_sender *own = conn->own;

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
	.begin = uringzc__begin,
	.send = uringzc__send,
	.wait = uringzc__wait,
	.reap = uringzc__reap,
	.finish = uringzc__finish,
	.notices_fd = uringzc__notices_fd,
};
