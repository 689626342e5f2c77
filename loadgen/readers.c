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
#include "reader.h"
#include "sock.h"

static struct reader *reader__of(struct readers *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr];
}

static struct inflow *inflow__of(const struct readers *r, uint32_t index)
{
	return &r->threads[index % r->threads_nr].flows[index / r->threads_nr];
}

static int reader__init(struct reader *one, struct readers *r, unsigned int connections)
{
	one->all = r;
	one->epoll_fd = -1;
	pthread_mutex_init(&one->lock, NULL);
	one->flows = calloc(connections, sizeof(*one->flows));
	if (!one->flows)
		return -ENOMEM;
	one->nr = connections;
	return 0;
}

static int readers__allocate(struct readers *r, const struct wire_hello *hello)
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
		err = reader__init(
			&r->threads[i], r,
			(unsigned int)settings__share(hello->connections, hello->threads, i));
		r->threads_nr = i + 1;
	}
	return err;
}

static void readers__place(struct readers *r, const struct readers_plan *p, const int *fds)
{
	uint32_t i;

	for (i = 0; i < p->hello->connections; i++) {
		struct inflow *f = inflow__of(r, i);

		f->fd = fds[i];
		f->expected = UINT64_MAX;
		stream__init(&f->stream, i, p->hello->size, p->verify, p->same_clock);
		/* The sender waits for the reply: Nagle's algorithm must not delay it. */
		if (r->replies)
			sock__set(f->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	}
	r->nr = i;
}

static int readers__start(struct readers *r, unsigned int turn)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < r->threads_nr; i++) {
		struct reader *one = &r->threads[i];

		err = pin__start(&one->thread, &r->settings->cpus, turn + i, reader__main, one);
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

int readers__open(struct readers *r, const struct settings *s, const struct readers_plan *p,
		  const int *fds)
{
	uint32_t i;
	int err;

	*r = (struct readers){.settings = s, .wake_fd = -1, .replies = p->hello->replies};
	err = readers__allocate(r, p->hello);
	if (err) {
		for (i = 0; i < p->hello->connections; i++)
			close(fds[i]);
		return err;
	}
	readers__place(r, p, fds);
	return readers__start(r, p->turn);
}

void readers__close(struct readers *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		shutdown(inflow__of(r, i)->fd, SHUT_RDWR);
	for (i = 0; i < r->threads_nr; i++)
		if (r->threads[i].started)
			pthread_join(r->threads[i].thread, NULL);
	for (i = 0; i < r->nr; i++)
		close(inflow__of(r, i)->fd);
	for (i = 0; i < r->threads_nr; i++) {
		reader__clear(&r->threads[i]);
		free(r->threads[i].flows);
		pthread_mutex_destroy(&r->threads[i].lock);
	}
	if (r->settings && r->wake_fd >= 0)
		close(r->wake_fd);
	free(r->threads);
	*r = (struct readers){.wake_fd = -1};
}

int readers__fd(const struct readers *r, uint32_t index)
{
	return inflow__of(r, index)->fd;
}

void readers__begin(struct readers *r)
{
	unsigned int i, k;

	for (i = 0; i < r->threads_nr; i++) {
		struct reader *one = &r->threads[i];

		pthread_mutex_lock(&one->lock);
		tally__reset(&one->tally);
		one->pending = one->nr;
		for (k = 0; k < one->nr; k++) {
			one->flows[k].bytes = 0;
			one->flows[k].expected = UINT64_MAX;
			if (one->flows[k].ended && !one->err)
				one->err = -ECONNRESET;
		}
		pthread_mutex_unlock(&one->lock);
	}
	/* A message smaller than SO_RCVLOWAT would get no reply. */
	if (r->replies)
		return;
	for (i = 0; r->settings->rcvlowat && i < r->nr; i++)
		sock__set(readers__fd(r, i), SOL_SOCKET, SO_RCVLOWAT, (int)r->settings->rcvlowat);
}

void readers__expect(struct readers *r, uint32_t index, uint64_t bytes)
{
	struct reader *one = reader__of(r, index);

	/* The remaining bytes may be fewer than SO_RCVLOWAT and must still wake the thread. */
	if (r->settings->rcvlowat)
		sock__set(readers__fd(r, index), SOL_SOCKET, SO_RCVLOWAT, 1);
	pthread_mutex_lock(&one->lock);
	inflow__of(r, index)->expected = bytes;
	reader__check(one, inflow__of(r, index));
	pthread_mutex_unlock(&one->lock);
}

uint64_t readers__bytes(struct readers *r, uint32_t index)
{
	struct reader *one = reader__of(r, index);
	uint64_t bytes;

	pthread_mutex_lock(&one->lock);
	bytes = inflow__of(r, index)->bytes;
	pthread_mutex_unlock(&one->lock);
	return bytes;
}

uint64_t readers__progress(struct readers *r)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		bytes += r->threads[i].tally.bytes;
		pthread_mutex_unlock(&r->threads[i].lock);
	}
	return bytes;
}

int readers__settled(struct readers *r)
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

void readers__read(struct readers *r, struct tally *sum)
{
	unsigned int i;

	for (i = 0; i < r->threads_nr; i++) {
		pthread_mutex_lock(&r->threads[i].lock);
		tally__add(sum, &r->threads[i].tally);
		pthread_mutex_unlock(&r->threads[i].lock);
	}
}
