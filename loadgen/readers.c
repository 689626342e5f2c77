/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's threads. Knows nothing of the control connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "pin.h"
#include "readers.h"

/*
 * Bytes asked for by one recv(), whatever the message size. Measured on loopback, where the calls
 * saved by asking for more than 128 KiB weigh more than the cache lost.
 */
#define CHUNK (256 << 10)

static void reader__take(struct reader *r, size_t len)
{
	uint64_t now = clock__now();

	r->tally.calls++;
	r->tally.last_ns = now;
	stream__feed(&r->stream, &r->tally, r->buf, len, now);
}

/* Books the outcome of one recv(). Returns false when the connection is over. */
static bool reader__book(struct reader *r, ssize_t n, int e)
{
	bool tell;

	pthread_mutex_lock(&r->lock);
	if (n > 0)
		reader__take(r, (size_t)n);
	else if (n < 0 && e == EINTR)
		r->tally.eintr++;
	else if (n < 0 && e == EAGAIN)
		r->tally.eagain++;
	else
		r->ended = true;
	if (r->ended && n < 0)
		r->err = -e;
	tell = r->ended || r->tally.bytes >= r->expected;
	pthread_mutex_unlock(&r->lock);
	if (tell)
		eventfd_write(r->wake_fd, 1);
	/* Only this thread writes it. */
	return !r->ended;
}

static void *reader__main(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	pthread_setname_np(pthread_self(), "nio-reader");
	do {
		n = recv(r->fd, r->buf, CHUNK, 0);
	} while (reader__book(r, n, errno));
	return NULL;
}

int readers__open(struct readers *r, const struct wire_hello *hello, bool verify, bool same_clock)
{
	uint32_t i;
	int err = 0;

	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0)
		return -errno;
	r->all = aligned_alloc(64, hello->threads * sizeof(*r->all));
	if (!r->all)
		return -ENOMEM;
	memset(r->all, 0, hello->threads * sizeof(*r->all));
	for (i = 0; !err && i < hello->threads; i++) {
		struct reader *one = &r->all[i];

		one->fd = -1;
		one->wake_fd = r->wake_fd;
		one->expected = UINT64_MAX;
		pthread_mutex_init(&one->lock, NULL);
		stream__init(&one->stream, i, hello->size, verify, same_clock);
		r->nr = i + 1;
		err = tally__init(&one->tally);
	}
	return err;
}

void readers__close(struct readers *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		struct reader *one = &r->all[i];

		if (one->fd >= 0)
			shutdown(one->fd, SHUT_RDWR);
		if (one->started)
			pthread_join(one->thread, NULL);
		if (one->fd >= 0)
			close(one->fd);
		free(one->buf);
		tally__clear(&one->tally);
		pthread_mutex_destroy(&one->lock);
	}
	if (r->all)
		close(r->wake_fd);
	free(r->all);
	*r = (struct readers){0};
}

int readers__add(struct readers *r, uint32_t index, int fd)
{
	struct reader *one = &r->all[index];

	if (one->fd >= 0)
		return -EEXIST;
	one->fd = fd;
	r->connected++;
	return 0;
}

int readers__start(struct readers *r, const struct cpu_list *cpus, unsigned int turn)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < r->nr; i++) {
		struct reader *one = &r->all[i];

		one->buf = malloc(CHUNK);
		if (!one->buf)
			return -ENOMEM;
		err = pin__start(&one->thread, cpus, turn + i, reader__main, one);
		one->started = !err;
	}
	return err;
}

void readers__begin(struct readers *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		struct reader *one = &r->all[i];

		pthread_mutex_lock(&one->lock);
		tally__reset(&one->tally);
		one->expected = UINT64_MAX;
		pthread_mutex_unlock(&one->lock);
	}
}

void readers__expect(struct readers *r, uint32_t index, uint64_t bytes)
{
	struct reader *one = &r->all[index];

	pthread_mutex_lock(&one->lock);
	one->expected = bytes;
	pthread_mutex_unlock(&one->lock);
}

static int reader__settled(struct reader *r)
{
	int err = 0;

	pthread_mutex_lock(&r->lock);
	if (r->expected != UINT64_MAX && r->tally.bytes > r->expected)
		err = -EOVERFLOW;
	else if (r->tally.bytes == r->expected)
		err = 1;
	else if (r->ended)
		err = r->err ? r->err : -ECONNRESET;
	pthread_mutex_unlock(&r->lock);
	return err;
}

int readers__settled(struct readers *r)
{
	unsigned int i;
	int all = 1;

	for (i = 0; i < r->nr; i++) {
		int one = reader__settled(&r->all[i]);

		if (one < 0)
			return one;
		all = all && one;
	}
	return all;
}

void readers__read(struct readers *r, struct tally *sum)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		pthread_mutex_lock(&r->all[i].lock);
		tally__add(sum, &r->all[i].tally);
		pthread_mutex_unlock(&r->all[i].lock);
	}
}
