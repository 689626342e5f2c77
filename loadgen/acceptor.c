/* SPDX-License-Identifier: GPL-2.0-only */
/* Accepts connections and reads the hello that each one begins with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "acceptor.h"
#include "clock.h"
#include "common/time_limit.h"
#include "sock.h"

/* A sender sends its hello right after connect(); this limit leaves time for slow networks. */
#define HELLO_NS (5 * NS_PER_SEC)
/* Pause of accept() when the system is out of descriptors or memory. */
#define RELIEF_NS (100 * NS_PER_MS)
/* While paced, accept() takes at most PACE_BURST connections each PACE_NS. */
#define PACE_NS    (50 * NS_PER_MS)
#define PACE_BURST 32

#define HEAD      ACCEPTOR_PENDING_MAX
#define NONE      UINT16_MAX
#define AT_LISTEN UINT32_MAX

static int acceptor__watch(const struct acceptor *a, int op, int fd, uint32_t events, uint32_t at)
{
	struct epoll_event e = {.events = events, .data.u32 = at};

	return epoll_ctl(a->epoll_fd, op, fd, &e) ? -errno : 0;
}

static int acceptor__prepare(struct acceptor *a)
{
	uint16_t i;

	a->entries = calloc(ACCEPTOR_PENDING_MAX + 1, sizeof(*a->entries));
	if (!a->entries)
		return -ENOMEM;
	for (i = 0; i < ACCEPTOR_PENDING_MAX; i++)
		a->entries[i].next = i + 1 < ACCEPTOR_PENDING_MAX ? i + 1 : NONE;
	a->entries[HEAD].next = a->entries[HEAD].prev = HEAD;
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return a->epoll_fd < 0 ? -errno : 0;
}

int acceptor__open(struct acceptor *a, const struct settings *s)
{
	int err;

	*a = (struct acceptor){.epoll_fd = -1};
	a->listen_fd = sock__listen(&s->endpoint, s->rcvbuf, s->congestion);
	if (a->listen_fd < 0)
		return a->listen_fd;
	err = acceptor__prepare(a);
	if (!err)
		err = acceptor__watch(a, EPOLL_CTL_ADD, a->listen_fd, EPOLLIN, AT_LISTEN);
	if (err)
		acceptor__close(a);
	return err;
}

static void acceptor__remove(struct acceptor *a, uint16_t i)
{
	struct acceptor_entry *e = &a->entries[i];

	a->entries[e->prev].next = e->next;
	a->entries[e->next].prev = e->prev;
	e->next = a->free;
	e->fd = -1;
	a->free = i;
	a->pending--;
}

bool acceptor__evict(struct acceptor *a)
{
	uint16_t oldest;

	if (!a->pending)
		return false;
	oldest = a->entries[HEAD].next;
	close(a->entries[oldest].fd);
	acceptor__remove(a, oldest);
	return true;
}

void acceptor__close(struct acceptor *a)
{
	if (a->listen_fd < 0)
		return;
	while (acceptor__evict(a))
		;
	free(a->entries);
	if (a->epoll_fd >= 0)
		close(a->epoll_fd);
	close(a->listen_fd);
	*a = (struct acceptor){.listen_fd = -1, .epoll_fd = -1};
}

int acceptor__fd(const struct acceptor *a)
{
	return a->epoll_fd;
}

uint64_t acceptor__deadline(const struct acceptor *a)
{
	uint64_t deadline = a->resume ? a->resume : UINT64_MAX;

	if (a->pending && a->entries[a->entries[HEAD].next].deadline < deadline)
		deadline = a->entries[a->entries[HEAD].next].deadline;
	return deadline;
}

static void acceptor__pause(struct acceptor *a, uint64_t ns)
{
	a->resume = clock__now() + ns;
	a->accepted = 0;
	acceptor__watch(a, EPOLL_CTL_MOD, a->listen_fd, 0, AT_LISTEN);
}

void acceptor__pace(struct acceptor *a, bool paced)
{
	a->paced = paced;
	a->accepted = 0;
}

int acceptor__trouble(struct acceptor *a)
{
	int err = a->trouble;

	a->trouble = 0;
	return err;
}

void acceptor__excuse(struct acceptor *a, uint64_t missed_ns)
{
	uint16_t i;

	if (!a->pending)
		return;
	for (i = a->entries[HEAD].next; i != HEAD; i = a->entries[i].next)
		a->entries[i].deadline += missed_ns;
}

void acceptor__refuse(int fd, enum protocol_refusal why)
{
	const struct protocol_frame f = {.type = PROTOCOL_REFUSE, .index = why};
	uint8_t buf[PROTOCOL_FRAME_SIZE];

	protocol__encode_frame(buf, &f);
	/* The send buffer is empty. If send() fails, the peer sees end of stream only. */
	if (send(fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

/* 0: hello complete and valid. -EAGAIN: incomplete. Other -errno: not a sender of this protocol. */
static int entry__read(struct acceptor_entry *e, struct protocol_hello *hello)
{
	ssize_t n = recv(e->fd, e->buf + e->have, sizeof(e->buf) - e->have, MSG_DONTWAIT);

	if (n == 0)
		return -ECONNRESET;
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	e->have += (unsigned int)n;
	return e->have == sizeof(e->buf) ? protocol__decode_hello(e->buf, hello) : -EAGAIN;
}

/* Returns fd if the hello is valid. Else closes the connection and returns -EAGAIN. */
static int acceptor__judge(int fd, int err)
{
	if (!err)
		return fd;
	if (err == -EPROTONOSUPPORT)
		acceptor__refuse(fd, PROTOCOL_REFUSAL_VERSION);
	else
		close(fd);
	return -EAGAIN;
}

static int acceptor__look(struct acceptor *a, uint16_t i, struct protocol_hello *hello)
{
	struct acceptor_entry *e = &a->entries[i];
	int fd = e->fd, err;

	/* An earlier event of this batch closed the connection. */
	if (fd < 0)
		return -EAGAIN;
	err = entry__read(e, hello);
	if (err == -EAGAIN)
		return err;
	acceptor__watch(a, EPOLL_CTL_DEL, fd, 0, 0);
	acceptor__remove(a, i);
	return acceptor__judge(fd, err);
}

static int acceptor__keep(struct acceptor *a, const struct acceptor_entry *new)
{
	struct acceptor_entry *head = &a->entries[HEAD], *e;
	uint16_t i;

	if (a->free == NONE)
		acceptor__evict(a);
	i = a->free;
	if (acceptor__watch(a, EPOLL_CTL_ADD, new->fd, EPOLLIN, i))
		return -ENOMEM;
	e = &a->entries[i];
	a->free = e->next;
	*e = *new;
	e->next = HEAD;
	e->prev = head->prev;
	a->entries[head->prev].next = i;
	head->prev = i;
	a->pending++;
	return 0;
}

static int acceptor__accept(struct acceptor *a)
{
	int fd = accept4(a->listen_fd, NULL, NULL, SOCK_CLOEXEC), e = errno;

	if (fd >= 0) {
		a->accepted++;
		return fd;
	}
	/* accept(2): all other errors concern one connection only. */
	if (e != EMFILE && e != ENFILE && e != ENOBUFS && e != ENOMEM)
		return -e;
	/* Close a connection without a hello: the next connection may be the sender's. */
	if ((e == EMFILE || e == ENFILE) && acceptor__evict(a))
		return -EINTR;
	a->trouble = -e;
	acceptor__pause(a, RELIEF_NS);
	return -e;
}

/* Accepts one connection. A connection that has already sent its hello takes no entry. */
static int acceptor__take(struct acceptor *a, struct protocol_hello *hello)
{
	struct acceptor_entry new = {.deadline = clock__now() + time_limit__ns(HELLO_NS)};
	int err;

	if (a->paced && a->accepted >= PACE_BURST) {
		acceptor__pause(a, PACE_NS);
		return -EAGAIN;
	}
	new.fd = acceptor__accept(a);
	if (new.fd < 0)
		return -EAGAIN;
	err = entry__read(&new, hello);
	if (err == -EAGAIN)
		err = acceptor__keep(a, &new) ? -ENOMEM : -EAGAIN;
	return err == -EAGAIN ? err : acceptor__judge(new.fd, err);
}

static void acceptor__tend(struct acceptor *a)
{
	uint64_t now = clock__now();

	while (a->pending && a->entries[a->entries[HEAD].next].deadline <= now)
		acceptor__evict(a);
	if (a->resume && a->resume <= now) {
		a->resume = 0;
		acceptor__watch(a, EPOLL_CTL_MOD, a->listen_fd, EPOLLIN, AT_LISTEN);
	}
}

int acceptor__next(struct acceptor *a, struct protocol_hello *hello)
{
	int fd = -EAGAIN;

	if (a->listen_fd < 0)
		return -EAGAIN;
	if (a->events_at == a->events_nr) {
		acceptor__tend(a);
		a->events_at = 0;
		a->events_nr = epoll_wait(a->epoll_fd, a->events, ACCEPTOR_BATCH, 0);
		if (a->events_nr < 0)
			a->events_nr = 0;
	}
	while (fd < 0 && a->events_at < a->events_nr) {
		uint32_t at = a->events[a->events_at++].data.u32;

		fd = at == AT_LISTEN ? acceptor__take(a, hello)
				     : acceptor__look(a, (uint16_t)at, hello);
	}
	return fd;
}
