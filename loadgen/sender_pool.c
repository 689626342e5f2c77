/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sender threads and their phases. A thread with one connection blocks on it; one with several,
 * or with --rate, runs an epoll loop in which edge-triggered events and due messages queue
 * connections.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "busy_poll.h"
#include "clock.h"
#include "common/xalloc.h"
#include "pin.h"
#include "send_mode.h"
#include "sender_pool.h"

#define BATCH 64
/* Bytes of one turn, in whole messages. One message a turn would find the socket's memory cold. */
#define TURN_BYTES (64 << 10)
/* How often a waiting thread checks the stop flag; and for progress, one ioctl() a connection. */
#define LOOK_MS        50
#define CHECK_STALL_NS (NS_PER_SEC / 2)
/* --rate: no message is left. A timer of this time never expires, in any time namespace. */
#define NEVER_DUE (UINT64_MAX / 4)

/* Publishes counters every SHARED_COUNTERS_INTERVAL_NS; checks the deadline. *shown: last time. */
static void sender_thread__show(struct sender_thread *m, uint64_t *shown)
{
	if (!m->pool->options->workload.rate && m->counters.last_ns >= m->pool->deadline)
		sender_pool__stop(m->pool);
	if (m->counters.last_ns - *shown <= SHARED_COUNTERS_INTERVAL_NS)
		return;
	*shown = m->counters.last_ns;
	shared_counters__publish(&m->shared, &m->counters);
}

struct epoll_loop {
	struct sender_thread *m;
	struct sender_conn *head, **tail; /* connections that can continue */
	unsigned int open;                /* connections with messages to begin */
	unsigned int busy;                /* connections with messages under way */
	uint64_t k, due; /* --rate: number of the next message, and when it is due, or NEVER_DUE */
	uint64_t nr;     /* --rate: messages that are due before the deadline */
	uint64_t last; /* --rate: none begins from here on; UINT64_MAX: the deadline is not over */
	uint64_t now;
	uint64_t shown;
	uint64_t checked; /* last check for progress */
};

static int epoll_loop__open(struct sender_thread *m)
{
	const struct lg_options *s = m->pool->options;
	const struct send_mode *mode = send_mode__get(s->mode);
	uint32_t events = EPOLLOUT | (s->workload.request_response ? EPOLLIN : 0);
	struct epoll_event e = {.events = EPOLLIN};

	m->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll_fd < 0)
		return -errno;
	m->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->timer_fd < 0 || epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, m->timer_fd, &e))
		return -errno;
	for (unsigned int i = 0; i < m->nr; i++) {
		e = (struct epoll_event){.events = events | EPOLLET, .data.ptr = &m->conns[i]};
		if (epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, m->conns[i].fd, &e))
			return -errno;
		e.events = EPOLLIN | EPOLLET;
		if (mode->notices_fd &&
		    epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, mode->notices_fd(&m->conns[i]), &e))
			return -errno;
	}
	return 0;
}

static void epoll_loop__queue(struct epoll_loop *p, struct sender_conn *conn)
{
	if (conn->queued)
		return;
	conn->queued = true;
	conn->next = NULL;
	*p->tail = conn;
	p->tail = &conn->next;
}

static struct sender_conn *epoll_loop__pop(struct epoll_loop *p)
{
	struct sender_conn *conn = p->head;

	p->head = conn->next;
	if (!p->head)
		p->tail = &p->head;
	conn->queued = false;
	return conn;
}

static uint64_t epoll_loop__due_at(const struct epoll_loop *p, uint64_t k)
{
	const struct sender_pool *c = p->m->pool;

	return sender_pool__due(c->begin, k, c->options->workload.rate, p->m->nr, c->nr);
}

/* The first time past the deadline begins the grace. */
static void epoll_loop__set_now(struct epoll_loop *p, uint64_t now)
{
	p->now = now;
	if (now >= p->m->pool->deadline && p->last == UINT64_MAX)
		p->last = now + p->m->pool->grace_ns;
}

static void epoll_loop__queue_due(struct epoll_loop *p)
{
	struct sender_thread *m = p->m;
	const struct sender_pool *c = m->pool;
	uint64_t nr;

	if (!c->options->workload.rate)
		return;
	epoll_loop__set_now(p, clock__now());
	if (p->due > p->now)
		return;
	nr = sender_pool__due_nr(p->now + 1 - c->begin, c->options->workload.rate, m->nr, c->nr);
	nr = nr < p->nr ? nr : p->nr;
	for (unsigned int i = 0; i < m->nr && p->k + i < nr; i++)
		epoll_loop__queue(p, &m->conns[(p->k + i) % m->nr]);
	p->k = nr;
	p->due = nr < p->nr ? epoll_loop__due_at(p, nr) : NEVER_DUE;
}

/* Whether a connection may begin a message. *due: when the message was due; 0 without --rate. */
static bool epoll_loop__may_begin(const struct epoll_loop *p, const struct sender_conn *conn,
				  uint64_t *due)
{
	uint64_t turn = (uint64_t)(conn - p->m->conns);

	*due = 0;
	if (!conn->left || p->now >= p->last || sender_conn__stopped(conn))
		return false;
	if (!conn->options->workload.rate)
		return true;
	*due = epoll_loop__due_at(p, conn->begun * p->m->nr + turn);
	return *due <= p->now;
}

static void epoll_loop__begun(struct epoll_loop *p, struct sender_conn *conn)
{
	conn->begun++;
	p->busy++;
	if (conn->left == UINT64_MAX)
		return;
	conn->left -= conn->group;
	p->open -= !conn->left;
}

/* Sends a group of messages, or as much of it as the socket takes. *sent: all of it. */
static int epoll_loop__group(struct epoll_loop *p, struct sender_conn *conn, bool *sent)
{
	bool begins = !conn->busy;
	uint64_t due = 0;
	int err;

	*sent = false;
	if (begins && !epoll_loop__may_begin(p, conn, &due))
		return 0;
	err = sender_conn__step(conn, due);
	if (begins && (!err || conn->busy))
		epoll_loop__begun(p, conn);
	if (err)
		return err == -EAGAIN ? 0 : err;
	p->busy--;
	*sent = true;
	epoll_loop__set_now(p, p->m->counters.last_ns);
	sender_thread__show(p->m, &p->shown);
	return 0;
}

static int epoll_loop__serve(struct epoll_loop *p, struct sender_conn *conn)
{
	uint64_t bytes = 0;
	bool sent;
	int err;

	do {
		err = epoll_loop__group(p, conn, &sent);
		bytes += sender_conn__group_size(conn);
	} while (!err && sent && bytes < TURN_BYTES);
	if (!err && sent)
		epoll_loop__queue(p, conn);
	return err;
}

static int epoll_loop__arm(const struct epoll_loop *p)
{
	struct itimerspec at = {
		.it_value.tv_sec = (time_t)(p->due / NS_PER_SEC),
		.it_value.tv_nsec = (long)(p->due % NS_PER_SEC),
	};

	if (!p->m->pool->options->workload.rate)
		return 0;
	return timerfd_settime(p->m->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

static bool epoll_loop__spins(const struct epoll_loop *p)
{
	const struct lg_options *s = p->m->pool->options;

	return s->workload.rate && p->due < p->now + s->workload.spin_ns;
}

/* How long to poll for replies before sleeping, ns. With --rate, epoll_loop__spins() decides. */
static uint64_t epoll_loop__spin(const struct epoll_loop *p)
{
	const struct lg_options *s = p->m->pool->options;

	return s->workload.request_response && !s->workload.rate ? s->workload.spin_ns : 0;
}

/* Fails if a message under way makes no progress. */
static int epoll_loop__check_stalls(struct epoll_loop *p, bool waited)
{
	/* With --rate the clock was just read. Else a thread that does not wait makes progress. */
	bool open = p->m->pool->options->workload.rate;
	uint64_t now = open ? p->now : waited ? clock__now() : p->checked;
	int err = 0;

	if (now - p->checked < CHECK_STALL_NS)
		return 0;
	p->checked = now;
	for (unsigned int i = 0; !err && i < p->m->nr; i++)
		if (p->m->conns[i].busy || p->m->conns[i].slot_since)
			err = sender_conn__check_stall(&p->m->conns[i]);
	return err;
}

static int epoll_loop__poll(struct epoll_loop *p, bool wait)
{
	const struct send_mode *mode = send_mode__get(p->m->pool->options->mode);
	struct epoll_event events[BATCH];
	int n, i, err = wait ? epoll_loop__arm(p) : 0;

	if (err)
		return err;
	n = busy_poll__epoll(p->m->epoll_fd, events, BATCH, wait ? LOOK_MS : 0,
			     wait ? epoll_loop__spin(p) : 0);
	for (i = 0; !err && i < n; i++) {
		struct sender_conn *conn = events[i].data.ptr;

		/* The timer: epoll_loop__queue_due() checks anyway. */
		if (!conn)
			continue;
		if (events[i].events & EPOLLERR && mode->reap)
			err = mode->reap(conn);
		epoll_loop__queue(p, conn);
	}
	return err ? err : epoll_loop__check_stalls(p, wait);
}

static bool epoll_loop__goes_on(const struct epoll_loop *p)
{
	if (p->busy)
		return true;
	return p->open && p->now < p->last &&
	       !atomic_load_explicit(&p->m->pool->stop, memory_order_relaxed);
}

static void epoll_loop__begin(struct epoll_loop *p)
{
	struct sender_thread *m = p->m;
	const struct sender_pool *c = m->pool;
	uint64_t rate = c->options->workload.rate;

	p->tail = &p->head;
	p->nr = p->last = UINT64_MAX;
	if (rate && c->deadline != UINT64_MAX)
		p->nr = sender_pool__due_nr(c->deadline - c->begin, rate, m->nr, c->nr);
	for (unsigned int i = 0; i < m->nr; i++) {
		struct sender_conn *conn = &m->conns[i];

		if (conn->left == UINT64_MAX && p->nr != UINT64_MAX)
			conn->left = lg_options__share(p->nr, m->nr, i);
		conn->queued = false;
		conn->begun = 0;
		p->open += conn->left != 0;
		if (!rate)
			epoll_loop__queue(p, conn);
	}
}

/* Runs one phase; returns when the kernel has taken every message that was begun. 0 or -errno. */
static int epoll_loop__run(struct sender_thread *m)
{
	struct epoll_loop p = {.m = m};
	int err = 0;

	epoll_loop__begin(&p);
	while (!err && epoll_loop__goes_on(&p)) {
		epoll_loop__queue_due(&p);
		for (unsigned int i = 0; !err && p.head && i < BATCH; i++)
			err = epoll_loop__serve(&p, epoll_loop__pop(&p));
		if (!err)
			err = epoll_loop__poll(&p, !p.head && !epoll_loop__spins(&p));
	}
	if (!err && m->pool->options->workload.rate) {
		p.now = clock__now();
		for (unsigned int i = 0; i < m->nr; i++)
			sender_thread__count_missed(m, &m->conns[i], p.now);
	}
	return err;
}

/* A thread with one blocking connection. */
static int sender_thread__send(struct sender_thread *m)
{
	struct sender_conn *conn = &m->conns[0];
	uint64_t shown = 0;
	int err = 0;

	while (!err && conn->left && !sender_conn__stopped(conn)) {
		err = sender_conn__send_message(conn);
		if (err)
			break;
		conn->left -= conn->group;
		sender_thread__show(m, &shown);
	}
	return err == -ECANCELED ? 0 : err;
}

static int sender_thread__work(struct sender_thread *m)
{
	const struct send_mode *mode = send_mode__get(m->pool->options->mode);
	int err;

	err = m->epoll_fd < 0 ? sender_thread__send(m) : epoll_loop__run(m);
	for (unsigned int i = 0; !err && mode->finish && i < m->nr; i++)
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

	pthread_mutex_lock(&c->lock);
	m->err = err;
	c->busy--;
	if (err || !c->busy)
		eventfd_write(c->wake_fd, 1);
	pthread_mutex_unlock(&c->lock);
}

static int sender_thread__open_conn(struct sender_thread *m, unsigned int i, bool blocking)
{
	struct sender_pool *c = m->pool;
	uint32_t index = i * c->threads_nr + m->index;
	int err;

	err = sender_conn__open(&m->conns[i], c->fds[index], index, c->options, &c->stop,
				&m->counters, blocking);
	m->conns[i].inbox = m->inbox;
	m->conns[i].closing = &c->closing;
	return err;
}

/* The thread touches its own memory first, which decides the NUMA node of whole pages. */
static int sender_thread__set_up(struct sender_thread *m)
{
	const struct lg_options *s = m->pool->options;
	unsigned int i,
		nr = (unsigned int)lg_options__share(m->pool->nr, m->pool->threads_nr, m->index);
	bool blocking = nr == 1 && !s->workload.rate;
	int err = 0;

	counters__init(&m->counters);
	shared_counters__init(&m->shared);
	m->conns = xcalloc(nr, sizeof(*m->conns));
	if (s->workload.request_response)
		m->inbox = xcalloc(1, INBOX_SIZE);
	for (i = 0; i < nr; i++)
		m->conns[i].fd = -1;
	m->nr = nr;
	for (i = 0; !err && i < nr; i++)
		err = sender_thread__open_conn(m, i, blocking);
	return err || blocking ? err : epoll_loop__open(m);
}

static void *sender_thread__main(void *arg)
{
	struct sender_thread *m = arg;
	struct sender_pool *c = m->pool;
	uint32_t phase = 0;
	int err;

	pthread_setname_np(pthread_self(), "nio-sender");
	err = m->err = sender_thread__set_up(m);
	sem_post(&c->up);
	while (!err && (phase = sender_thread__await(c, phase)) != SENDER_POOL_EXIT)
		sender_thread__report(m, sender_thread__work(m));
	return NULL;
}

int sender_pool__open(struct sender_pool *c, const struct lg_options *s)
{
	unsigned int i;

	c->options = s;
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake_fd < 0)
		return -errno;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->go, NULL);
	sem_init(&c->up, 0, 0);
	c->threads = xaligned_alloc(64, s->workload.threads * sizeof(*c->threads));
	memset(c->threads, 0, s->workload.threads * sizeof(*c->threads));
	c->fds = xreallocarray(NULL, s->workload.connections, sizeof(*c->fds));
	c->threads_nr = s->workload.threads;
	c->nr = s->workload.connections;
	for (i = 0; i < c->nr; i++)
		c->fds[i] = -1;
	for (i = 0; i < c->threads_nr; i++) {
		c->threads[i].pool = c;
		c->threads[i].index = i;
		c->threads[i].epoll_fd = c->threads[i].timer_fd = -1;
	}
	return 0;
}

int sender_pool__start(struct sender_pool *c)
{
	unsigned int i, started = 0;
	int err = 0;

	for (i = 0; !err && i < c->threads_nr; i++) {
		struct sender_thread *m = &c->threads[i];

		err = pin__start(&m->thread, &c->options->cpus, i, sender_thread__main, m);
		m->started = !err;
		started += m->started;
	}
	while (started--)
		pin__await(&c->up);
	/* No phase has begun: the errors are of the setup. */
	for (i = 0; !err && i < c->threads_nr; i++)
		err = c->threads[i].err;
	return err;
}

const struct sender_conn *sender_pool__conn(const struct sender_pool *c, uint32_t index)
{
	return &c->threads[index % c->threads_nr].conns[index / c->threads_nr];
}

static void sender_thread__close(struct sender_thread *m)
{
	if (m->started)
		pthread_join(m->thread, NULL);
	for (unsigned int i = 0; i < m->nr; i++)
		sender_conn__close(&m->conns[i]);
	if (m->epoll_fd >= 0)
		close(m->epoll_fd);
	if (m->timer_fd >= 0)
		close(m->timer_fd);
	free(m->conns);
	free(m->inbox);
	counters__clear(&m->counters);
	if (m->started)
		shared_counters__clear(&m->shared);
}

void sender_pool__close(struct sender_pool *c)
{
	if (!c->options)
		return;
	atomic_store(&c->stop, true);
	atomic_store(&c->closing, true);
	if (c->wake_fd >= 0) {
		pthread_mutex_lock(&c->lock);
		c->phase = SENDER_POOL_EXIT;
		pthread_cond_broadcast(&c->go);
		pthread_mutex_unlock(&c->lock);
	}
	/* shutdown() ends a send() that a dead peer blocks. */
	for (unsigned int i = 0; i < c->nr; i++)
		if (c->fds[i] >= 0)
			shutdown(c->fds[i], SHUT_RDWR);
	for (unsigned int i = 0; i < c->threads_nr; i++)
		sender_thread__close(&c->threads[i]);
	for (unsigned int i = 0; i < c->nr; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->threads);
	free(c->fds);
	if (c->wake_fd >= 0)
		close(c->wake_fd);
}

static void sender_conn__begin_phase(struct sender_conn *conn, const struct sender_pool *c,
				     uint64_t messages)
{
	conn->left = messages == UINT64_MAX ? UINT64_MAX
					    : lg_options__share(messages, c->nr, conn->index);
	conn->bytes = conn->messages = 0;
	conn->now = conn->slot_since = 0;
	conn->stall = (struct stall){0};
}

void sender_pool__begin(struct sender_pool *c, uint32_t phase, uint64_t messages,
			uint64_t duration_ns, uint64_t grace_ns)
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
	c->deadline = duration_ns ? c->begin + duration_ns : UINT64_MAX;
	c->grace_ns = grace_ns;
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
	bool idle;

	pthread_mutex_lock(&c->lock);
	idle = !c->busy;
	*err = 0;
	for (unsigned int i = 0; i < c->threads_nr && !*err; i++)
		*err = c->threads[i].err;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

bool sender_pool__has_sent(struct sender_pool *c)
{
	for (unsigned int i = 0; i < c->threads_nr; i++)
		if (shared_counters__messages(&c->threads[i].shared))
			return true;
	return false;
}

void sender_pool__read(struct sender_pool *c, struct counters *sum)
{
	for (unsigned int i = 0; i < c->threads_nr; i++)
		shared_counters__read(&c->threads[i].shared, sum);
}
