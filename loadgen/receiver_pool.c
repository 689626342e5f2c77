/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts, stops and queries the receiver threads. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pin.h"
#include "recv_loop.h"
#include "sock.h"

static struct recv_loop *recv_loop__of(struct receiver_pool *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr];
}

static struct receiver_conn *receiver_conn__of(const struct receiver_pool *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr].conns[index / r->threads_nr];
}

static int recv_loop__init(struct recv_loop *one, struct receiver_pool *r, unsigned int connections)
{
	one->all = r;
	one->epoll_fd = -1;
	pthread_mutex_init(&one->lock, NULL);
	one->conns = calloc(connections, sizeof(*one->conns));
	if (!one->conns)
		return -ENOMEM;
	one->nr = connections;
	return 0;
}

static int receiver_pool__allocate(struct receiver_pool *r, const struct protocol_hello *hello)
{
	unsigned int i;
	int err = 0;

	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->up, NULL);
	r->threads = aligned_alloc(64, hello->threads * sizeof(*r->threads));
	if (!r->threads)
		return -ENOMEM;
	memset(r->threads, 0, hello->threads * sizeof(*r->threads));
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0)
		err = -errno;
	for (i = 0; !err && i < hello->threads; i++) {
		err = recv_loop__init(
			&r->threads[i], r,
			(unsigned int)settings__share(hello->connections, hello->threads, i));
		r->threads_nr = i + 1;
	}
	return err;
}

static void receiver_pool__place(struct receiver_pool *r, const struct receiver_pool_plan *p,
				 const int *fds)
{
	uint32_t i;

	for (i = 0; i < p->hello->connections; i++) {
		struct receiver_conn *f = receiver_conn__of(r, i);

		f->fd = fds[i];
		f->expected = UINT64_MAX;
		rx_parser__init(&f->parser, i, p->hello->size, p->verify, p->same_clock);
		/* The sender waits for the reply: Nagle's algorithm must not delay it. */
		if (r->replies)
			sock__set(f->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	}
	r->nr = i;
}

static int receiver_pool__start(struct receiver_pool *r, unsigned int turn)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < r->threads_nr; i++) {
		struct recv_loop *one = &r->threads[i];

		err = pin__start(&one->thread, &r->settings->cpus, turn + i, recv_loop__main, one);
		one->started = !err;
		started += one->started;
	}
	pthread_mutex_lock(&r->lock);
	while (r->up_nr < started)
		pthread_cond_wait(&r->up, &r->lock);
	if (!err)
		err = r->up_err;
	pthread_mutex_unlock(&r->lock);
	return err;
}

int receiver_pool__open(struct receiver_pool *r, const struct settings *s,
			const struct receiver_pool_plan *p, const int *fds)
{
	uint32_t i;
	int err;

	*r = (struct receiver_pool){.settings = s, .wake_fd = -1, .replies = p->hello->replies};
	err = receiver_pool__allocate(r, p->hello);
	if (err) {
		for (i = 0; i < p->hello->connections; i++)
			close(fds[i]);
		return err;
	}
	receiver_pool__place(r, p, fds);
	return receiver_pool__start(r, p->turn);
}

void receiver_pool__close(struct receiver_pool *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		shutdown(receiver_conn__of(r, i)->fd, SHUT_RDWR);
	for (i = 0; i < r->threads_nr; i++)
		if (r->threads[i].started)
			pthread_join(r->threads[i].thread, NULL);
	for (i = 0; i < r->nr; i++)
		close(receiver_conn__of(r, i)->fd);
	for (i = 0; i < r->threads_nr; i++) {
		recv_loop__clear(&r->threads[i]);
		free(r->threads[i].conns);
		pthread_mutex_destroy(&r->threads[i].lock);
	}
	if (r->settings && r->wake_fd >= 0)
		close(r->wake_fd);
	free(r->threads);
	*r = (struct receiver_pool){.wake_fd = -1};
}

int receiver_pool__fd(const struct receiver_pool *r, uint32_t index)
{
	return receiver_conn__of(r, index)->fd;
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
	for (i = 0; r->settings->rcvlowat && i < r->nr; i++)
		sock__set(receiver_pool__fd(r, i), SOL_SOCKET, SO_RCVLOWAT,
			  (int)r->settings->rcvlowat);
}

void receiver_pool__expect(struct receiver_pool *r, uint32_t index, uint64_t bytes)
{
	struct recv_loop *one = recv_loop__of(r, index);

	/* The remaining bytes may be fewer than SO_RCVLOWAT and must still wake the thread. */
	if (r->settings->rcvlowat)
		sock__set(receiver_pool__fd(r, index), SOL_SOCKET, SO_RCVLOWAT, 1);
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
	unsigned int i;

	for (i = 0; i < r->threads_nr; i++) {
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
	unsigned int i;

	for (i = 0; i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		counters__add(sum, &r->threads[i].counters);
		pthread_mutex_unlock(&r->threads[i].lock);
	}
}
