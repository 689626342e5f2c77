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

static int sender_conn__set_up_socket(const struct sender_conn *f)
{
	int err = sock__set_blocking(f->fd, f->blocking);

	if (!err && f->blocking)
		err = sock__set_timeout(f->fd, SO_SNDTIMEO, SOCK_SEND_TIMEOUT_MS);
	if (!err && f->blocking && f->options->workload.request_response)
		err = sock__set_timeout(f->fd, SO_RCVTIMEO, SOCK_SEND_TIMEOUT_MS);
	if (!err && f->options->workload.nodelay)
		err = sock__set(f->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	return err;
}

int sender_conn__fill_message(struct sender_conn *f)
{
	if (!f->options->workload.verify)
		return 0;
	message__fill(&f->message, f->index, f->seq);
	f->now = 0;
	return 0;
}

ssize_t sender_conn__send_whole(struct sender_conn *f)
{
	return sender_conn__send_rest(f, &f->message, 0);
}

void sender_conn__clear_message(struct sender_conn *f)
{
	message__clear(&f->message);
}

void sender_conn__tag_message(struct sender_conn *f, uint64_t stamp)
{
	message__put_tag(&f->message, f->seq, stamp);
}

int sender_conn__open(struct sender_conn *f, int fd, uint32_t index, const struct lg_options *s,
		      const atomic_bool *stop, struct counters *counters, bool blocking)
{
	int err;

	*f = (struct sender_conn){
		.fd = fd,
		.index = index,
		.options = s,
		.depth = mode__depth(s->mode, &s->workload),
		.left = UINT64_MAX,
		.stop = stop,
		.counters = counters,
		.blocking = blocking,
	};
	rx_parser__init(&f->answer, REPLY_CONNECTION(index), workload__message_size(&s->workload),
			s->workload.verify, false);
	f->rest = xcalloc((size_t)f->depth * (s->workload.fields + 1), sizeof(*f->rest));
	err = send_mode__get(s->mode)->setup(f);
	if (!err)
		err = sender_conn__set_up_socket(f);
	if (err)
		sender_conn__close(f);
	return err;
}

void sender_conn__close(struct sender_conn *f)
{
	if (f->fd < 0)
		return;
	send_mode__get(f->options->mode)->teardown(f);
	free(f->rest);
	*f = (struct sender_conn){.fd = -1};
}

/* slot_wait: time without a free zero-copy slot, which is not part of the send call. */
static int sender_conn__prepare(struct sender_conn *f, const struct send_mode *mode)
{
	int err;

	f->group = f->left < f->depth ? (unsigned int)f->left : f->depth;
	err = mode->prepare(f);
	if (err == -EAGAIN && !f->slot_since)
		f->slot_since = clock__now();
	if (err || !f->slot_since)
		return err;
	f->now = clock__now();
	hist__record_latency(f->counters->hist[COUNTERS_SLOT_WAIT], f->now - f->slot_since);
	f->slot_since = 0;
	return 0;
}

/* The stamp is the begin of the call, which is the end of the last call if nothing lay between. */
static void sender_conn__begin(struct sender_conn *f, const struct send_mode *mode, uint64_t due)
{
	f->call_begin = f->now ? f->now : clock__now();
	f->call_ns = 0;
	f->done = 0;
	f->busy = true;
	f->asked = due ? due : f->call_begin;
	mode->begin(f, f->asked);
}

static void sender_conn__sent(struct sender_conn *f, uint64_t after)
{
	struct counters *t = f->counters;
	uint64_t size = sender_conn__group_size(f);
	uint64_t each = (f->call_ns + after - f->call_begin) / f->group;

	for (unsigned int i = 0; i < f->group; i++)
		hist__record_latency(t->hist[COUNTERS_SEND_CALL], each);
	t->bytes += size;
	t->messages += f->group;
	t->last_ns = after;
	t->last_call_ns = f->call_begin;
	f->bytes += size;
	f->messages += f->group;
	f->seq += f->group;
	f->owed = f->options->workload.request_response ? size : 0;
	f->busy = f->owed;
	f->now = f->blocking ? after : 0;
}

/* Counts n bytes of the reply. The sender ignores the reply's stamp. */
static void sender_conn__heard(struct sender_conn *f, size_t n)
{
	struct counters got = {0};

	rx_parser__feed(&f->answer, &got, f->inbox, n, 0);
	f->owed -= n;
	f->counters->reply_bytes += got.bytes;
	f->counters->reply_messages += got.messages;
	f->counters->verify_errors += got.verify_errors;
}

static ssize_t sender_conn__recv(const struct sender_conn *f)
{
	size_t len = f->owed < INBOX_SIZE ? f->owed : INBOX_SIZE;

	if (f->blocking)
		return busy_poll__recv(f->fd, f->inbox, len, f->options->workload.spin_ns);
	return recv(f->fd, f->inbox, len, MSG_DONTWAIT);
}

/* Reads the rest of the reply, which completes the message. */
static int sender_conn__listen(struct sender_conn *f)
{
	uint64_t now;

	while (f->owed) {
		ssize_t n = sender_conn__recv(f);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ECONNRESET;
		if (n > 0)
			sender_conn__heard(f, (size_t)n);
	}
	now = clock__now();
	hist__record_latency(f->counters->hist[COUNTERS_HALF_ROUND_TRIP], (now - f->asked) / 2);
	f->counters->last_ns = now;
	f->busy = false;
	f->now = f->blocking ? now : 0;
	return 0;
}

static int sender_conn__push(struct sender_conn *f, const struct send_mode *mode)
{
	size_t size = sender_conn__group_size(f);

	for (;;) {
		ssize_t n = mode->send(f);

		if (n == -EINTR) {
			f->counters->eintr++;
			continue;
		}
		if (n < 0)
			return (int)n;
		f->done += (size_t)n;
		if (f->done == size)
			return 0;
		if (n > 0 && f->done % sender_conn__message_size(f))
			f->counters->partial_sends++;
	}
}

int sender_conn__step(struct sender_conn *f, uint64_t due)
{
	const struct send_mode *mode = send_mode__get(f->options->mode);
	uint64_t after;
	int err;

	if (f->owed)
		return sender_conn__listen(f);
	if (!f->busy) {
		err = sender_conn__prepare(f, mode);
		if (err)
			return err;
		sender_conn__begin(f, mode, due);
	} else if (!f->call_begin) {
		f->call_begin = clock__now();
	}
	err = sender_conn__push(f, mode);
	if (err && err != -EAGAIN)
		return err;
	after = clock__now();
	if (!err) {
		sender_conn__sent(f, after);
		return f->owed ? sender_conn__listen(f) : 0;
	}
	f->counters->eagain++;
	f->call_ns += after - f->call_begin;
	f->call_begin = 0;
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

int sender_conn__check_stall(struct sender_conn *f)
{
	const struct stall_state state = {
		.seq = f->seq,
		.unacked = sock__unacked(f->fd),
		.owed = f->owed,
		.done = f->done,
	};

	if (f->closing && atomic_load_explicit(f->closing, memory_order_relaxed))
		return -ECANCELED;
	if (!stall__check(&f->stall, &state, clock__now(), time_limit__ns(SENDER_CONN_STALL_NS)))
		return 0;
	return state.unacked || state.owed ? -ETIMEDOUT : -ETIME;
}

int sender_conn__send_message(struct sender_conn *f)
{
	const struct send_mode *mode = send_mode__get(f->options->mode);
	int err;

	while ((err = sender_conn__step(f, 0)) == -EAGAIN) {
		if (!f->busy && sender_conn__stopped(f))
			return -ECANCELED;
		err = f->busy || !mode->wait ? 0 : mode->wait(f, WAIT_MS);
		/* A slot is usually free within microseconds: the socket is checked late. */
		if (!err && (f->busy || clock__now() - f->slot_since > WAIT_MS * NS_PER_MS))
			err = sender_conn__check_stall(f);
		if (err)
			return err;
	}
	return err;
}
