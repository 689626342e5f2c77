/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's threads. Knows nothing of the control connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "crew.h"
#include "pin.h"

/* Runs one phase of one connection. */
static int member__work(struct crew_member *m)
{
	struct flow *f = &m->flow;
	uint64_t shown = 0, left = m->quota;
	int err = 0;

	tally__reset(&f->tally);
	f->stop_seen = 0;
	for (; left && !flow__stopped(f); left--) {
		err = flow__send_message(f);
		if (err)
			break;
		if (f->tally.last_ns >= m->crew->deadline)
			crew__stop(m->crew);
		if (f->tally.last_ns - shown > BOARD_INTERVAL_NS) {
			shown = f->tally.last_ns;
			board__publish(&m->board, &f->tally);
		}
	}
	if (err == -ECANCELED)
		err = 0;
	if (!err)
		err = send_mode__get(f->settings->mode)->finish(f);
	board__publish(&m->board, &f->tally);
	return err;
}

/* The phase that follows `done`. */
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

static void *member__main(void *arg)
{
	struct crew_member *m = arg;
	uint32_t phase = 0;

	pthread_setname_np(pthread_self(), "nio-sender");
	while ((phase = member__await(m->crew, phase)) != CREW_EXIT)
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
	c->members = aligned_alloc(64, s->threads * sizeof(*c->members));
	if (!c->members)
		return -ENOMEM;
	memset(c->members, 0, s->threads * sizeof(*c->members));
	c->nr = (unsigned int)s->threads;
	for (i = 0; i < c->nr; i++)
		c->members[i].flow.fd = -1;
	return 0;
}

int crew__add(struct crew *c, uint32_t index, int fd)
{
	struct crew_member *m = &c->members[index];
	int err;

	m->crew = c;
	err = board__init(&m->board);
	if (err) {
		close(fd);
		return err;
	}
	err = flow__open(&m->flow, fd, index, c->settings, &c->stop);
	if (!err)
		err = pin__start(&m->thread, &c->settings->cpus, index, member__main, m);
	m->started = !err;
	return err;
}

void crew__close(struct crew *c)
{
	unsigned int i;

	if (!c->settings)
		return;
	atomic_store(&c->stop, true);
	if (c->wake_fd >= 0) {
		pthread_mutex_lock(&c->lock);
		c->phase = CREW_EXIT;
		pthread_cond_broadcast(&c->go);
		pthread_mutex_unlock(&c->lock);
	}
	for (i = 0; i < c->nr; i++) {
		struct crew_member *m = &c->members[i];

		/* Ends a send that a dead peer blocks. */
		if (m->flow.fd >= 0)
			shutdown(m->flow.fd, SHUT_RDWR);
		if (m->started)
			pthread_join(m->thread, NULL);
		flow__close(&m->flow);
		if (m->crew)
			board__clear(&m->board);
	}
	free(c->members);
	if (c->wake_fd >= 0)
		close(c->wake_fd);
}

void crew__begin(struct crew *c, uint32_t phase, uint64_t messages, uint64_t deadline)
{
	unsigned int i;

	atomic_store(&c->stop, false);
	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->nr; i++) {
		board__publish(&c->members[i].board, NULL);
		c->members[i].quota =
			messages == UINT64_MAX ? UINT64_MAX : settings__share(messages, c->nr, i);
	}
	c->busy = c->nr;
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
	for (i = 0; i < c->nr && !*err; i++)
		*err = c->members[i].err;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

void crew__read(struct crew *c, struct tally *sum)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		board__read(&c->members[i].board, sum);
}
