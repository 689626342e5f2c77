/* SPDX-License-Identifier: GPL-2.0-only */
/* One receiver thread: reads its connections, counts, replies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "payload.h"
#include "recv_loop.h"
#include "busy_poll.h"

/* Measured on loopback: compared with 128 KiB, fewer calls outweigh more cache misses. */
#define CHUNK (256 << 10)
#define BATCH 64

static bool receiver_conn__settled(const struct receiver_conn *f)
{
	return f->bytes == f->expected;
}

void recv_loop__check(struct recv_loop *r, struct receiver_conn *f)
{
	if (receiver_conn__settled(f))
		r->pending--;
	else if (f->expected != UINT64_MAX && f->bytes > f->expected)
		r->err = r->err ? r->err : -EOVERFLOW;
	else if (f->ended)
		r->err = r->err ? r->err : -ECONNRESET;
}

static void recv_loop__take(struct recv_loop *r, struct receiver_conn *f, size_t len, uint64_t now)
{
	uint64_t before = r->counters.messages;

	r->counters.calls++;
	r->counters.last_ns = now;
	f->bytes += len;
	rx_parser__feed(&f->parser, &r->counters, r->buf, len, now);
	if (r->all->replies && r->counters.messages > before) {
		r->owing += !f->reply.owed;
		f->reply.owed += r->counters.messages - before;
	}
	if (f->bytes >= f->expected)
		recv_loop__check(r, f);
}

static void recv_loop__end(struct recv_loop *r, struct receiver_conn *f, int err)
{
	f->ended = true;
	if (err && !r->err)
		r->err = err;
	/* A connection that has read all expected bytes is already counted; its end is no error. */
	if (!receiver_conn__settled(f))
		recv_loop__check(r, f);
}

/* Counts the result of one recv(), which returned at `now`. Takes the lock. */
static void recv_loop__book(struct recv_loop *r, struct receiver_conn *f, ssize_t n, int e,
			    uint64_t now)
{
	bool tell;

	pthread_mutex_lock(&r->lock);
	if (n > 0)
		recv_loop__take(r, f, (size_t)n, now);
	else if (n < 0 && e == EINTR)
		r->counters.eintr++;
	else if (n < 0 && e == EAGAIN)
		r->counters.eagain++;
	else
		recv_loop__end(r, f, n < 0 ? -e : 0);
	tell = !r->pending || r->err || f->ended;
	pthread_mutex_unlock(&r->lock);
	if (tell)
		eventfd_write(r->all->wake_fd, 1);
}

/* Sends the owed replies without the lock, since send() may block. 0; -EAGAIN: replies remain. */
static int recv_loop__answer(struct recv_loop *r, struct receiver_conn *f)
{
	const struct reply_form form = {
		.connection = f->parser.connection,
		.size = f->parser.size,
		.verify = f->parser.verify,
		.buf = r->buf,
		.len = CHUNK,
		.wait = r->epoll_fd < 0,
	};
	struct reply_sent sent;
	int err = reply__push(&f->reply, f->fd, &form, &sent);
	bool tell;

	pthread_mutex_lock(&r->lock);
	r->counters.reply_bytes += sent.bytes;
	r->counters.reply_messages += sent.messages;
	r->owing -= !f->reply.owed;
	if (err && err != -EAGAIN)
		recv_loop__end(r, f, err);
	tell = !r->pending || f->ended;
	pthread_mutex_unlock(&r->lock);
	if (tell)
		eventfd_write(r->all->wake_fd, 1);
	return err == -EAGAIN ? err : 0;
}

static void recv_loop__block(struct recv_loop *r)
{
	struct receiver_conn *f = &r->conns[0];

	/* Only this thread writes f->ended. */
	while (!f->ended) {
		ssize_t n = busy_poll__recv(f->fd, r->buf, CHUNK, r->all->settings->spin_ns);
		int e = errno;

		recv_loop__book(r, f, n, e, clock__now());
		if (f->reply.owed && !f->ended)
			recv_loop__answer(r, f);
	}
}

/* A connection that does not take its replies is not read. */
static void recv_loop__serve(struct recv_loop *r, struct receiver_conn *f, uint32_t events)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = f};

	if (!f->reply.owed) {
		ssize_t len = recv(f->fd, r->buf, CHUNK, MSG_DONTWAIT);
		int err = errno;

		recv_loop__book(r, f, len, err, clock__now());
	}
	if (f->ended || (!f->reply.owed && !(events & EPOLLOUT)))
		return;
	if (recv_loop__answer(r, f))
		e.events = EPOLLOUT;
	if (e.events != EPOLLIN || events & EPOLLOUT)
		epoll_ctl(r->epoll_fd, EPOLL_CTL_MOD, f->fd, &e);
}

static void recv_loop__poll(struct recv_loop *r)
{
	struct epoll_event events[BATCH];
	unsigned int open = r->nr;

	while (open) {
		int n = busy_poll__epoll(r->epoll_fd, events, BATCH, -1, r->all->settings->spin_ns),
		    i;

		for (i = 0; i < n; i++) {
			struct receiver_conn *f = events[i].data.ptr;

			recv_loop__serve(r, f, events[i].events);
			if (!f->ended)
				continue;
			epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
			open--;
		}
	}
}

static int recv_loop__watch(struct recv_loop *r)
{
	unsigned int i;

	if (r->nr == 1 && !r->all->settings->rcvlowat)
		return 0;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return -errno;
	for (i = 0; i < r->nr; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = &r->conns[i]};

		if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, r->conns[i].fd, &e))
			return -errno;
	}
	return 0;
}

/* The thread allocates its own memory: the first touch decides the NUMA node. */
static int recv_loop__set_up(struct recv_loop *r)
{
	int err;

	r->buf = payload__alloc(CHUNK, 0);
	if (!r->buf)
		return -ENOMEM;
	err = counters__init(&r->counters);
	return err ? err : recv_loop__watch(r);
}

void *recv_loop__main(void *arg)
{
	struct recv_loop *r = arg;
	struct receiver_pool *all = r->all;
	int err;

	pthread_setname_np(pthread_self(), "nio-reader");
	err = recv_loop__set_up(r);
	pthread_mutex_lock(&all->lock);
	all->up_nr++;
	if (err && !all->up_err)
		all->up_err = err;
	pthread_cond_signal(&all->up);
	pthread_mutex_unlock(&all->lock);
	if (err)
		return NULL;
	if (r->epoll_fd < 0)
		recv_loop__block(r);
	else
		recv_loop__poll(r);
	return NULL;
}

void recv_loop__clear(struct recv_loop *r)
{
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	free(r->buf);
	counters__clear(&r->counters);
}
