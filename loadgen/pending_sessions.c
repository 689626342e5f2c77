/* SPDX-License-Identifier: GPL-2.0-only */
/* Senders that have sent a hello and whose session has not begun. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "pending_sessions.h"
#include "session.h"

/* Time limits for the next connection of a sender, and for all its connections. */
#define STEP_NS  (15 * NS_PER_SEC)
#define TOTAL_NS (60 * NS_PER_SEC)
/* Descriptors for other uses: standard streams, epoll, control connections. */
#define RESERVED (PENDING_CLIENTS_MAX + 32)

/* Hellos handled in one call, so that a flood does not delay the rest of the loop. */
#define ADMITTED_MAX 256

#define AT_ACCEPTOR UINT32_MAX

bool pending_sessions__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now)
{
	return stamp >= welcomed && stamp <= now;
}

static int pending_sessions__watch(struct pending_sessions *l, int fd, uint32_t at)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = at};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int pending_sessions__open(struct pending_sessions *l, const struct settings *s,
			   uint64_t descriptors)
{
	int err;

	*l = (struct pending_sessions){.epoll_fd = -1, .verify = s->verify};
	l->connections_max = descriptors > RESERVED ? (uint32_t)(descriptors - RESERVED) : 0;
	err = acceptor__open(&l->acceptor, s);
	if (err)
		return err;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = l->epoll_fd < 0 ? -errno
			      : pending_sessions__watch(l, acceptor__fd(&l->acceptor), AT_ACCEPTOR);
	if (err)
		pending_sessions__close(l);
	return err;
}

static void pending_client__close_data(struct pending_client *g)
{
	uint32_t i;

	for (i = 0; g->fds && i < g->hello.connections; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	free(g->fds);
	g->fds = NULL;
}

static void pending_client__leave(struct pending_client *g)
{
	pending_client__close_data(g);
	control_conn__close(&g->conn);
	*g = (struct pending_client){0};
}

static void pending_client__refuse(struct pending_client *g, enum protocol_refusal why)
{
	acceptor__refuse(g->conn.fd, why);
	g->conn.fd = -1;
	pending_client__leave(g);
}

void pending_sessions__close(struct pending_sessions *l)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here)
			pending_client__leave(&l->clients[i]);
	acceptor__close(&l->acceptor);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	l->epoll_fd = -1;
}

int pending_sessions__fd(const struct pending_sessions *l)
{
	return l->epoll_fd;
}

uint64_t pending_sessions__deadline(const struct pending_sessions *l)
{
	uint64_t deadline;
	unsigned int i;

	if (l->epoll_fd < 0)
		return UINT64_MAX;
	deadline = acceptor__deadline(&l->acceptor);
	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && l->clients[i].deadline < deadline)
			deadline = l->clients[i].deadline;
	return deadline;
}

void pending_sessions__excuse(struct pending_sessions *l, uint64_t missed_ns)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++) {
		l->clients[i].begun += missed_ns;
		l->clients[i].deadline += missed_ns;
	}
	acceptor__excuse(&l->acceptor, missed_ns);
}

void pending_sessions__set_busy(struct pending_sessions *l, bool busy)
{
	unsigned int i;

	l->busy = busy;
	if (l->epoll_fd < 0)
		return;
	acceptor__pace(&l->acceptor, busy);
	for (i = 0; busy && i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here)
			pending_client__refuse(&l->clients[i], PROTOCOL_REFUSAL_BUSY);
}

static struct pending_client *pending_sessions__stalest(struct pending_sessions *l)
{
	struct pending_client *stalest = NULL;
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && (!stalest || l->clients[i].moved < stalest->moved))
			stalest = &l->clients[i];
	return stalest;
}

static struct pending_client *pending_sessions__seat(struct pending_sessions *l)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (!l->clients[i].here)
			return &l->clients[i];
	pending_client__refuse(pending_sessions__stalest(l), PROTOCOL_REFUSAL_BUSY);
	return pending_sessions__seat(l);
}

static void pending_client__move(struct pending_client *g, uint64_t now)
{
	g->moved = now;
	g->deadline = now + time_limit__ns(STEP_NS);
	if (g->deadline > g->begun + time_limit__ns(TOTAL_NS))
		g->deadline = g->begun + time_limit__ns(TOTAL_NS);
}

static void pending_sessions__welcome(struct pending_sessions *l,
				      const struct protocol_hello *hello, int fd)
{
	const struct protocol_frame f = {.type = PROTOCOL_WELCOME};
	struct pending_client *g = pending_sessions__seat(l);
	uint8_t clock_id[PROTOCOL_TOKEN_SIZE];

	session__clock_id(clock_id);
	*g = (struct pending_client){.here = true, .clock_fits = true, .hello = *hello};
	g->claims_clock = session__same_clock(clock_id, hello->clock_id);
	g->welcomed = g->begun = clock__now();
	pending_client__move(g, g->welcomed);
	if (control_conn__open(&g->conn, fd) ||
	    pending_sessions__watch(l, fd, (uint32_t)(g - l->clients)) ||
	    control_conn__send(&g->conn, &f))
		pending_client__leave(g);
}

static bool pending_client__expects(const struct pending_client *g,
				    const struct protocol_hello *hello)
{
	return g->here && !memcmp(hello->token, g->hello.token, PROTOCOL_TOKEN_SIZE) &&
	       hello->connections == g->hello.connections && hello->size == g->hello.size;
}

static int pending_client__add(struct pending_client *g, const struct protocol_hello *hello, int fd)
{
	uint64_t now = clock__now();
	uint32_t i;

	if (!g->fds) {
		g->fds = malloc(g->hello.connections * sizeof(*g->fds));
		if (!g->fds)
			return -ENOMEM;
		for (i = 0; i < g->hello.connections; i++)
			g->fds[i] = -1;
	}
	if (g->fds[hello->index] >= 0)
		return -EEXIST;
	g->fds[hello->index] = fd;
	g->connected++;
	g->clock_fits =
		g->clock_fits && pending_sessions__stamp_fits(hello->stamp, g->welcomed, now);
	pending_client__move(g, now);
	return 0;
}

static void pending_sessions__take_data(struct pending_sessions *l,
					const struct protocol_hello *hello, int fd)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (pending_client__expects(&l->clients[i], hello))
			break;
	if (i == PENDING_CLIENTS_MAX || pending_client__add(&l->clients[i], hello, fd))
		close(fd);
}

static void pending_sessions__admit(struct pending_sessions *l, const struct protocol_hello *hello,
				    int fd)
{
	if (hello->kind == PROTOCOL_DATA) {
		pending_sessions__take_data(l, hello, fd);
	} else if (l->verify && !hello->verify) {
		acceptor__refuse(fd, PROTOCOL_REFUSAL_VERIFY);
	} else if (l->busy && !l->yields) {
		acceptor__refuse(fd, PROTOCOL_REFUSAL_BUSY);
	} else if (hello->connections > l->connections_max) {
		acceptor__refuse(fd, PROTOCOL_REFUSAL_LIMIT);
	} else {
		l->asked = true;
		pending_sessions__welcome(l, hello, fd);
	}
}

/* A sender sends nothing before READY: any frame, error or end of stream removes the client. */
static void pending_sessions__look(struct pending_sessions *l)
{
	struct epoll_event events[PENDING_CLIENTS_MAX + 1];
	int n = epoll_wait(l->epoll_fd, events, PENDING_CLIENTS_MAX + 1, 0);
	struct protocol_frame f;

	while (n-- > 0) {
		uint32_t at = events[n].data.u32;

		if (at < PENDING_CLIENTS_MAX && l->clients[at].here &&
		    control_conn__next(&l->clients[at].conn, &f) != -EAGAIN)
			pending_client__leave(&l->clients[at]);
	}
}

/* Out of descriptors: refuse the incomplete client with the oldest progress. */
static void pending_sessions__relieve(struct pending_sessions *l)
{
	struct pending_client *g = pending_sessions__stalest(l);
	int err = l->acceptor.trouble;

	if ((err == -EMFILE || err == -ENFILE) && g && g->connected < g->hello.connections)
		pending_client__refuse(g, PROTOCOL_REFUSAL_LIMIT);
}

bool pending_sessions__tend(struct pending_sessions *l, bool yields)
{
	struct protocol_hello hello;
	uint64_t now;
	unsigned int i;
	int fd;

	if (l->epoll_fd < 0)
		return false;
	l->yields = yields;
	l->asked = false;
	pending_sessions__look(l);
	for (i = 0; i < ADMITTED_MAX && (fd = acceptor__next(&l->acceptor, &hello)) >= 0; i++)
		pending_sessions__admit(l, &hello, fd);
	pending_sessions__relieve(l);
	now = clock__now();
	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && l->clients[i].deadline <= now)
			pending_client__leave(&l->clients[i]);
	return l->busy && l->asked;
}

bool pending_sessions__waiting(const struct pending_sessions *l)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here &&
		    l->clients[i].connected == l->clients[i].hello.connections)
			return true;
	return false;
}

int pending_sessions__take(struct pending_sessions *l, struct complete_session *s)
{
	unsigned int i;

	for (i = 0; i < PENDING_CLIENTS_MAX; i++) {
		struct pending_client *g = &l->clients[i];

		if (!g->here || g->connected < g->hello.connections)
			continue;
		*s = (struct complete_session){
			.hello = g->hello,
			.conn = g->conn,
			.fds = g->fds,
			.same_clock = g->claims_clock && g->clock_fits,
		};
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, g->conn.fd, NULL);
		*g = (struct pending_client){0};
		return 0;
	}
	return -EAGAIN;
}
