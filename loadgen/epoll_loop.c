/* SPDX-License-Identifier: GPL-2.0-only */
/* The epoll loop of a sender thread. Edge-triggered events and due messages queue connections. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "epoll_loop.h"
#include "busy_poll.h"

#define BATCH 64
/* Bytes of one turn, in whole messages. One message a turn would find the socket's memory cold. */
#define TURN_BYTES (64 << 10)
/* How often a waiting thread checks the stop flag; and for progress, one ioctl() a connection. */
#define LOOK_MS       50
#define LOOK_STALL_NS (NS_PER_SEC / 2)

struct epoll_loop {
	struct sender_thread *m;
	struct sender_conn *head, **tail; /* connections that can continue */
	unsigned int open;                /* connections with messages to begin */
	unsigned int busy;                /* connections with a message under way */
	uint64_t k, due; /* --rate: number of the next message, and when it is due */
	uint64_t now;
	uint64_t shown;
	uint64_t looked; /* last check for progress */
};

uint64_t epoll_loop__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all)
{
	/* k messages take k / (rate * nr / all) seconds; 64 bits would overflow within hours. */
	unsigned __int128 ns = (unsigned __int128)k * NS_PER_SEC * all;

	return begin + (uint64_t)(ns / ((unsigned __int128)rate * nr));
}

int epoll_loop__open(struct sender_thread *m)
{
	const struct settings *s = m->pool->settings;
	uint32_t events = EPOLLOUT | (s->request_response ? EPOLLIN : 0);
	struct epoll_event e = {.events = EPOLLIN};
	unsigned int i;

	m->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll_fd < 0)
		return -errno;
	m->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->timer_fd < 0 || epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, m->timer_fd, &e))
		return -errno;
	for (i = 0; i < m->nr; i++) {
		e = (struct epoll_event){.events = events | EPOLLET, .data.ptr = &m->conns[i]};
		if (epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, m->conns[i].fd, &e))
			return -errno;
	}
	return 0;
}

void epoll_loop__close(struct sender_thread *m)
{
	if (m->epoll_fd >= 0)
		close(m->epoll_fd);
	if (m->timer_fd >= 0)
		close(m->timer_fd);
	m->epoll_fd = m->timer_fd = -1;
}

static void epoll_loop__queue(struct epoll_loop *p, struct sender_conn *f)
{
	if (f->queued)
		return;
	f->queued = true;
	f->next = NULL;
	*p->tail = f;
	p->tail = &f->next;
}

static struct sender_conn *epoll_loop__take(struct epoll_loop *p)
{
	struct sender_conn *f = p->head;

	p->head = f->next;
	if (!p->head)
		p->tail = &p->head;
	f->queued = false;
	return f;
}

static uint64_t epoll_loop__due_at(const struct epoll_loop *p, uint64_t k)
{
	const struct sender_pool *c = p->m->pool;

	return epoll_loop__due(c->begin, k, c->settings->rate, p->m->nr, c->nr);
}

static void epoll_loop__take_due(struct epoll_loop *p)
{
	struct sender_thread *m = p->m;

	if (!m->pool->settings->rate)
		return;
	p->now = clock__now();
	while (p->due <= p->now) {
		epoll_loop__queue(p, &m->conns[p->k % m->nr]);
		p->due = epoll_loop__due_at(p, ++p->k);
	}
}

/* Whether a connection may begin a message. *due: when the message was due; 0 without --rate. */
static bool epoll_loop__may_begin(const struct epoll_loop *p, const struct sender_conn *f,
				  uint64_t *due)
{
	uint64_t turn = (uint64_t)(f - p->m->conns);

	*due = 0;
	if (!f->left || sender_conn__stopped(f))
		return false;
	if (!f->settings->rate)
		return true;
	*due = epoll_loop__due_at(p, f->begun * p->m->nr + turn);
	return *due <= p->now;
}

static void epoll_loop__begun(struct epoll_loop *p, struct sender_conn *f)
{
	f->begun++;
	p->busy++;
	if (f->left != UINT64_MAX && !--f->left)
		p->open--;
}

/* Sends one message, or as much of it as the socket takes. *sent: the message is complete. */
static int epoll_loop__message(struct epoll_loop *p, struct sender_conn *f, bool *sent)
{
	bool begins = !f->busy;
	uint64_t due = 0;
	int err;

	*sent = false;
	if (begins && !epoll_loop__may_begin(p, f, &due))
		return 0;
	err = sender_conn__step(f, due);
	if (begins && (!err || f->busy))
		epoll_loop__begun(p, f);
	if (err)
		return err == -EAGAIN ? 0 : err;
	p->busy--;
	*sent = true;
	sender_thread__show(p->m, &p->shown);
	return 0;
}

static int epoll_loop__serve(struct epoll_loop *p, struct sender_conn *f)
{
	uint64_t bytes = 0;
	bool sent;
	int err;

	do {
		err = epoll_loop__message(p, f, &sent);
		bytes += f->settings->size;
	} while (!err && sent && bytes < TURN_BYTES);
	if (!err && sent)
		epoll_loop__queue(p, f);
	return err;
}

static int epoll_loop__arm(const struct epoll_loop *p)
{
	struct itimerspec at = {
		.it_value.tv_sec = (time_t)(p->due / NS_PER_SEC),
		.it_value.tv_nsec = (long)(p->due % NS_PER_SEC),
	};

	if (!p->m->pool->settings->rate)
		return 0;
	return timerfd_settime(p->m->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

static bool epoll_loop__spins(const struct epoll_loop *p)
{
	const struct settings *s = p->m->pool->settings;

	return s->rate && p->due < p->now + s->spin_ns;
}

/* How long to poll for replies before sleeping, ns. With --rate, epoll_loop__spins() decides. */
static uint64_t epoll_loop__spin(const struct epoll_loop *p)
{
	const struct settings *s = p->m->pool->settings;

	return s->request_response && !s->rate ? s->spin_ns : 0;
}

/* Fails if a message under way makes no progress. */
static int epoll_loop__check_stalls(struct epoll_loop *p, bool waited)
{
	/* With --rate the clock was just read. Else a thread that does not wait makes progress. */
	bool open = p->m->pool->settings->rate;
	uint64_t now = open ? p->now : waited ? clock__now() : p->looked;
	unsigned int i;
	int err = 0;

	if (now - p->looked < LOOK_STALL_NS)
		return 0;
	p->looked = now;
	for (i = 0; !err && i < p->m->nr; i++)
		if (p->m->conns[i].busy || p->m->conns[i].slot_since)
			err = sender_conn__check_stall(&p->m->conns[i]);
	return err;
}

static int epoll_loop__poll(struct epoll_loop *p, bool wait)
{
	struct epoll_event events[BATCH];
	int n, i, err = 0;

	if (wait)
		err = epoll_loop__arm(p);
	if (err)
		return err;
	n = busy_poll__epoll(p->m->epoll_fd, events, BATCH, wait ? LOOK_MS : 0,
			     wait ? epoll_loop__spin(p) : 0);
	for (i = 0; !err && i < n; i++) {
		struct sender_conn *f = events[i].data.ptr;

		/* The timer: epoll_loop__take_due() checks anyway. */
		if (!f)
			continue;
		if (events[i].events & EPOLLERR)
			err = send_mode__get(f->settings->mode)->reap(f);
		epoll_loop__queue(p, f);
	}
	return err ? err : epoll_loop__check_stalls(p, wait);
}

static bool epoll_loop__goes_on(const struct epoll_loop *p)
{
	if (p->busy)
		return true;
	return p->open && !atomic_load_explicit(&p->m->pool->stop, memory_order_relaxed);
}

static void epoll_loop__begin(struct epoll_loop *p)
{
	struct sender_thread *m = p->m;
	unsigned int i;

	p->tail = &p->head;
	if (m->pool->settings->rate)
		p->due = epoll_loop__due_at(p, 0);
	for (i = 0; i < m->nr; i++) {
		struct sender_conn *f = &m->conns[i];

		f->queued = false;
		f->begun = 0;
		p->open += f->left != 0;
		if (!f->settings->rate)
			epoll_loop__queue(p, f);
	}
}

int epoll_loop__run(struct sender_thread *m)
{
	struct epoll_loop p = {.m = m};
	unsigned int i;
	int err = 0;

	epoll_loop__begin(&p);
	while (!err && epoll_loop__goes_on(&p)) {
		epoll_loop__take_due(&p);
		for (i = 0; !err && p.head && i < BATCH; i++)
			err = epoll_loop__serve(&p, epoll_loop__take(&p));
		if (!err)
			err = epoll_loop__poll(&p, !p.head && !epoll_loop__spins(&p));
	}
	return err;
}
