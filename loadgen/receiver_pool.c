/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver threads: each reads its connections, counts and replies. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "busy_poll.h"
#include "clock.h"
#include "common/xalloc.h"
#include "ktls.h"
#include "pin.h"
#include "receiver_pool.h"
#include "sock.h"

#define BATCH 64

static bool receiver_conn__settled(const struct receiver_conn *conn)
{
	return conn->bytes == conn->expected;
}

/* Caller holds r->lock. Updates pending and err after conn's bytes, expected or ended changed. */
static void recv_loop__check(struct recv_loop *r, struct receiver_conn *conn)
{
	if (receiver_conn__settled(conn))
		r->pending--;
	else if (conn->expected != UINT64_MAX && conn->bytes > conn->expected)
		r->err = r->err ? r->err : -EOVERFLOW;
	else if (conn->ended)
		r->err = r->err ? r->err : -ECONNRESET;
}

/* The result of one call, and when it was called and returned. */
struct recv_result {
	ssize_t n; /* as receive() returns it */
	struct received got;
	uint64_t begin, end;
};

/* Calls receive() until something comes, or the time is over: then -EAGAIN. */
static ssize_t recv_loop__spin(struct recv_loop *r, int fd, struct recv_result *result)
{
	uint64_t ns = r->all->options->workload.spin_ns;
	ssize_t n = -EAGAIN;

	while (ns && n == -EAGAIN && clock__now() < result->begin + ns)
		n = r->all->way->receive(r, fd, false, &result->got);
	return n;
}

/* Without epoll this call waits for data, and the wait is part of its time. */
static struct recv_result recv_loop__recv(struct recv_loop *r, const struct receiver_conn *conn)
{
	struct recv_result result = {.n = -EAGAIN, .begin = clock__now()};
	bool wait = r->epoll_fd < 0;

	if (wait)
		result.n = recv_loop__spin(r, conn->fd, &result);
	if (result.n == -EAGAIN)
		result.n = r->all->way->receive(r, conn->fd, wait, &result.got);
	result.end = clock__now();
	return result;
}

/* A call that was blocked when the phase began counts from the begin of the phase. */
static void recv_loop__time(struct recv_loop *r, const struct recv_result *result)
{
	uint64_t phase = atomic_load_explicit(&r->all->begin_ns, memory_order_acquire);
	uint64_t begin = result->begin > phase ? result->begin : phase;

	hist__record_latency(r->counters.hist[COUNTERS_RECV_CALL],
			     result->end > begin ? result->end - begin : 0);
}

static void recv_loop__count(struct recv_loop *r, struct receiver_conn *conn,
			     const struct recv_result *result)
{
	const struct received *got = &result->got;
	uint64_t before = r->counters.messages;

	r->counters.calls++;
	r->counters.uncopied += got->uncopied;
	r->counters.last_ns = result->end;
	recv_loop__time(r, result);
	conn->bytes += (size_t)result->n;
	for (int i = 0; i < 2; i++)
		rx_parser__feed(&conn->parser, &r->counters, got->data[i], got->len[i],
				result->end);
	if (r->all->replies && r->counters.messages > before) {
		r->owing += !conn->reply.owed;
		conn->reply.owed += r->counters.messages - before;
	}
	if (conn->bytes >= conn->expected)
		recv_loop__check(r, conn);
}

static void recv_loop__end(struct recv_loop *r, struct receiver_conn *conn, int err)
{
	conn->ended = true;
	if (err && !r->err)
		r->err = err;
	/* A connection that has read all expected bytes is already counted; its end is no error. */
	if (!receiver_conn__settled(conn))
		recv_loop__check(r, conn);
}

/* Counts the result of one call. Takes the lock. */
static void recv_loop__book(struct recv_loop *r, struct receiver_conn *conn,
			    const struct recv_result *result)
{
	bool wake;

	pthread_mutex_lock(&r->lock);
	if (result->n > 0)
		recv_loop__count(r, conn, result);
	else if (result->n == -EINTR)
		r->counters.eintr++;
	else if (result->n == -EAGAIN)
		r->counters.eagain++;
	else
		recv_loop__end(r, conn, (int)result->n);
	wake = !r->pending || r->err || conn->ended;
	pthread_mutex_unlock(&r->lock);
	if (wake)
		eventfd_write(r->all->wake_fd, 1);
}

/* Sends the owed replies without the lock, since send() may block. 0; -EAGAIN: replies remain. */
static int recv_loop__answer(struct recv_loop *r, struct receiver_conn *conn)
{
	const struct reply_form form = {
		.connection = conn->parser.connection,
		.size = conn->parser.size,
		.verify = conn->parser.verify,
		.buf = r->buf,
		.len = RECV_LOOP_CHUNK,
		.wait = r->epoll_fd < 0, /* may block: the sender reads replies while it waits */
	};
	struct reply_sent sent;
	int err = reply__push(&conn->reply, conn->fd, &form, &sent);
	bool wake;

	pthread_mutex_lock(&r->lock);
	r->counters.reply_bytes += sent.bytes;
	r->counters.reply_messages += sent.messages;
	r->owing -= !conn->reply.owed;
	if (err && err != -EAGAIN)
		recv_loop__end(r, conn, err);
	wake = !r->pending || conn->ended;
	pthread_mutex_unlock(&r->lock);
	if (wake)
		eventfd_write(r->all->wake_fd, 1);
	return err == -EAGAIN ? err : 0;
}

static void recv_loop__block(struct recv_loop *r)
{
	struct receiver_conn *conn = &r->conns[0];

	/* Only this thread writes conn->ended. */
	while (!conn->ended) {
		const struct recv_result result = recv_loop__recv(r, conn);

		recv_loop__book(r, conn, &result);
		if (conn->reply.owed && !conn->ended)
			recv_loop__answer(r, conn);
	}
}

/* A connection that does not take its replies is not read. */
static void recv_loop__serve(struct recv_loop *r, struct receiver_conn *conn, uint32_t events)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = conn};

	if (!conn->reply.owed) {
		const struct recv_result result = recv_loop__recv(r, conn);

		recv_loop__book(r, conn, &result);
	}
	if (conn->ended || (!conn->reply.owed && !(events & EPOLLOUT)))
		return;
	if (recv_loop__answer(r, conn))
		e.events = EPOLLOUT;
	if (e.events != EPOLLIN || events & EPOLLOUT)
		epoll_ctl(r->epoll_fd, EPOLL_CTL_MOD, conn->fd, &e);
}

static void recv_loop__poll(struct recv_loop *r)
{
	struct epoll_event events[BATCH];
	unsigned int open = r->nr;

	while (open) {
		int n = busy_poll__epoll(r->epoll_fd, events, BATCH, -1,
					 r->all->options->workload.spin_ns),
		    i;

		for (i = 0; i < n; i++) {
			struct receiver_conn *conn = events[i].data.ptr;

			recv_loop__serve(r, conn, events[i].events);
			if (!conn->ended)
				continue;
			epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL);
			open--;
		}
	}
}

/* A way with next(). If next() itself fails, no connection can be read. */
static void recv_loop__complete(struct recv_loop *r)
{
	unsigned int open = r->nr;

	while (open) {
		struct receiver_conn *conn = NULL;
		struct recv_result result = {.begin = clock__now()};

		result.n = r->all->way->next(r, &conn, &result.got);
		result.end = clock__now();
		/* Its reply failed, but its request is still in flight. */
		if (conn && conn->ended)
			continue;
		recv_loop__book(r, conn ? conn : &r->conns[0], &result);
		if (!conn)
			return;
		if (conn->reply.owed && !conn->ended)
			recv_loop__answer(r, conn);
		open -= conn->ended;
	}
}

static int recv_loop__watch(struct recv_loop *r)
{
	if (r->all->way->next)
		return 0;
	if (r->nr == 1 && !r->all->options->workload.rcvlowat)
		return 0;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return -errno;
	for (unsigned int i = 0; i < r->nr; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = &r->conns[i]};

		if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, r->conns[i].fd, &e))
			return -errno;
	}
	return 0;
}

/* The thread allocates its own memory: the first touch decides the NUMA node. */
static void *recv_loop__main(void *arg)
{
	struct recv_loop *r = arg;
	struct receiver_pool *all = r->all;
	int err;

	pthread_setname_np(pthread_self(), "nio-reader");
	r->buf = payload__alloc(RECV_LOOP_CHUNK, 0);
	counters__init(&r->counters);
	err = all->way->setup ? all->way->setup(r) : 0;
	if (!err)
		err = recv_loop__watch(r);
	if (err)
		atomic_store(&all->up_err, err);
	sem_post(&all->up);
	if (!err)
		(r->all->way->next ? recv_loop__complete
		 : r->epoll_fd < 0 ? recv_loop__block
				   : recv_loop__poll)(r);
	return NULL;
}

static struct recv_loop *recv_loop__of(struct receiver_pool *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr];
}

static struct receiver_conn *receiver_conn__of(const struct receiver_pool *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr].conns[index / r->threads_nr];
}

static void recv_loop__init(struct recv_loop *one, struct receiver_pool *r,
			    unsigned int connections)
{
	one->all = r;
	one->epoll_fd = -1;
	pthread_mutex_init(&one->lock, NULL);
	one->conns = xcalloc(connections, sizeof(*one->conns));
	one->nr = connections;
}

/* The key must be set before READY: the sender sends records only after it. */
static int receiver_conn__init(struct receiver_conn *conn, uint32_t index, int fd,
			       const struct receiver_pool_plan *p)
{
	conn->fd = fd;
	conn->expected = UINT64_MAX;
	rx_parser__init(&conn->parser, index, p->hello->size, p->hello->verify, p->same_clock);
	conn->parser.untagged =
		p->hello->untagged || receive__has(p->hello->receive, RECEIVE_HIDES);
	/* The sender waits for the reply: Nagle's algorithm must not delay it. */
	if (p->hello->replies)
		sock__set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	return p->hello->encrypted ? ktls__receive_key(fd, p->hello->tls) : 0;
}

static int receiver_pool__start(struct receiver_pool *r, unsigned int turn)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < r->threads_nr; i++) {
		struct recv_loop *one = &r->threads[i];

		err = pin__start(&one->thread, &r->options->cpus, turn + i, recv_loop__main, one);
		one->started = !err;
		started += one->started;
	}
	while (started--)
		pin__await(&r->up);
	return err ? err : atomic_load(&r->up_err);
}

int receiver_pool__open(struct receiver_pool *r, const struct lg_options *s,
			const struct receiver_pool_plan *p, const int *fds)
{
	const struct protocol_hello *hello = p->hello;
	unsigned int i;
	int err;

	*r = (struct receiver_pool){
		.options = s,
		.way = receive_way__get(hello->receive),
		.replies = hello->replies,
		.threads_nr = hello->threads,
		.threads = xaligned_alloc(64, hello->threads * sizeof(*r->threads)),
		.nr = hello->connections,
		.fds = xreallocarray(NULL, hello->connections, sizeof(*r->fds)),
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	err = r->wake_fd < 0 ? -errno : 0;
	sem_init(&r->up, 0, 0);
	memset(r->threads, 0, hello->threads * sizeof(*r->threads));
	memcpy(r->fds, fds, hello->connections * sizeof(*fds));
	for (i = 0; i < hello->threads; i++)
		recv_loop__init(
			&r->threads[i], r,
			(unsigned int)lg_options__share(hello->connections, hello->threads, i));
	for (i = 0; !err && i < hello->connections; i++)
		err = receiver_conn__init(receiver_conn__of(r, i), i, fds[i], p);
	return err ? err : receiver_pool__start(r, p->turn);
}

void receiver_pool__close(struct receiver_pool *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		shutdown(r->fds[i], SHUT_RDWR);
	for (i = 0; i < r->threads_nr; i++) {
		if (r->threads[i].started)
			pthread_join(r->threads[i].thread, NULL);
		if (r->threads[i].started && r->way->teardown)
			r->way->teardown(&r->threads[i]);
	}
	for (i = 0; i < r->nr; i++)
		close(r->fds[i]);
	for (i = 0; i < r->threads_nr; i++) {
		if (r->threads[i].epoll_fd >= 0)
			close(r->threads[i].epoll_fd);
		free(r->threads[i].buf);
		counters__clear(&r->threads[i].counters);
		free(r->threads[i].conns);
		pthread_mutex_destroy(&r->threads[i].lock);
	}
	if (r->options && r->wake_fd >= 0)
		close(r->wake_fd);
	free(r->threads);
	free(r->fds);
	*r = (struct receiver_pool){.wake_fd = -1};
}

void receiver_pool__begin(struct receiver_pool *r)
{
	unsigned int i, k;

	for (i = 0; i < r->threads_nr; i++) {
		struct recv_loop *one = &r->threads[i];

		pthread_mutex_lock(&one->lock);
		counters__reset(&one->counters);
		one->pending = one->nr;
		for (k = 0; k < one->nr; k++) {
			one->conns[k].bytes = 0;
			one->conns[k].expected = UINT64_MAX;
			if (one->conns[k].ended && !one->err)
				one->err = -ECONNRESET;
		}
		pthread_mutex_unlock(&one->lock);
	}
	/* A message smaller than SO_RCVLOWAT would get no reply. */
	if (r->replies)
		return;
	for (i = 0; r->options->workload.rcvlowat && i < r->nr; i++)
		sock__set(r->fds[i], SOL_SOCKET, SO_RCVLOWAT, (int)r->options->workload.rcvlowat);
}

void receiver_pool__set_begin(struct receiver_pool *r, uint64_t begin_ns)
{
	atomic_store_explicit(&r->begin_ns, begin_ns, memory_order_release);
}

void receiver_pool__expect(struct receiver_pool *r, uint32_t index, uint64_t bytes)
{
	struct recv_loop *one = recv_loop__of(r, index);

	/* The remaining bytes may be fewer than SO_RCVLOWAT and must still wake the thread. */
	if (r->options->workload.rcvlowat)
		sock__set(r->fds[index], SOL_SOCKET, SO_RCVLOWAT, 1);
	pthread_mutex_lock(&one->lock);
	receiver_conn__of(r, index)->expected = bytes;
	recv_loop__check(one, receiver_conn__of(r, index));
	pthread_mutex_unlock(&one->lock);
}

uint64_t receiver_pool__bytes(struct receiver_pool *r, uint32_t index)
{
	struct recv_loop *one = recv_loop__of(r, index);
	uint64_t bytes;

	pthread_mutex_lock(&one->lock);
	bytes = receiver_conn__of(r, index)->bytes;
	pthread_mutex_unlock(&one->lock);
	return bytes;
}

uint64_t receiver_pool__progress(struct receiver_pool *r)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		bytes += r->threads[i].counters.bytes;
		pthread_mutex_unlock(&r->threads[i].lock);
	}
	return bytes;
}

int receiver_pool__settled(struct receiver_pool *r)
{
	unsigned int i, pending = 0;
	int err = 0;

	for (i = 0; !err && i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		pending += r->threads[i].pending + r->threads[i].owing;
		err = r->threads[i].err;
		pthread_mutex_unlock(&r->threads[i].lock);
	}
	return err ? err : !pending;
}

void receiver_pool__read(struct receiver_pool *r, struct counters *sum)
{
	for (unsigned int i = 0; i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		counters__add(sum, &r->threads[i].counters);
		pthread_mutex_unlock(&r->threads[i].lock);
	}
}
