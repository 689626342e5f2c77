/* SPDX-License-Identifier: GPL-2.0-only */
/* Accepts connections, reads their hellos, and collects the connections of each sender. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/xalloc.h"
#include "ktls.h"
#include "pending_sessions.h"
#include "receive_way.h"
#include "session.h"
#include "sock.h"

/* A sender sends its hello right after connect(); this limit leaves time for slow networks. */
#define HELLO_NS (5 * NS_PER_SEC)
/* Pause of accept() when the system is out of descriptors or memory. */
#define RELIEF_NS (100 * NS_PER_MS)
/* During a session, accept() takes at most PACE_BURST connections each PACE_NS. */
#define PACE_NS    (50 * NS_PER_MS)
#define PACE_BURST 32
/* Time limits for the next connection of a sender, and for all its connections. */
#define STEP_NS  (15 * NS_PER_SEC)
#define TOTAL_NS (60 * NS_PER_SEC)
/* Descriptors for other uses: standard streams, epoll, control connections. */
#define RESERVED (PENDING_CLIENTS_MAX + 32)
/* Events of one epoll_wait(), and of one call, so that a flood does not delay the main loop. */
#define BATCH       64
#define HANDLED_MAX 256

/* What an event is of: the index of an unidentified connection, a client's index above AT_CLIENT,
 * or AT_LISTEN. */
#define AT_CLIENT PENDING_UNIDENTIFIED_MAX
#define AT_LISTEN UINT32_MAX

bool pending_sessions__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now)
{
	return stamp >= welcomed && stamp <= now;
}

static int watch(const struct pending_sessions *l, int op, int fd, uint32_t events, uint32_t at)
{
	struct epoll_event e = {.events = events, .data.u32 = at};

	return epoll_ctl(l->epoll_fd, op, fd, &e) ? -errno : 0;
}

int pending_sessions__open(struct pending_sessions *l, const struct lg_options *s,
			   uint64_t descriptors)
{
	int err;

	*l = (struct pending_sessions){
		.epoll_fd = -1, .verify = s->workload.verify, .half = s->half};
	l->connections_max = descriptors > RESERVED ? (uint32_t)(descriptors - RESERVED) : 0;
	l->listen_fd = sock__listen(&s->endpoint, s->workload.rcvbuf, s->workload.congestion);
	if (l->listen_fd < 0)
		return l->listen_fd;
	l->unidentified = xcalloc(PENDING_UNIDENTIFIED_MAX, sizeof(*l->unidentified));
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = l->epoll_fd < 0 ? -errno : watch(l, EPOLL_CTL_ADD, l->listen_fd, EPOLLIN, AT_LISTEN);
	if (err)
		pending_sessions__close(l);
	return err;
}

/* NULL: there is none. */
static struct unidentified_conn *unidentified_conn__oldest(const struct pending_sessions *l)
{
	struct unidentified_conn *oldest = NULL;

	for (unsigned int i = 0; l->unidentified_nr && i < PENDING_UNIDENTIFIED_MAX; i++)
		if (l->unidentified[i].here &&
		    (!oldest || l->unidentified[i].deadline < oldest->deadline))
			oldest = &l->unidentified[i];
	return oldest;
}

/* Closes the oldest unidentified connection. False: there is none. */
static bool unidentified_conn__evict(struct pending_sessions *l)
{
	struct unidentified_conn *oldest = unidentified_conn__oldest(l);

	if (!oldest)
		return false;
	close(oldest->fd);
	oldest->here = false;
	l->unidentified_nr--;
	return true;
}

static void client__leave(struct pending_client *g)
{
	for (uint32_t i = 0; g->fds && i < g->hello.connections; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	free(g->fds);
	control_conn__close(&g->conn);
	*g = (struct pending_client){0};
}

/*
 * Sends a REFUSE frame with the reason and closes fd. The peer's hello must have been read. err: of
 * the trial that failed, else 0.
 */
static void reject(int fd, enum protocol_refusal why, int err)
{
	const struct protocol_frame f = {
		.type = PROTOCOL_REFUSE, .index = why, .messages = (uint64_t)-err};
	uint8_t buf[PROTOCOL_FRAME_SIZE];

	protocol__encode_frame(buf, &f);
	/* The send buffer is empty. If send() fails, the peer sees end of stream only. */
	if (send(fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

static void client__refuse(struct pending_client *g, enum protocol_refusal why)
{
	reject(g->conn.fd, why, 0);
	g->conn.fd = -1;
	client__leave(g);
}

void pending_sessions__close(struct pending_sessions *l)
{
	if (l->listen_fd < 0)
		return;
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here)
			client__leave(&l->clients[i]);
	while (unidentified_conn__evict(l))
		;
	free(l->unidentified);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	close(l->listen_fd);
	l->epoll_fd = l->listen_fd = -1;
}

uint64_t pending_sessions__deadline(const struct pending_sessions *l)
{
	uint64_t deadline = l->resume ? l->resume : UINT64_MAX;
	const struct unidentified_conn *oldest;

	if (l->listen_fd < 0)
		return UINT64_MAX;
	oldest = unidentified_conn__oldest(l);
	if (oldest && oldest->deadline < deadline)
		deadline = oldest->deadline;
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && l->clients[i].deadline < deadline)
			deadline = l->clients[i].deadline;
	return deadline;
}

void pending_sessions__extend_deadlines(struct pending_sessions *l, uint64_t missed_ns)
{
	if (l->listen_fd < 0 || !missed_ns)
		return;
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++) {
		l->clients[i].begun += missed_ns;
		l->clients[i].deadline += missed_ns;
	}
	for (unsigned int i = 0; i < PENDING_UNIDENTIFIED_MAX; i++)
		l->unidentified[i].deadline += missed_ns;
}

void pending_sessions__set_busy(struct pending_sessions *l, bool busy)
{
	l->busy = busy;
	l->accepted = 0;
	for (unsigned int i = 0; busy && i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here)
			client__refuse(&l->clients[i], PROTOCOL_REFUSAL_BUSY);
}

static struct pending_client *client__stalest(struct pending_sessions *l)
{
	struct pending_client *stalest = NULL;

	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && (!stalest || l->clients[i].moved < stalest->moved))
			stalest = &l->clients[i];
	return stalest;
}

static struct pending_client *client__new(struct pending_sessions *l)
{
	struct pending_client *stalest;

	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (!l->clients[i].here)
			return &l->clients[i];
	stalest = client__stalest(l);
	client__refuse(stalest, PROTOCOL_REFUSAL_BUSY);
	return stalest;
}

static void client__move(struct pending_client *g, uint64_t now)
{
	g->moved = now;
	g->deadline = now + time_limit__ns(STEP_NS);
	if (g->deadline > g->begun + time_limit__ns(TOTAL_NS))
		g->deadline = g->begun + time_limit__ns(TOTAL_NS);
}

static void welcome(struct pending_sessions *l, const struct protocol_hello *hello, int fd)
{
	struct protocol_frame f = {.type = PROTOCOL_WELCOME, .index = l->half};
	struct pending_client *g = client__new(l);
	uint8_t clock_id[PROTOCOL_TOKEN_SIZE];
	uint32_t at = AT_CLIENT + (uint32_t)(g - l->clients);

	session__clock_id(clock_id);
	*g = (struct pending_client){.here = true, .clock_fits = true, .hello = *hello};
	g->claims_clock = session__same_clock(clock_id, hello->clock_id);
	g->welcomed = g->begun = clock__now();
	client__move(g, g->welcomed);
	if (control_conn__open(&g->conn, fd) || (l->half && session__make_token(g->nonce))) {
		client__leave(g);
		return;
	}
	protocol__put_bytes(&f, g->nonce);
	if (watch(l, EPOLL_CTL_ADD, fd, EPOLLIN, at) || control_conn__send(&g->conn, &f))
		client__leave(g);
}

static bool client__expects(const struct pending_client *g, const struct protocol_hello *hello)
{
	return g->here && !memcmp(hello->token, g->hello.token, PROTOCOL_TOKEN_SIZE) &&
	       hello->connections == g->hello.connections && hello->size == g->hello.size;
}

/* Takes ownership of fd. */
static void client__add(struct pending_client *g, const struct protocol_hello *hello, int fd)
{
	uint64_t now = clock__now();

	if (!g->fds) {
		g->fds = xreallocarray(NULL, g->hello.connections, sizeof(*g->fds));
		for (uint32_t i = 0; i < g->hello.connections; i++)
			g->fds[i] = -1;
	}
	if (g->fds[hello->index] >= 0) {
		close(fd);
		return;
	}
	g->fds[hello->index] = fd;
	g->connected++;
	g->clock_fits =
		g->clock_fits && pending_sessions__stamp_fits(hello->stamp, g->welcomed, now);
	client__move(g, now);
}

static void add_data_conn(struct pending_sessions *l, const struct protocol_hello *hello, int fd)
{
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (client__expects(&l->clients[i], hello)) {
			client__add(&l->clients[i], hello, fd);
			return;
		}
	close(fd);
}

static void admit(struct pending_sessions *l, const struct protocol_hello *hello, int fd)
{
	int err;

	if (hello->kind == PROTOCOL_DATA) {
		add_data_conn(l, hello, fd);
	} else if (l->verify && !hello->verify) {
		reject(fd, PROTOCOL_REFUSAL_VERIFY, 0);
	} else if (l->busy && !l->yields) {
		reject(fd, PROTOCOL_REFUSAL_BUSY, 0);
	} else if (hello->connections > l->connections_max) {
		reject(fd, PROTOCOL_REFUSAL_LIMIT, 0);
	} else if ((err = receive_way__try(hello->receive))) {
		reject(fd, PROTOCOL_REFUSAL_RECEIVE, err);
	} else if (hello->encrypted && (err = ktls__try(hello->tls))) {
		reject(fd, PROTOCOL_REFUSAL_KTLS, err);
	} else {
		l->asked = true;
		welcome(l, hello, fd);
	}
}

/* 0: hello complete and valid. -EAGAIN: incomplete. Other -errno: not a sender of this protocol. */
static int unidentified_conn__read(struct unidentified_conn *e, struct protocol_hello *hello)
{
	ssize_t n = recv(e->fd, e->buf + e->have, sizeof(e->buf) - e->have, MSG_DONTWAIT);

	if (n == 0)
		return -ECONNRESET;
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	e->have += (unsigned int)n;
	return e->have == sizeof(e->buf) ? protocol__decode_hello(e->buf, hello) : -EAGAIN;
}

/* err: of unidentified_conn__read(), not -EAGAIN. */
static void answer_hello(struct pending_sessions *l, int err, const struct protocol_hello *hello,
			 int fd)
{
	if (!err)
		admit(l, hello, fd);
	else if (err == -EPROTONOSUPPORT)
		reject(fd, PROTOCOL_REFUSAL_VERSION, 0);
	else
		close(fd);
}

static void unidentified_conn__identify(struct pending_sessions *l, struct unidentified_conn *e)
{
	struct protocol_hello hello;
	int fd = e->fd, err;

	/* An earlier event of this batch closed the connection. */
	if (!e->here)
		return;
	err = unidentified_conn__read(e, &hello);
	if (err == -EAGAIN)
		return;
	watch(l, EPOLL_CTL_DEL, fd, 0, 0);
	e->here = false;
	l->unidentified_nr--;
	answer_hello(l, err, &hello, fd);
}

static void unidentified_conn__keep(struct pending_sessions *l, const struct unidentified_conn *new)
{
	uint32_t at = 0;

	if (l->unidentified_nr == PENDING_UNIDENTIFIED_MAX)
		unidentified_conn__evict(l);
	while (l->unidentified[at].here)
		at++;
	if (watch(l, EPOLL_CTL_ADD, new->fd, EPOLLIN, at)) {
		close(new->fd);
		return;
	}
	l->unidentified[at] = *new;
	l->unidentified_nr++;
}

static void pause_accept(struct pending_sessions *l, uint64_t ns)
{
	l->resume = clock__now() + ns;
	l->accepted = 0;
	watch(l, EPOLL_CTL_MOD, l->listen_fd, 0, AT_LISTEN);
}

/* Accepts one connection. A connection that has already sent its hello takes no entry. */
static void accept_one(struct pending_sessions *l)
{
	struct unidentified_conn new = {.here = true,
					.deadline = clock__now() + time_limit__ns(HELLO_NS)};
	struct protocol_hello hello;
	int err;

	if (l->busy && l->accepted >= PACE_BURST) {
		pause_accept(l, PACE_NS);
		return;
	}
	new.fd = accept4(l->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	err = errno;
	if (new.fd >= 0) {
		l->accepted++;
		err = unidentified_conn__read(&new, &hello);
		if (err == -EAGAIN)
			unidentified_conn__keep(l, &new);
		else
			answer_hello(l, err, &hello, new.fd);
		return;
	}
	/* accept(2): all other errors concern one connection only. */
	if (err != EMFILE && err != ENFILE && err != ENOBUFS && err != ENOMEM)
		return;
	/* Close a connection without a hello: the next connection may be the sender's. */
	if ((err == EMFILE || err == ENFILE) && unidentified_conn__evict(l))
		return;
	l->trouble = -err;
	pause_accept(l, RELIEF_NS);
}

/* A sender sends nothing before READY: any frame, error or end of stream removes the client. */
static void client__read(struct pending_client *g)
{
	struct protocol_frame f;

	if (g->here && control_conn__next(&g->conn, &f) != -EAGAIN)
		client__leave(g);
}

static void expire(struct pending_sessions *l)
{
	const struct unidentified_conn *oldest;
	uint64_t now = clock__now();

	while ((oldest = unidentified_conn__oldest(l)) && oldest->deadline <= now)
		unidentified_conn__evict(l);
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (l->clients[i].here && l->clients[i].deadline <= now)
			client__leave(&l->clients[i]);
	if (l->resume && l->resume <= now) {
		l->resume = 0;
		watch(l, EPOLL_CTL_MOD, l->listen_fd, EPOLLIN, AT_LISTEN);
	}
}

/* Handles the events of one epoll_wait(). Returns their number. */
static int handle_events(struct pending_sessions *l)
{
	struct epoll_event events[BATCH];
	int n = epoll_wait(l->epoll_fd, events, BATCH, 0);

	for (int i = 0; i < n; i++) {
		uint32_t at = events[i].data.u32;

		if (at == AT_LISTEN)
			accept_one(l);
		else if (at >= AT_CLIENT)
			client__read(&l->clients[at - AT_CLIENT]);
		else
			unidentified_conn__identify(l, &l->unidentified[at]);
	}
	return n;
}

/* Out of descriptors: refuse the incomplete client with the oldest progress. */
static void relieve(struct pending_sessions *l)
{
	struct pending_client *g = client__stalest(l);

	if ((l->trouble == -EMFILE || l->trouble == -ENFILE) && g &&
	    g->connected < g->hello.connections)
		client__refuse(g, PROTOCOL_REFUSAL_LIMIT);
}

bool pending_sessions__poll(struct pending_sessions *l, bool yields)
{
	int n;

	if (l->listen_fd < 0)
		return false;
	l->yields = yields;
	l->asked = false;
	l->trouble = 0;
	for (int handled = 0; handled < HANDLED_MAX; handled += n) {
		expire(l);
		n = handle_events(l);
		if (n <= 0)
			break;
	}
	relieve(l);
	return l->busy && l->asked;
}

static bool client__is_complete(const struct pending_client *g)
{
	return g->here && g->connected == g->hello.connections;
}

bool pending_sessions__waiting(const struct pending_sessions *l)
{
	for (unsigned int i = 0; i < PENDING_CLIENTS_MAX; i++)
		if (client__is_complete(&l->clients[i]))
			return true;
	return false;
}

int pending_sessions__pop(struct pending_sessions *l, struct complete_session *s)
{
	struct pending_client *g = l->clients, *end = g + PENDING_CLIENTS_MAX;

	while (g < end && !client__is_complete(g))
		g++;
	if (g == end)
		return -EAGAIN;
	*s = (struct complete_session){
		.hello = g->hello,
		.conn = g->conn,
		.fds = g->fds,
		.same_clock = g->claims_clock && g->clock_fits,
	};
	memcpy(s->nonce, g->nonce, sizeof(s->nonce));
	watch(l, EPOLL_CTL_DEL, g->conn.fd, 0, 0);
	*g = (struct pending_client){0};
	return 0;
}
