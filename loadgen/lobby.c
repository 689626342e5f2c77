/* SPDX-License-Identifier: GPL-2.0-only */
/* Senders that have sent a hello and whose session has not begun. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "lobby.h"
#include "session_id.h"

/* Time limits for the next connection of a sender, and for all its connections. */
#define STEP_NS  (15 * NS_PER_SEC)
#define TOTAL_NS (60 * NS_PER_SEC)
/* Descriptors for other uses: standard streams, epoll, control connections. */
#define RESERVED (LOBBY_GUESTS_MAX + 32)

/* Hellos handled in one call, so that a flood does not delay the rest of the loop. */
#define ADMITTED_MAX 256

#define AT_ACCEPTOR UINT32_MAX

bool lobby__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now)
{
	return stamp >= welcomed && stamp <= now;
}

static int lobby__watch(struct lobby *l, int fd, uint32_t at)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = at};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int lobby__open(struct lobby *l, const struct settings *s, uint64_t descriptors)
{
	int err;

	*l = (struct lobby){.epoll_fd = -1, .verify = s->verify};
	l->connections_max = descriptors > RESERVED ? (uint32_t)(descriptors - RESERVED) : 0;
	err = acceptor__open(&l->acceptor, s);
	if (err)
		return err;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = l->epoll_fd < 0 ? -errno : lobby__watch(l, acceptor__fd(&l->acceptor), AT_ACCEPTOR);
	if (err)
		lobby__close(l);
	return err;
}

static void guest__close_data(struct lobby_guest *g)
{
	uint32_t i;

	for (i = 0; g->fds && i < g->hello.connections; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	free(g->fds);
	g->fds = NULL;
}

static void guest__leave(struct lobby_guest *g)
{
	guest__close_data(g);
	channel__close(&g->channel);
	*g = (struct lobby_guest){0};
}

static void guest__refuse(struct lobby_guest *g, enum wire_refusal why)
{
	acceptor__refuse(g->channel.fd, why);
	g->channel.fd = -1;
	guest__leave(g);
}

void lobby__close(struct lobby *l)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here)
			guest__leave(&l->guests[i]);
	acceptor__close(&l->acceptor);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	l->epoll_fd = -1;
}

int lobby__fd(const struct lobby *l)
{
	return l->epoll_fd;
}

uint64_t lobby__deadline(const struct lobby *l)
{
	uint64_t deadline;
	unsigned int i;

	if (l->epoll_fd < 0)
		return UINT64_MAX;
	deadline = acceptor__deadline(&l->acceptor);
	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here && l->guests[i].deadline < deadline)
			deadline = l->guests[i].deadline;
	return deadline;
}

void lobby__excuse(struct lobby *l, uint64_t missed_ns)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++) {
		l->guests[i].begun += missed_ns;
		l->guests[i].deadline += missed_ns;
	}
	acceptor__excuse(&l->acceptor, missed_ns);
}

void lobby__set_busy(struct lobby *l, bool busy)
{
	unsigned int i;

	l->busy = busy;
	if (l->epoll_fd < 0)
		return;
	acceptor__pace(&l->acceptor, busy);
	for (i = 0; busy && i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here)
			guest__refuse(&l->guests[i], WIRE_REFUSAL_BUSY);
}

static struct lobby_guest *lobby__stalest(struct lobby *l)
{
	struct lobby_guest *stalest = NULL;
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here && (!stalest || l->guests[i].moved < stalest->moved))
			stalest = &l->guests[i];
	return stalest;
}

static struct lobby_guest *lobby__seat(struct lobby *l)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (!l->guests[i].here)
			return &l->guests[i];
	guest__refuse(lobby__stalest(l), WIRE_REFUSAL_BUSY);
	return lobby__seat(l);
}

static void guest__move(struct lobby_guest *g, uint64_t now)
{
	g->moved = now;
	g->deadline = now + time_limit__ns(STEP_NS);
	if (g->deadline > g->begun + time_limit__ns(TOTAL_NS))
		g->deadline = g->begun + time_limit__ns(TOTAL_NS);
}

static void lobby__welcome(struct lobby *l, const struct wire_hello *hello, int fd)
{
	const struct wire_frame f = {.type = WIRE_WELCOME};
	struct lobby_guest *g = lobby__seat(l);
	uint8_t clock_id[WIRE_TOKEN_SIZE];

	session_id__clock(clock_id);
	*g = (struct lobby_guest){.here = true, .clock_fits = true, .hello = *hello};
	g->claims_clock = session_id__same_clock(clock_id, hello->clock_id);
	g->welcomed = g->begun = clock__now();
	guest__move(g, g->welcomed);
	if (channel__open(&g->channel, fd) || lobby__watch(l, fd, (uint32_t)(g - l->guests)) ||
	    channel__send(&g->channel, &f))
		guest__leave(g);
}

static bool guest__expects(const struct lobby_guest *g, const struct wire_hello *hello)
{
	return g->here && !memcmp(hello->token, g->hello.token, WIRE_TOKEN_SIZE) &&
	       hello->connections == g->hello.connections && hello->size == g->hello.size;
}

static int guest__add(struct lobby_guest *g, const struct wire_hello *hello, int fd)
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
	g->clock_fits = g->clock_fits && lobby__stamp_fits(hello->stamp, g->welcomed, now);
	guest__move(g, now);
	return 0;
}

static void lobby__take_data(struct lobby *l, const struct wire_hello *hello, int fd)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (guest__expects(&l->guests[i], hello))
			break;
	if (i == LOBBY_GUESTS_MAX || guest__add(&l->guests[i], hello, fd))
		close(fd);
}

static void lobby__admit(struct lobby *l, const struct wire_hello *hello, int fd)
{
	if (hello->kind == WIRE_DATA) {
		lobby__take_data(l, hello, fd);
	} else if (l->verify && !hello->verify) {
		acceptor__refuse(fd, WIRE_REFUSAL_VERIFY);
	} else if (l->busy && !l->yields) {
		acceptor__refuse(fd, WIRE_REFUSAL_BUSY);
	} else if (hello->connections > l->connections_max) {
		acceptor__refuse(fd, WIRE_REFUSAL_LIMIT);
	} else {
		l->asked = true;
		lobby__welcome(l, hello, fd);
	}
}

/* A sender sends nothing before READY: any frame, error or end of stream removes the guest. */
static void lobby__look(struct lobby *l)
{
	struct epoll_event events[LOBBY_GUESTS_MAX + 1];
	int n = epoll_wait(l->epoll_fd, events, LOBBY_GUESTS_MAX + 1, 0);
	struct wire_frame f;

	while (n-- > 0) {
		uint32_t at = events[n].data.u32;

		if (at < LOBBY_GUESTS_MAX && l->guests[at].here &&
		    channel__next(&l->guests[at].channel, &f) != -EAGAIN)
			guest__leave(&l->guests[at]);
	}
}

/* Out of descriptors: refuse the incomplete guest with the oldest progress. */
static void lobby__relieve(struct lobby *l)
{
	struct lobby_guest *g = lobby__stalest(l);
	int err = l->acceptor.trouble;

	if ((err == -EMFILE || err == -ENFILE) && g && g->connected < g->hello.connections)
		guest__refuse(g, WIRE_REFUSAL_LIMIT);
}

bool lobby__tend(struct lobby *l, bool yields)
{
	struct wire_hello hello;
	uint64_t now;
	unsigned int i;
	int fd;

	if (l->epoll_fd < 0)
		return false;
	l->yields = yields;
	l->asked = false;
	lobby__look(l);
	for (i = 0; i < ADMITTED_MAX && (fd = acceptor__next(&l->acceptor, &hello)) >= 0; i++)
		lobby__admit(l, &hello, fd);
	lobby__relieve(l);
	now = clock__now();
	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here && l->guests[i].deadline <= now)
			guest__leave(&l->guests[i]);
	return l->busy && l->asked;
}

bool lobby__waiting(const struct lobby *l)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++)
		if (l->guests[i].here && l->guests[i].connected == l->guests[i].hello.connections)
			return true;
	return false;
}

int lobby__take(struct lobby *l, struct lobby_session *s)
{
	unsigned int i;

	for (i = 0; i < LOBBY_GUESTS_MAX; i++) {
		struct lobby_guest *g = &l->guests[i];

		if (!g->here || g->connected < g->hello.connections)
			continue;
		*s = (struct lobby_session){
			.hello = g->hello,
			.channel = g->channel,
			.fds = g->fds,
			.same_clock = g->claims_clock && g->clock_fits,
		};
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, g->channel.fd, NULL);
		*g = (struct lobby_guest){0};
		return 0;
	}
	return -EAGAIN;
}
