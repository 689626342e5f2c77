/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways multishot and bundle: each connection has one io_uring RECV request that completes again
 * and again. For each completion the kernel takes a buffer of the thread's ring of provided
 * buffers, for one of bundle as many as the bytes fill.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "common/xalloc.h"
#include "receive_way.h"
#include "receiver_pool.h"
#include "sock.h"
#include "uring.h"

/* Buffers of a thread, powers of two: one a connection, within these limits. */
#define BUFFERS_MIN 16u
#define BUFFERS_MAX 1024u
#define BUFFER_SIZE (64 << 10)
#define TRIAL_SIZE  256 /* of a trial, which receives a byte */

/* A bundle fills small buffers: this many in place of each of multishot's. */
#define BUNDLE_PARTS 16u

/* Linux 6.10; missing in older headers. */
#ifndef IORING_RECVSEND_BUNDLE
#define IORING_RECVSEND_BUNDLE (1U << 4)
#endif

struct multishot {
	struct uring ring;
	struct io_uring_buf_ring *provided;
	uint8_t *buffers;
	unsigned int buffers_nr, buffer_size;
	bool bundle;
	/*
	 * The last completion's buffers: as each is provided again in the order in which the kernel
	 * took them, the numbers of a bundle's follow each other, 0 after the last.
	 */
	unsigned int taken, taken_nr;
	/* Connections whose request has ended: a queue in an array with room for all. */
	uint32_t *ended;
	unsigned int connections, ended_first, ended_nr;
};

static void provide(struct multishot *m, unsigned int number)
{
	uint16_t tail = m->provided->tail;
	struct io_uring_buf *entry = &m->provided->bufs[tail % m->buffers_nr];

	/* Entry 0 and the tail share memory: only these members may be written. */
	entry->addr = (uintptr_t)(m->buffers + (size_t)number * m->buffer_size);
	entry->len = m->buffer_size;
	entry->bid = (uint16_t)number;
	__atomic_store_n(&m->provided->tail, (uint16_t)(tail + 1), __ATOMIC_RELEASE);
}

static int multishot__provide_all(struct multishot *m)
{
	struct io_uring_buf_reg reg = {.ring_entries = m->buffers_nr};

	reg.ring_addr = (uintptr_t)m->provided;
	if (syscall(SYS_io_uring_register, m->ring.fd, IORING_REGISTER_PBUF_RING, &reg, 1))
		return -errno;
	for (unsigned int i = 0; i < m->buffers_nr; i++)
		provide(m, i);
	return 0;
}

/* size: of a buffer. */
static int multishot__open(struct multishot *m, unsigned int connections, bool bundle,
			   unsigned int size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int n = BUFFERS_MIN;
	int err;

	while (n < connections && n < BUFFERS_MAX)
		n *= 2;
	*m = (struct multishot){
		.buffers_nr = bundle ? n * BUNDLE_PARTS : n,
		.buffer_size = bundle ? size / BUNDLE_PARTS : size,
		.bundle = bundle,
		.connections = connections,
	};
	n = m->buffers_nr;
	/* The kernel wants whole pages. */
	m->provided = (void *)payload__alloc(n * sizeof(struct io_uring_buf) + page, 0);
	m->buffers = payload__alloc((size_t)n * m->buffer_size, 0);
	m->ended = xcalloc(connections, sizeof(*m->ended));
	/* Each buffer may be in a completion, and each request may have ended. */
	err = uring__open(&m->ring, 1, n + connections);
	return err ? err : multishot__provide_all(m);
}

static void multishot__close(struct multishot *m)
{
	uring__close(&m->ring);
	free(m->provided);
	free(m->buffers);
	free(m->ended);
}

static int arm(struct multishot *m, int fd, uint64_t connection)
{
	const struct io_uring_sqe request = {
		.opcode = IORING_OP_RECV,
		.flags = IOSQE_BUFFER_SELECT,
		.ioprio = IORING_RECV_MULTISHOT | (m->bundle ? IORING_RECVSEND_BUNDLE : 0),
		.fd = fd,
		.user_data = connection,
	};

	return uring__submit(&m->ring, &request);
}

/* Whether this kernel's requests go on after a completion that took a provided buffer. */
static int try_on(int fd, bool bundle)
{
	struct multishot m;
	struct io_uring_cqe cqe = {0};
	int err = multishot__open(&m, 1, bundle, TRIAL_SIZE);

	if (!err)
		err = arm(&m, fd, 0);
	if (!err)
		err = uring__next(&m.ring, SOCK_SEND_TIMEOUT_MS, &cqe);
	multishot__close(&m);
	if (err || cqe.res < 0)
		return err ? err : cqe.res;
	return cqe.flags & IORING_CQE_F_MORE && cqe.flags & IORING_CQE_F_BUFFER ? 0 : -EOPNOTSUPP;
}

static int multishot__try(bool bundle)
{
	int fds[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	err = send(fds[1], "", 1, MSG_NOSIGNAL) == 1 ? try_on(fds[0], bundle) : -errno;
	close(fds[0]);
	close(fds[1]);
	return err;
}

static int multishot_way__try(void)
{
	return multishot__try(false);
}

static int bundle_way__try(void)
{
	return multishot__try(true);
}

static int multishot_way__setup(struct recv_loop *r)
{
	struct multishot *m = xcalloc(1, sizeof(*m));
	int err = multishot__open(m, r->nr, r->all->way == &receive_way_bundle, BUFFER_SIZE);

	r->own = m;
	for (unsigned int i = 0; !err && i < r->nr; i++)
		err = arm(m, r->conns[i].fd, i);
	return err;
}

static void multishot_way__teardown(struct recv_loop *r)
{
	if (r->own)
		multishot__close(r->own);
	free(r->own);
}

/* Arms the request that ended first. 0 or -errno. */
static int rearm(struct multishot *m, const struct receiver_conn *conns)
{
	uint32_t connection = m->ended[m->ended_first];

	m->ended_first = (m->ended_first + 1) % m->connections;
	m->ended_nr--;
	return arm(m, conns[connection].fd, connection);
}

/*
 * Takes the next completion. If there is none, all buffers are free: a request that has ended is
 * sent again. Else it waits, first without sleeping as --spin says. 0 or -errno.
 */
static int await(struct recv_loop *r, struct io_uring_cqe *cqe)
{
	struct multishot *m = r->own;
	uint64_t ns = r->all->options->workload.spin_ns, until = ns ? clock__now() + ns : 0;
	int err;

	do {
		bool wait = !m->ended_nr && (!until || clock__now() >= until);

		err = uring__next(&m->ring, wait ? INT_MAX : 0, cqe);
		if (err != -EAGAIN)
			return err;
		err = m->ended_nr ? rearm(m, r->conns) : 0;
	} while (!err);
	return err;
}

/* A request ends where no buffer is free (ENOBUFS), and where the kernel chooses to. */
static bool is_to_go_on(const struct io_uring_cqe *cqe)
{
	return cqe->res > 0 || cqe->res == -ENOBUFS || cqe->res == -EINTR || cqe->res == -EAGAIN;
}

/*
 * Notes the completion's buffers. -EBADE: they are not those that follow the last ones, so where a
 * bundle's bytes are is unknown.
 */
static int take(struct multishot *m, const struct io_uring_cqe *cqe)
{
	unsigned int first = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
	unsigned int bytes = cqe->res > 0 ? (unsigned int)cqe->res : 0;

	if (!(cqe->flags & IORING_CQE_F_BUFFER))
		return 0;
	if (m->bundle && first != m->taken)
		return -EBADE;
	m->taken = first;
	m->taken_nr = m->bundle ? (bytes + m->buffer_size - 1) / m->buffer_size : 1;
	return 0;
}

/* A bundle goes on in the first buffer after the last. */
static struct received bytes_of(const struct multishot *m, size_t bytes)
{
	size_t to_end = (size_t)(m->buffers_nr - m->taken) * m->buffer_size;
	size_t first = bytes < to_end ? bytes : to_end;

	return (struct received){
		.data = {m->buffers + (size_t)m->taken * m->buffer_size, m->buffers},
		.len = {first, bytes - first},
	};
}

static ssize_t multishot_way__next(struct recv_loop *r, struct receiver_conn **conn,
				   struct received *got)
{
	struct multishot *m = r->own;
	struct io_uring_cqe cqe;
	int err;

	for (; m->taken_nr; m->taken_nr--) {
		provide(m, m->taken);
		m->taken = (m->taken + 1) % m->buffers_nr;
	}
	do {
		err = await(r, &cqe);
		/* No memory for a request; EAGAIN means no data to the loop. */
		if (err)
			return err == -EAGAIN ? -ENOMEM : err;
		if (!(cqe.flags & IORING_CQE_F_MORE) && is_to_go_on(&cqe))
			m->ended[(m->ended_first + m->ended_nr++) % m->connections] =
				(uint32_t)cqe.user_data;
	} while (cqe.res == -ENOBUFS);
	*conn = &r->conns[cqe.user_data];
	err = take(m, &cqe);
	if (err)
		return err;
	if (cqe.res > 0)
		*got = bytes_of(m, (size_t)cqe.res);
	return cqe.res;
}

const struct receive_way receive_way_multishot = {
	.try = multishot_way__try,
	.try_fails = "io_uring is missing or forbidden, or lacks multishot RECV with a ring of "
		     "provided buffers",
	.try_remedy = "see kernel.io_uring_disabled, or use Linux 6.0 or newer",
	.setup = multishot_way__setup,
	.teardown = multishot_way__teardown,
	.next = multishot_way__next,
};

const struct receive_way receive_way_bundle = {
	.try = bundle_way__try,
	.try_fails = "io_uring is missing or forbidden, or lacks bundles of provided buffers",
	.try_remedy = "see kernel.io_uring_disabled, or use Linux 6.10 or newer",
	.setup = multishot_way__setup,
	.teardown = multishot_way__teardown,
	.next = multishot_way__next,
};
