/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends a group of messages on a connection in any mode, and reads the reply. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "sender_conn.h"
#include "sock.h"
#include "busy_poll.h"

/* A wait for a zero-copy slot checks the stop flag this often. */
#define WAIT_MS 50
/* Waits check more often than this; a longer gap means that this process did not run. */
#define LOOK_GAP_NS NS_PER_SEC

const struct send_mode *send_mode__get(enum mode mode)
{
	static const struct send_mode *const modes[] = {
#define X(id, name, ...) [MODE_##id] = &send_mode_##name,
		MODES(X)
#undef X
	};

	return modes[mode];
}

static int sender_conn__set_up_socket(const struct sender_conn *conn)
{
	int err = sock__set_blocking(conn->fd, conn->blocking);

	if (!err && conn->blocking)
		err = sock__set_timeout(conn->fd, SO_SNDTIMEO, SOCK_SEND_TIMEOUT_MS);
	if (!err && conn->blocking && conn->options->workload.request_response)
		err = sock__set_timeout(conn->fd, SO_RCVTIMEO, SOCK_SEND_TIMEOUT_MS);
	if (!err && conn->options->workload.nodelay)
		err = sock__set(conn->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	return err;
}

int sender_conn__fill_message(struct sender_conn *conn)
{
	if (!conn->options->workload.verify)
		return 0;
	message__fill(&conn->message, conn->index, conn->seq);
	conn->now = 0;
	return 0;
}

ssize_t sender_conn__send_whole(struct sender_conn *conn)
{
	return sender_conn__send_rest(conn, &conn->message, 0);
}

void sender_conn__clear_message(struct sender_conn *conn)
{
	message__clear(&conn->message);
}

void sender_conn__tag_message(struct sender_conn *conn, uint64_t stamp)
{
	message__put_tag(&conn->message, conn->seq, stamp);
}

int sender_conn__open(struct sender_conn *conn, int fd, uint32_t index, const struct lg_options *s,
		      const atomic_bool *stop, struct counters *counters, bool blocking)
{
	int err;

	*conn = (struct sender_conn){
		.fd = fd,
		.index = index,
		.options = s,
		.depth = mode__depth(s->mode, &s->workload),
		.left = UINT64_MAX,
		.stop = stop,
		.counters = counters,
		.blocking = blocking,
	};
	rx_parser__init(&conn->answer, REPLY_CONNECTION(index),
			workload__message_size(&s->workload), s->workload.verify, false);
	conn->rest = xcalloc((size_t)conn->depth * (s->workload.fields + 1), sizeof(*conn->rest));
	err = send_mode__get(s->mode)->setup(conn);
	if (!err)
		err = sender_conn__set_up_socket(conn);
	if (err)
		sender_conn__close(conn);
	return err;
}

void sender_conn__close(struct sender_conn *conn)
{
	if (conn->fd < 0)
		return;
	send_mode__get(conn->options->mode)->teardown(conn);
	free(conn->rest);
	*conn = (struct sender_conn){.fd = -1};
}

/* slot_wait: time without a free zero-copy slot, which is not part of the send call. */
static int sender_conn__prepare(struct sender_conn *conn, const struct send_mode *mode)
{
	int err;

	conn->group = conn->left < conn->depth ? (unsigned int)conn->left : conn->depth;
	err = mode->prepare(conn);
	if (err == -EAGAIN && !conn->slot_since)
		conn->slot_since = clock__now();
	if (err || !conn->slot_since)
		return err;
	conn->now = clock__now();
	hist__record_latency(conn->counters->hist[COUNTERS_SLOT_WAIT],
			     conn->now - conn->slot_since);
	conn->slot_since = 0;
	return 0;
}

/* The stamp is the begin of the call, which is the end of the last call if nothing lay between. */
static void sender_conn__begin(struct sender_conn *conn, const struct send_mode *mode, uint64_t due)
{
	conn->call_begin = conn->now ? conn->now : clock__now();
	conn->call_ns = 0;
	conn->done = 0;
	conn->busy = true;
	conn->asked = due ? due : conn->call_begin;
	mode->begin(conn, conn->asked);
}

static void sender_conn__sent(struct sender_conn *conn, uint64_t after)
{
	struct counters *t = conn->counters;
	uint64_t size = sender_conn__group_size(conn);
	uint64_t each = (conn->call_ns + after - conn->call_begin) / conn->group;

	for (unsigned int i = 0; i < conn->group; i++)
		hist__record_latency(t->hist[COUNTERS_SEND_CALL], each);
	t->bytes += size;
	t->messages += conn->group;
	t->last_ns = after;
	t->last_call_ns = conn->call_begin;
	conn->bytes += size;
	conn->messages += conn->group;
	conn->seq += conn->group;
	conn->owed = conn->options->workload.request_response ? size : 0;
	conn->busy = conn->owed;
	conn->now = conn->blocking ? after : 0;
}

/* Counts n bytes of the reply. The sender ignores the reply's stamp. */
static void sender_conn__heard(struct sender_conn *conn, size_t n)
{
	struct counters got = {0};

	rx_parser__feed(&conn->answer, &got, conn->inbox, n, 0);
	conn->owed -= n;
	conn->counters->reply_bytes += got.bytes;
	conn->counters->reply_messages += got.messages;
	conn->counters->verify_errors += got.verify_errors;
}

static ssize_t sender_conn__recv(const struct sender_conn *conn)
{
	size_t len = conn->owed < INBOX_SIZE ? conn->owed : INBOX_SIZE;

	if (conn->blocking)
		return busy_poll__recv(conn->fd, conn->inbox, len, conn->options->workload.spin_ns);
	return recv(conn->fd, conn->inbox, len, MSG_DONTWAIT);
}

/* Reads the rest of the reply, which completes the message. */
static int sender_conn__listen(struct sender_conn *conn)
{
	uint64_t now;

	while (conn->owed) {
		ssize_t n = sender_conn__recv(conn);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ECONNRESET;
		if (n > 0)
			sender_conn__heard(conn, (size_t)n);
	}
	now = clock__now();
	hist__record_latency(conn->counters->hist[COUNTERS_HALF_ROUND_TRIP],
			     (now - conn->asked) / 2);
	conn->counters->last_ns = now;
	conn->busy = false;
	conn->now = conn->blocking ? now : 0;
	return 0;
}

static int sender_conn__push(struct sender_conn *conn, const struct send_mode *mode)
{
	size_t size = sender_conn__group_size(conn);

	for (;;) {
		ssize_t n = mode->send(conn);

		if (n == -EINTR) {
			conn->counters->eintr++;
			continue;
		}
		if (n < 0)
			return (int)n;
		conn->done += (size_t)n;
		if (conn->done == size)
			return 0;
		if (n > 0 && conn->done % sender_conn__message_size(conn))
			conn->counters->partial_sends++;
	}
}

int sender_conn__step(struct sender_conn *conn, uint64_t due)
{
	const struct send_mode *mode = send_mode__get(conn->options->mode);
	uint64_t after;
	int err;

	if (conn->owed)
		return sender_conn__listen(conn);
	if (!conn->busy) {
		err = sender_conn__prepare(conn, mode);
		if (err)
			return err;
		sender_conn__begin(conn, mode, due);
	} else if (!conn->call_begin) {
		conn->call_begin = clock__now();
	}
	err = sender_conn__push(conn, mode);
	if (err && err != -EAGAIN)
		return err;
	after = clock__now();
	if (!err) {
		sender_conn__sent(conn, after);
		return conn->owed ? sender_conn__listen(conn) : 0;
	}
	conn->counters->eagain++;
	conn->call_ns += after - conn->call_begin;
	conn->call_begin = 0;
	return err;
}

bool stall__check(struct stall *s, const struct stall_state *state, uint64_t now, uint64_t limit_ns)
{
	uint64_t gap = s->since ? now - s->seen : 0;

	s->seen = now;
	if (!s->since || memcmp(state, &s->state, sizeof(*state))) {
		s->since = now;
		s->state = *state;
		return false;
	}
	if (gap > LOOK_GAP_NS)
		s->since += gap;
	return now - s->since > limit_ns;
}

int sender_conn__check_stall(struct sender_conn *conn)
{
	const struct stall_state state = {
		.seq = conn->seq,
		.unacked = sock__unacked(conn->fd),
		.owed = conn->owed,
		.done = conn->done,
	};

	if (conn->closing && atomic_load_explicit(conn->closing, memory_order_relaxed))
		return -ECANCELED;
	if (!stall__check(&conn->stall, &state, clock__now(), time_limit__ns(SENDER_CONN_STALL_NS)))
		return 0;
	return state.unacked || state.owed ? -ETIMEDOUT : -ETIME;
}

int sender_conn__send_message(struct sender_conn *conn)
{
	const struct send_mode *mode = send_mode__get(conn->options->mode);
	int err;

	while ((err = sender_conn__step(conn, 0)) == -EAGAIN) {
		if (!conn->busy && sender_conn__stopped(conn))
			return -ECANCELED;
		err = conn->busy || !mode->wait ? 0 : mode->wait(conn, WAIT_MS);
		/* A slot is usually free within microseconds: the socket is checked late. */
		if (!err && (conn->busy || clock__now() - conn->slot_since > WAIT_MS * NS_PER_MS))
			err = sender_conn__check_stall(conn);
		if (err)
			return err;
	}
	return err;
}
