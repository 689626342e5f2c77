/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps the rings, submits requests and takes completions. */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "common/xalloc.h"
#include "control_conn.h"
#include "uring.h"

#define MEMLOCK_WAIT_NS (2 * NS_PER_SEC)
#define MEMLOCK_LOOK_US 1000

static void *map_ring(int fd, size_t len, uint64_t offset)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		    (off_t)offset);
}

static unsigned int *at(void *ring, uint32_t offset)
{
	return (void *)((char *)ring + offset);
}

static int map_rings(struct uring *u, const struct io_uring_params *p)
{
	u->sq_len = p->sq_off.array + p->sq_entries * sizeof(unsigned int);
	u->cq_len = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	u->sqes_len = p->sq_entries * sizeof(struct io_uring_sqe);
	u->sq_ring = map_ring(u->fd, u->sq_len, IORING_OFF_SQ_RING);
	u->cq_ring = map_ring(u->fd, u->cq_len, IORING_OFF_CQ_RING);
	u->sqes = map_ring(u->fd, u->sqes_len, IORING_OFF_SQES);
	if (u->sq_ring == MAP_FAILED || u->cq_ring == MAP_FAILED || u->sqes == MAP_FAILED)
		return -errno;
	u->sq_tail = at(u->sq_ring, p->sq_off.tail);
	u->sq_array = at(u->sq_ring, p->sq_off.array);
	u->sq_mask = *at(u->sq_ring, p->sq_off.ring_mask);
	u->cq_head = at(u->cq_ring, p->cq_off.head);
	u->cq_tail = at(u->cq_ring, p->cq_off.tail);
	u->cq_mask = *at(u->cq_ring, p->cq_off.ring_mask);
	u->cqes = (void *)at(u->cq_ring, p->cq_off.cqes);
	return 0;
}

/*
 * RLIMIT_MEMLOCK bounds the pages that all processes of a user have pinned, rings among them: those
 * of a sender that has just ended, or of another one, may be free soon. All rings of a process
 * share one wait.
 */
static bool may_wait(void)
{
	static _Atomic uint64_t deadline;
	uint64_t now = clock__now(), none = 0;

	atomic_compare_exchange_strong(&deadline, &none, now + MEMLOCK_WAIT_NS);
	return now < atomic_load(&deadline);
}

static int set_up(unsigned int entries, struct io_uring_params *p)
{
	long fd;

	while ((fd = syscall(SYS_io_uring_setup, entries, p)) < 0) {
		if (errno != ENOMEM)
			return -errno;
		if (control_conn__is_to_end())
			return -EINTR;
		if (!may_wait())
			return -ENOMEM;
		usleep(MEMLOCK_LOOK_US);
	}
	return (int)fd;
}

int uring__open(struct uring *u, unsigned int entries, unsigned int completions)
{
	struct io_uring_params p = {.flags = IORING_SETUP_CQSIZE, .cq_entries = completions};
	int err;

	*u = (struct uring){.sq_ring = MAP_FAILED, .cq_ring = MAP_FAILED, .sqes = MAP_FAILED};
	u->fd = set_up(entries, &p);
	if (u->fd < 0)
		return u->fd;
	err = map_rings(u, &p);
	if (err)
		uring__close(u);
	return err;
}

static void unmap(void *ring, size_t len)
{
	if (ring != MAP_FAILED)
		munmap(ring, len);
}

void uring__close(struct uring *u)
{
	if (u->fd < 0)
		return;
	unmap(u->sq_ring, u->sq_len);
	unmap(u->cq_ring, u->cq_len);
	unmap(u->sqes, u->sqes_len);
	close(u->fd);
	u->fd = -1;
}

int uring__try(void)
{
	struct uring ring;
	int err = uring__open(&ring, 1, 1);

	uring__close(&ring);
	return err;
}

void uring__queue(struct uring *u, const struct io_uring_sqe *request)
{
	unsigned int tail = *u->sq_tail, slot = tail & u->sq_mask;

	u->sqes[slot] = *request;
	u->sq_array[slot] = slot;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
}

int uring__enter(struct uring *u, unsigned int n)
{
	long taken;
	int err;

	do {
		taken = syscall(SYS_io_uring_enter, u->fd, n, 0, 0, NULL, 0);
		err = taken < 0 ? -errno : taken ? 0 : -EAGAIN;
	} while (err == -EINTR);
	if (err)
		taken = 0;
	__atomic_store_n(u->sq_tail, *u->sq_tail - (n - (unsigned int)taken), __ATOMIC_RELEASE);
	return err ? err : (int)taken;
}

int uring__submit(struct uring *u, const struct io_uring_sqe *request)
{
	int n;

	uring__queue(u, request);
	n = uring__enter(u, 1);
	return n < 0 ? n : 0;
}

int uring__register(struct uring *u, const struct iovec *buffers, unsigned int n)
{
	return syscall(SYS_io_uring_register, u->fd, IORING_REGISTER_BUFFERS, buffers, n) ? -errno
											  : 0;
}

static bool pop(struct uring *u, struct io_uring_cqe *completion)
{
	unsigned int head = *u->cq_head;

	if (head == __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*completion = u->cqes[head & u->cq_mask];
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

int uring__next(struct uring *u, unsigned int ms, struct io_uring_cqe *completion)
{
	struct pollfd p = {.fd = u->fd, .events = POLLIN};

	if (pop(u, completion))
		return 0;
	if (ms && poll(&p, 1, (int)ms) < 0 && errno != EINTR)
		return -errno;
	return pop(u, completion) ? 0 : -EAGAIN;
}

void uring_chain__open(struct uring_chain *c, const struct sender_conn *conn)
{
	*c = (struct uring_chain){.links = xcalloc(conn->depth, sizeof(*c->links))};
}

void uring_chain__close(struct uring_chain *c)
{
	free(c->links);
}

unsigned int uring_chain__begin(struct uring_chain *c, const struct sender_conn *conn,
				unsigned int max)
{
	unsigned int first = (unsigned int)(conn->done / sender_conn__message_size(conn));

	c->nr = conn->group - first;
	if (c->nr > max)
		c->nr = max;
	return first;
}

struct io_uring_sqe uring_chain__request(struct uring_chain *c, struct sender_conn *conn,
					 unsigned int i, const struct message *m)
{
	size_t done = i ? 0 : conn->done % m->size;
	struct iovec *rest = conn->rest + (size_t)i * m->iov_nr;
	struct uring_link *link = &c->links[i];

	link->size = m->size - done;
	link->msg = (struct msghdr){.msg_iov = rest};
	link->msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, done, rest);
	/* Without MSG_WAITALL a short send would not cancel the following requests. */
	return (struct io_uring_sqe){
		.opcode = IORING_OP_SENDMSG,
		.flags = i + 1 < c->nr ? IOSQE_IO_LINK : 0,
		.fd = conn->fd,
		.addr = (uintptr_t)&link->msg,
		.len = 1,
		.msg_flags = MSG_NOSIGNAL | (conn->blocking ? 0 : MSG_DONTWAIT) |
			     (conn->depth > 1 ? MSG_WAITALL : 0),
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
