/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender threads and their phases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "sender_pool.h"
#include "pin.h"
#include "epoll_loop.h"

static struct sender_thread *sender_thread__of(const struct sender_pool *c, uint32_t index)
{
	return &c->threads[index % c->threads_nr];
}

void sender_thread__show(struct sender_thread *m, uint64_t *shown)
{
	if (m->counters.last_ns >= m->pool->deadline)
		sender_pool__stop(m->pool);
	if (m->counters.last_ns - *shown <= SHARED_COUNTERS_INTERVAL_NS)
		return;
	*shown = m->counters.last_ns;
	shared_counters__publish(&m->shared, &m->counters);
}

/* A thread with one blocking connection. */
static int sender_thread__send(struct sender_thread *m)
{
	struct sender_conn *f = &m->conns[0];
	uint64_t shown = 0;
	int err = 0;

	for (; !err && f->left && !sender_conn__stopped(f); f->left--) {
		err = sender_conn__send_message(f);
		if (!err)
			sender_thread__show(m, &shown);
	}
	return err == -ECANCELED ? 0 : err;
}

static int sender_thread__work(struct sender_thread *m)
{
	const struct send_mode *mode = send_mode__get(m->pool->settings->mode);
	unsigned int i;
	int err;

	err = m->epoll_fd < 0 ? sender_thread__send(m) : epoll_loop__run(m);
	for (i = 0; !err && i < m->nr; i++)
		err = mode->finish(&m->conns[i]);
	shared_counters__publish(&m->shared, &m->counters);
	return err;
}

/* Waits for a phase other than `done` and returns its number. */
static uint32_t sender_thread__await(struct sender_pool *c, uint32_t done)
{
	uint32_t phase;

	pthread_mutex_lock(&c->lock);
	while (c->phase == done)
		pthread_cond_wait(&c->go, &c->lock);
	phase = c->phase;
	pthread_mutex_unlock(&c->lock);
	return phase;
}

static void sender_thread__report(struct sender_thread *m, int err)
{
	struct sender_pool *c = m->pool;
	bool tell;

	pthread_mutex_lock(&c->lock);
	m->err = err;
	c->busy--;
	tell = err || !c->busy;
	pthread_mutex_unlock(&c->lock);
	if (tell)
		eventfd_write(c->wake_fd, 1);
}

static int sender_thread__take(struct sender_thread *m, unsigned int i, bool blocking)
{
	struct sender_pool *c = m->pool;
	uint32_t index = i * c->threads_nr + m->index;
	int fd = c->fds[index], err;

	c->fds[index] = -1;
	err = sender_conn__open(&m->conns[i], fd, index, c->settings, &c->stop, &m->counters,
				blocking);
	m->conns[i].inbox = m->inbox;
	m->conns[i].closing = &c->closing;
	return err;
}

/* The thread allocates its own memory: the first touch decides the NUMA node. */
static int sender_thread__set_up(struct sender_thread *m)
{
	const struct settings *s = m->pool->settings;
	unsigned int i,
		nr = (unsigned int)settings__share(m->pool->nr, m->pool->threads_nr, m->index);
	bool blocking = nr == 1 && !s->rate;
	int err;

	err = counters__init(&m->counters);
	if (!err)
		err = shared_counters__init(&m->shared);
	m->conns = calloc(nr, sizeof(*m->conns));
	if (s->request_response)
		m->inbox = calloc(1, INBOX_SIZE);
	if (err || !m->conns || (s->request_response && !m->inbox))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		m->conns[i].fd = -1;
	m->nr = nr;
	for (i = 0; !err && i < nr; i++)
		err = sender_thread__take(m, i, blocking);
	return err || blocking ? err : epoll_loop__open(m);
}

static void *sender_thread__main(void *arg)
{
	struct sender_thread *m = arg;
	struct sender_pool *c = m->pool;
	uint32_t phase = 0;
	int err;

	pthread_setname_np(pthread_self(), "nio-sender");
	err = sender_thread__set_up(m);
	pthread_mutex_lock(&c->lock);
	m->err = err;
	c->up_nr++;
	pthread_cond_signal(&c->up);
	pthread_mutex_unlock(&c->lock);
	while (!err && (phase = sender_thread__await(c, phase)) != SENDER_POOL_EXIT)
		sender_thread__report(m, sender_thread__work(m));
	return NULL;
}

int sender_pool__open(struct sender_pool *c, const struct settings *s)
{
	unsigned int i;

	c->settings = s;
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake_fd < 0)
		return -errno;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->go, NULL);
	pthread_cond_init(&c->up, NULL);
	c->threads = aligned_alloc(64, s->threads * sizeof(*c->threads));
	c->fds = malloc(s->connections * sizeof(*c->fds));
	if (!c->threads || !c->fds)
		return -ENOMEM;
	memset(c->threads, 0, s->threads * sizeof(*c->threads));
	c->threads_nr = (unsigned int)s->threads;
	c->nr = (unsigned int)s->connections;
	for (i = 0; i < c->nr; i++)
		c->fds[i] = -1;
	for (i = 0; i < c->threads_nr; i++) {
		c->threads[i].pool = c;
		c->threads[i].index = i;
		c->threads[i].epoll_fd = c->threads[i].timer_fd = -1;
	}
	return 0;
}

void sender_pool__add(struct sender_pool *c, uint32_t index, int fd)
{
	c->fds[index] = fd;
}

int sender_pool__start(struct sender_pool *c)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < c->threads_nr; i++) {
		struct sender_thread *m = &c->threads[i];

		err = pin__start(&m->thread, &c->settings->cpus, i, sender_thread__main, m);
		m->started = !err;
		started += m->started;
	}
	pthread_mutex_lock(&c->lock);
	while (c->up_nr < started)
		pthread_cond_wait(&c->up, &c->lock);
	for (i = 0; !err && i < c->threads_nr; i++)
		err = c->threads[i].err;
	pthread_mutex_unlock(&c->lock);
	return err;
}

const struct sender_conn *sender_pool__conn(const struct sender_pool *c, uint32_t index)
{
	return &sender_thread__of(c, index)->conns[index / c->threads_nr];
}

static void sender_thread__close(struct sender_thread *m)
{
	unsigned int i;

	/* shutdown() ends a send() that a dead peer blocks. */
	for (i = 0; i < m->nr; i++)
		if (m->conns[i].fd >= 0)
			shutdown(m->conns[i].fd, SHUT_RDWR);
	if (m->started)
		pthread_join(m->thread, NULL);
	for (i = 0; i < m->nr; i++)
		sender_conn__close(&m->conns[i]);
	epoll_loop__close(m);
	free(m->conns);
	free(m->inbox);
	counters__clear(&m->counters);
	if (m->started)
		shared_counters__clear(&m->shared);
}

void sender_pool__close(struct sender_pool *c)
{
	unsigned int i;

	if (!c->settings)
		return;
	atomic_store(&c->stop, true);
	atomic_store(&c->closing, true);
	if (c->wake_fd >= 0) {
		pthread_mutex_lock(&c->lock);
		c->phase = SENDER_POOL_EXIT;
		pthread_cond_broadcast(&c->go);
		pthread_mutex_unlock(&c->lock);
	}
	for (i = 0; i < c->threads_nr; i++)
		sender_thread__close(&c->threads[i]);
	for (i = 0; i < c->nr; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->threads);
	free(c->fds);
	if (c->wake_fd >= 0)
		close(c->wake_fd);
}

static void sender_conn__begin_phase(struct sender_conn *f, const struct sender_pool *c,
				     uint64_t messages)
{
	f->left = messages == UINT64_MAX ? UINT64_MAX : settings__share(messages, c->nr, f->index);
	f->bytes = f->messages = 0;
	f->now = f->slot_since = 0;
	f->stall = (struct stall){0};
}

void sender_pool__begin(struct sender_pool *c, uint32_t phase, uint64_t messages, uint64_t deadline)
{
	unsigned int i, k;

	atomic_store(&c->stop, false);
	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->threads_nr; i++) {
		struct sender_thread *m = &c->threads[i];

		shared_counters__publish(&m->shared, NULL);
		counters__reset(&m->counters);
		for (k = 0; k < m->nr; k++)
			sender_conn__begin_phase(&m->conns[k], c, messages);
	}
	c->busy = c->threads_nr;
	c->begin = clock__now();
	c->deadline = deadline;
	c->phase = phase;
	pthread_cond_broadcast(&c->go);
	pthread_mutex_unlock(&c->lock);
}

void sender_pool__stop(struct sender_pool *c)
{
	atomic_store(&c->stop, true);
}

bool sender_pool__idle(struct sender_pool *c, int *err)
{
	unsigned int i;
	bool idle;

	pthread_mutex_lock(&c->lock);
	idle = !c->busy;
	*err = 0;
	for (i = 0; i < c->threads_nr && !*err; i++)
		*err = c->threads[i].err;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

bool sender_pool__wrong(const struct sender_pool *c)
{
	unsigned int i;

	for (i = 0; i < c->threads_nr; i++)
		if (c->threads[i].counters.verify_errors)
			return true;
	return false;
}

bool sender_pool__has_sent(struct sender_pool *c)
{
	unsigned int i;

	for (i = 0; i < c->threads_nr; i++)
		if (shared_counters__messages(&c->threads[i].shared))
			return true;
	return false;
}

void sender_pool__read(struct sender_pool *c, struct counters *sum)
{
	unsigned int i;

	for (i = 0; i < c->threads_nr; i++)
		shared_counters__read(&c->threads[i].shared, sum);
}
