/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender threads and their phases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "crew.h"
#include "pin.h"
#include "pump.h"

static struct crew_member *member__of(const struct crew *c, uint32_t index)
{
	return &c->members[index % c->members_nr];
}

void crew_member__show(struct crew_member *m, uint64_t *shown)
{
	if (m->tally.last_ns >= m->crew->deadline)
		crew__stop(m->crew);
	if (m->tally.last_ns - *shown <= BOARD_INTERVAL_NS)
		return;
	*shown = m->tally.last_ns;
	board__publish(&m->board, &m->tally);
}

/* A thread with one blocking connection. */
static int member__send(struct crew_member *m)
{
	struct flow *f = &m->flows[0];
	uint64_t shown = 0;
	int err = 0;

	for (; !err && f->left && !flow__stopped(f); f->left--) {
		err = flow__send_message(f);
		if (!err)
			crew_member__show(m, &shown);
	}
	return err == -ECANCELED ? 0 : err;
}

static int member__work(struct crew_member *m)
{
	const struct send_mode *mode = send_mode__get(m->crew->settings->mode);
	unsigned int i;
	int err;

	err = m->epoll_fd < 0 ? member__send(m) : pump__run(m);
	for (i = 0; !err && i < m->nr; i++)
		err = mode->finish(&m->flows[i]);
	board__publish(&m->board, &m->tally);
	return err;
}

/* Waits for a phase other than `done` and returns its number. */
static uint32_t member__await(struct crew *c, uint32_t done)
{
	uint32_t phase;

	pthread_mutex_lock(&c->lock);
	while (c->phase == done)
		pthread_cond_wait(&c->go, &c->lock);
	phase = c->phase;
	pthread_mutex_unlock(&c->lock);
	return phase;
}

static void member__report(struct crew_member *m, int err)
{
	struct crew *c = m->crew;
	bool tell;

	pthread_mutex_lock(&c->lock);
	m->err = err;
	c->busy--;
	tell = err || !c->busy;
	pthread_mutex_unlock(&c->lock);
	if (tell)
		eventfd_write(c->wake_fd, 1);
}

static int member__take(struct crew_member *m, unsigned int i, bool blocking)
{
	struct crew *c = m->crew;
	uint32_t index = i * c->members_nr + m->index;
	int fd = c->fds[index], err;

	c->fds[index] = -1;
	err = flow__open(&m->flows[i], fd, index, c->settings, &c->stop, &m->tally, blocking);
	m->flows[i].inbox = m->inbox;
	m->flows[i].closing = &c->closing;
	return err;
}

/* The thread allocates its own memory: the first touch decides the NUMA node. */
static int member__set_up(struct crew_member *m)
{
	const struct settings *s = m->crew->settings;
	unsigned int i,
		nr = (unsigned int)settings__share(m->crew->nr, m->crew->members_nr, m->index);
	bool blocking = nr == 1 && !s->rate;
	int err;

	err = tally__init(&m->tally);
	if (!err)
		err = board__init(&m->board);
	m->flows = calloc(nr, sizeof(*m->flows));
	if (s->request_response)
		m->inbox = calloc(1, INBOX_SIZE);
	if (err || !m->flows || (s->request_response && !m->inbox))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		m->flows[i].fd = -1;
	m->nr = nr;
	for (i = 0; !err && i < nr; i++)
		err = member__take(m, i, blocking);
	return err || blocking ? err : pump__open(m);
}

static void *member__main(void *arg)
{
	struct crew_member *m = arg;
	struct crew *c = m->crew;
	uint32_t phase = 0;
	int err;

	pthread_setname_np(pthread_self(), "nio-sender");
	err = member__set_up(m);
	pthread_mutex_lock(&c->lock);
	m->err = err;
	c->up_nr++;
	pthread_cond_signal(&c->up);
	pthread_mutex_unlock(&c->lock);
	while (!err && (phase = member__await(c, phase)) != CREW_EXIT)
		member__report(m, member__work(m));
	return NULL;
}

int crew__open(struct crew *c, const struct settings *s)
{
	unsigned int i;

	c->settings = s;
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake_fd < 0)
		return -errno;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->go, NULL);
	pthread_cond_init(&c->up, NULL);
	c->members = aligned_alloc(64, s->threads * sizeof(*c->members));
	c->fds = malloc(s->connections * sizeof(*c->fds));
	if (!c->members || !c->fds)
		return -ENOMEM;
	memset(c->members, 0, s->threads * sizeof(*c->members));
	c->members_nr = (unsigned int)s->threads;
	c->nr = (unsigned int)s->connections;
	for (i = 0; i < c->nr; i++)
		c->fds[i] = -1;
	for (i = 0; i < c->members_nr; i++) {
		c->members[i].crew = c;
		c->members[i].index = i;
		c->members[i].epoll_fd = c->members[i].timer_fd = -1;
	}
	return 0;
}

void crew__add(struct crew *c, uint32_t index, int fd)
{
	c->fds[index] = fd;
}

int crew__start(struct crew *c)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < c->members_nr; i++) {
		struct crew_member *m = &c->members[i];

		err = pin__start(&m->thread, &c->settings->cpus, i, member__main, m);
		m->started = !err;
		started += m->started;
	}
	pthread_mutex_lock(&c->lock);
	while (c->up_nr < started)
		pthread_cond_wait(&c->up, &c->lock);
	for (i = 0; !err && i < c->members_nr; i++)
		err = c->members[i].err;
	pthread_mutex_unlock(&c->lock);
	return err;
}

const struct flow *crew__flow(const struct crew *c, uint32_t index)
{
	return &member__of(c, index)->flows[index / c->members_nr];
}

static void member__close(struct crew_member *m)
{
	unsigned int i;

	/* shutdown() ends a send() that a dead peer blocks. */
	for (i = 0; i < m->nr; i++)
		if (m->flows[i].fd >= 0)
			shutdown(m->flows[i].fd, SHUT_RDWR);
	if (m->started)
		pthread_join(m->thread, NULL);
	for (i = 0; i < m->nr; i++)
		flow__close(&m->flows[i]);
	pump__close(m);
	free(m->flows);
	free(m->inbox);
	tally__clear(&m->tally);
	if (m->started)
		board__clear(&m->board);
}

void crew__close(struct crew *c)
{
	unsigned int i;

	if (!c->settings)
		return;
	atomic_store(&c->stop, true);
	atomic_store(&c->closing, true);
	if (c->wake_fd >= 0) {
		pthread_mutex_lock(&c->lock);
		c->phase = CREW_EXIT;
		pthread_cond_broadcast(&c->go);
		pthread_mutex_unlock(&c->lock);
	}
	for (i = 0; i < c->members_nr; i++)
		member__close(&c->members[i]);
	for (i = 0; i < c->nr; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->members);
	free(c->fds);
	if (c->wake_fd >= 0)
		close(c->wake_fd);
}

static void flow__begin_phase(struct flow *f, const struct crew *c, uint64_t messages)
{
	f->left = messages == UINT64_MAX ? UINT64_MAX : settings__share(messages, c->nr, f->index);
	f->bytes = f->messages = 0;
	f->now = f->slot_since = 0;
	f->stall = (struct stall){0};
}

void crew__begin(struct crew *c, uint32_t phase, uint64_t messages, uint64_t deadline)
{
	unsigned int i, k;

	atomic_store(&c->stop, false);
	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->members_nr; i++) {
		struct crew_member *m = &c->members[i];

		board__publish(&m->board, NULL);
		tally__reset(&m->tally);
		for (k = 0; k < m->nr; k++)
			flow__begin_phase(&m->flows[k], c, messages);
	}
	c->busy = c->members_nr;
	c->begin = clock__now();
	c->deadline = deadline;
	c->phase = phase;
	pthread_cond_broadcast(&c->go);
	pthread_mutex_unlock(&c->lock);
}

void crew__stop(struct crew *c)
{
	atomic_store(&c->stop, true);
}

bool crew__idle(struct crew *c, int *err)
{
	unsigned int i;
	bool idle;

	pthread_mutex_lock(&c->lock);
	idle = !c->busy;
	*err = 0;
	for (i = 0; i < c->members_nr && !*err; i++)
		*err = c->members[i].err;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

bool crew__wrong(const struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->members_nr; i++)
		if (c->members[i].tally.verify_errors)
			return true;
	return false;
}

bool crew__has_sent(struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->members_nr; i++)
		if (board__messages(&c->members[i].board))
			return true;
	return false;
}

void crew__read(struct crew *c, struct tally *sum)
{
	unsigned int i;

	for (i = 0; i < c->members_nr; i++)
		board__read(&c->members[i].board, sum);
}
