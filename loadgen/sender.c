/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sender's session, a machine of states (rows, below): what it sends, what ends a state, what
 * comes next. sender_connect.c makes the connections, sender_pool.c moves the bytes.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "common/mode.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "send_slots.h"
#include "sender.h"

/* Time limit for the acknowledgements of the last bytes. */
#define ACKED_NS (NS_PER_SEC / 4)
/* After its deadline a phase waits at most this long for a first message, checking this often. */
#define FIRST_MESSAGE_NS (10 * NS_PER_SEC)
#define FIRST_CHECK_NS   (NS_PER_SEC / 100)
/* --rate: how long after its end the measured phase sends messages that were due before. */
#define GRACE_NS NS_PER_SEC

/* Reports the counters. done: at the end of the measured phase. */
static void sender__stats(struct sender *s, bool done)
{
	struct side_stats st = {.sender = true, .interrupted = s->stopping && done};
	struct tcp_counts now;
	uint64_t end;

	counters__init(&st.counters);
	st.tcp.known = true;
	st.confirmed.known = done && s->confirmed.type == PROTOCOL_CONFIRM;
	st.confirmed.bytes = s->confirmed.bytes;
	st.confirmed.messages = s->confirmed.messages;
	st.confirmed.verify_errors = s->confirmed.index;
	st.confirmed.elapsed_ns = s->confirmed_ns;
	if (s->measuring) {
		sender_pool__read(&s->pool, &st.counters);
		end = done ? st.counters.last_ns : clock__now();
		st.elapsed_ns = end > s->begin_ns ? end - s->begin_ns : 0;
		st.paused_ns = s->loop.paused;
		st.cpu_ns = clock__cpu() - s->cpu_begin;
		now = tcp_counts__read(s->pool.fds, s->pool.nr);
		st.tcp = tcp_counts__delta(&now, &s->tcp_begin);
	}
	reporter__stats(s->report, &st, done);
	counters__clear(&st.counters);
}

int sender__lost(struct sender *s, int err)
{
	static const struct error_text texts[] = {
		{-ECONNRESET, "The receiver closed the control connection: it ended"},
		{-EPIPE, "The receiver closed the control connection: it ended"},
		{-EPROTO, "The peer is not a netiotrace receiver"},
		{-EPROTONOSUPPORT, "The receiver speaks another version of the protocol: use "
				   "one version of netiotrace on both machines"},
		{0, "The receiver is lost"},
	};

	/* Before WELCOME, silence has other causes. */
	if (s->state == SENDER_GREETING &&
	    (err == -ETIMEDOUT || err == -ECONNRESET || err == -EPIPE))
		return reporter__error(
			s->report, err,
			"%s: it is not a netiotrace receiver, or busy with another session%s",
			err == -ETIMEDOUT ? "The peer does not answer"
					  : "The peer closed the connection",
			s->hello.receive     ? ", or a version without --receive"
			: s->hello.tls       ? ", or a version without --tls"
			: s->hello.encrypted ? ", or a version without mode ktls"
					     : "");
	return reporter__error_of(s->report, err, texts);
}

/* What failed in its trial there. The receiver's errno is any number: it is not returned. */
static int sender__refused_trial(struct sender *s, const struct protocol_frame *f)
{
	int err = f->messages && f->messages < 4096 ? -(int)f->messages : -EPROTO;
	const char *where = "on the receiver's machine";

	s->report->refused = true;
	if (f->index == PROTOCOL_REFUSAL_KTLS)
		session__refuse_mode(s->report, err, s->options->mode, where);
	else
		session__refuse_receive(s->report, err, s->hello.receive, where);
	return -ECONNREFUSED;
}

static int sender__refused(struct sender *s, const struct protocol_frame *f)
{
	static const char *const texts[] = {
		[PROTOCOL_REFUSAL_BUSY] = "The receiver is busy with another session",
		[PROTOCOL_REFUSAL_LIMIT] =
			"The receiver may not open so many connections: raise its limit of open "
			"files (ulimit -n) or give fewer --connections",
		[PROTOCOL_REFUSAL_VERIFY] =
			"The receiver checks every byte, and without --verify this sender writes "
			"nothing that can be checked: give --verify on both sides or on neither",
	};

	uint32_t why = f->index;

	if ((why == PROTOCOL_REFUSAL_RECEIVE && receive__has(s->hello.receive, RECEIVE_TRIED)) ||
	    (why == PROTOCOL_REFUSAL_KTLS && s->hello.encrypted))
		return sender__refused_trial(s, f);
	if (why == PROTOCOL_REFUSAL_VERSION)
		return sender__lost(s, -EPROTONOSUPPORT);
	if (why < sizeof(texts) / sizeof(texts[0]) && texts[why])
		return reporter__error(s->report, -ECONNREFUSED, "%s", texts[why]);
	return reporter__error(
		s->report, -EPROTO,
		"The receiver refuses the session for reason %u, which this version of "
		"netiotrace does not know: see what the receiver says",
		why);
}

static void sender__stop(struct sender *s)
{
	s->stopping = true;
	sender_pool__stop(&s->pool);
}

static int sender__command(struct sender *s)
{
	struct control_stdin *c = &s->loop.commands;
	enum control_stdin_command command = control_stdin__next(c);

	switch (command) {
	case CONTROL_STDIN_NONE:
		return 0;
	case CONTROL_STDIN_EOF:
		return -ECANCELED;
	case CONTROL_STDIN_STATS:
		sender__stats(s, false);
		return 0;
	case CONTROL_STDIN_STOP:
		sender__stop(s);
		return 0;
	case CONTROL_STDIN_PROVE:
		if (s->order == CONTROL_STDIN_NONE && s->challenge[0] && !s->proved &&
		    half_request__parse_proof(s->proof, c->argument)) {
			s->proved = true;
			return 0;
		}
		return reporter__error(s->report, -EINVAL, "Command 'prove' is not expected now");
	case CONTROL_STDIN_START:
	case CONTROL_STDIN_MEASURE:
		if (s->order == CONTROL_STDIN_NONE && c->number <= HALF_KIND_MAX) {
			s->order = command;
			s->half_kind = (uint32_t)c->number;
			return 0;
		}
		/* fall through */
	default:
		return reporter__error(s->report, -EINVAL,
				       "Command '%s' is not known, or not expected now", c->line);
	}
}

static int sender__misplaced(struct sender *s, const struct protocol_frame *f)
{
	return reporter__error(s->report, -EPROTO,
			       "The receiver sent %s %s: it does not keep to the protocol",
			       protocol__type_name(f->type), protocol__state_name(s->state));
}

/* Progress is some more bytes than before, or all that were sent. */
static int sender__moving(struct sender *s, const struct protocol_frame *f)
{
	if (f->bytes > s->sum.bytes)
		return reporter__error(s->report, -EPROTO,
				       "The receiver says it has read more than was sent");
	if (f->bytes <= s->moved_bytes ||
	    (f->bytes < s->sum.bytes &&
	     f->bytes - s->moved_bytes < protocol__least_progress(s->hello.size)))
		return 0;
	s->moved_bytes = f->bytes;
	s->moved_ns = clock__now();
	return 0;
}

/* STOP for the previous phase may cross PHASE. */
static bool sender__is_of_phase(const struct sender *s, const struct protocol_frame *f)
{
	return f->phase == s->phase ||
	       (f->type == PROTOCOL_STOP && s->state == SENDER_ASKING && f->phase + 1 == s->phase);
}

static int sender__handle_frame(struct sender *s, const struct protocol_frame *f)
{
	if (!protocol__accepts(s->state, f->type) || !sender__is_of_phase(s, f))
		return sender__misplaced(s, f);
	switch (f->type) {
	case PROTOCOL_STOP:
		if (s->stop_received)
			return sender__misplaced(s, f);
		s->stop_received = true;
		sender__stop(s);
		return 0;
	case PROTOCOL_ELAPSED:
		if (s->timed)
			return sender__misplaced(s, f);
		s->timed = true;
		s->elapsed_ns = f->bytes;
		return 0;
	case PROTOCOL_MOVING:
		return sender__moving(s, f);
	case PROTOCOL_REFUSE:
		return sender__refused(s, f);
	default:
		s->answer = *f;
		s->answered = true;
		return 0;
	}
}

static int sender__handle_events(struct sender *s, int events)
{
	struct protocol_frame f;
	int err = 0;

	if (events & CONTROL_LOOP_SIGNAL) {
		sender__stop(s);
		if (!s->stop_ns)
			s->stop_ns = clock__now() + TIME_LIMIT_STOP_NS;
	}
	if (events & CONTROL_LOOP_COMMAND)
		err = sender__command(s);
	if (err || !(events & CONTROL_LOOP_FRAME))
		return err;
	err = control_conn__next(&s->loop.conn, &f);
	if (err == -EAGAIN)
		return 0;
	return err ? sender__lost(s, err) : sender__handle_frame(s, &f);
}

int sender__step(struct sender *s, uint64_t deadline)
{
	uint64_t until = s->stop_ns && s->stop_ns < deadline ? s->stop_ns : deadline, missed;
	int events = control_loop__wait(&s->loop, until, -1);
	int err;

	if (events < 0)
		return reporter__error(s->report, events, "Waiting failed: %m");
	err = sender__handle_events(s, events);
	if (err)
		return err;
	missed = control_loop__missed(&s->loop);
	s->moved_ns += missed;
	s->awaited_ns += missed;
	if (s->stop_ns && clock__now() >= s->stop_ns)
		return -EINTR;
	/* If this process did not run, the caller computes a new deadline. */
	return !missed && clock__now() >= deadline ? -ETIME : 0;
}

/* Sends n frames, at most CONTROL_CONN_BATCH. 0; -EINTR: a signal; other -errno, reported. */
static int sender__send_frames(struct sender *s, const struct protocol_frame *f, size_t n)
{
	int err = control_conn__send_all(&s->loop.conn, f, n);

	return err && err != -EINTR ? sender__lost(s, err) : err;
}

/* GREETING */

static int sender__welcomed(struct sender *s)
{
	uint8_t nonce[PROTOCOL_TOKEN_SIZE];

	/* Data connections change s->hello later: the challenge is for this one. */
	if (s->answer.index) {
		protocol__get_bytes(nonce, &s->answer);
		half_request__challenge(s->challenge, &s->hello, nonce);
	}
	return 0;
}

/* CONNECTING */

static int sender__join(struct sender *s)
{
	int err = sender__connect_data(s);

	if (err)
		return err;
	err = sender_pool__start(&s->pool);
	if (err && err != -EINTR)
		session__refuse_setup(s->report, err, s->pool.nr, s->pool.threads_nr);
	return err;
}

/* READY and QUIESCED */

/* The slots of a connection, of the one that has fewest. The threads have set up all of them. */
static unsigned int fewest_slots(const struct sender_pool *pool)
{
	unsigned int fewest = UINT_MAX;

	for (uint32_t i = 0; i < pool->nr; i++) {
		const struct send_slots *s = sender_pool__conn(pool, i)->own;

		fewest = s->used < fewest ? s->used : fewest;
	}
	return fewest;
}

static int sender__describe(struct sender *s)
{
	const struct lg_options *set = s->options;
	static struct side_config c;

	c = (struct side_config){
		.sender = true,
		.size = set->workload.size,
		.threads = (uint32_t)set->workload.threads,
		.connections = s->pool.nr,
		.verify = set->workload.verify,
		.receive = set->workload.receive,
		.tls = s->hello.encrypted ? workload__tls_name(s->hello.tls) : NULL,
		.sndbuf = sock__get(s->pool.fds[0], SOL_SOCKET, SO_SNDBUF),
	};

	if (mode__has(set->mode, MODE_PINS))
		c.slots = fewest_slots(&s->pool);
	sock__congestion(s->pool.fds[0], c.congestion, sizeof(c.congestion));
	memcpy(c.challenge, s->challenge, sizeof(c.challenge));
	return session__describe(s->report, &c, s->pool.fds, s->pool.nr);
}

static bool sender__ordered(struct sender *s)
{
	return !s->options->control || s->stopping || s->order != CONTROL_STDIN_NONE;
}

/* The order must be the state's, unless there is no driver, or the session is to stop. */
static int sender__take_order(struct sender *s)
{
	bool ready = s->state == SENDER_READY;
	enum control_stdin_command given = s->order;

	s->order = CONTROL_STDIN_NONE;
	if (s->options->control && !s->stopping &&
	    given != (ready ? CONTROL_STDIN_START : CONTROL_STDIN_MEASURE))
		return reporter__error(
			s->report, -EINVAL,
			"Command '%s' is not expected now: see docs/reference/loadgen.md",
			given == CONTROL_STDIN_START ? "start" : "measure");
	return ready && s->options->workload.warmup_ns && !s->stopping ? SENDER_ASKING : 0;
}

static int sender__quiesce(struct sender *s)
{
	s->last = true;
	if (!s->stopping)
		reporter__quiesced(s->report);
	return 0;
}

/* ASKING */

static int sender__ask(struct sender *s)
{
	/* The proof, if any, goes before the measured phase. */
	struct protocol_frame f[2] = {{.type = PROTOCOL_PROOF},
				      {.type = PROTOCOL_PHASE,
				       .index = s->last,
				       .phase = ++s->phase,
				       .messages = s->last ? s->half_kind : 0}};
	bool proves = s->last && s->proved && s->half_kind;

	s->timed = false;
	s->moved_bytes = 0;
	s->asked_ns = clock__now();
	protocol__put_bytes(&f[0], s->proof);
	return sender__send_frames(s, proves ? f : f + 1, proves ? 2 : 1);
}

static int sender__promised(struct sender *s)
{
	bool asked = s->last && s->half_kind;

	if (s->answer.index > (asked ? PROTOCOL_HALF_REFUSED : PROTOCOL_NO_HALF))
		return sender__lost(s, -EPROTO);
	if (s->answer.index == PROTOCOL_HALF_REFUSED)
		return reporter__error(s->report, -EACCES,
				       "The receiver has %s token: give both sides the same "
				       "--token FILE",
				       s->proved ? "another" : "a");
	s->half = s->answer.index;
	return 0;
}

/* SENDING */

/* Sends no message if stopped. */
static int sender__send(struct sender *s)
{
	const struct workload *w = &s->options->workload;
	uint64_t messages = s->last && w->messages ? w->messages : UINT64_MAX;
	uint64_t duration = s->last ? w->duration_ns : w->warmup_ns;

	s->tcp_begin = tcp_counts__read(s->pool.fds, s->pool.nr);
	s->cpu_begin = clock__cpu();
	s->begin_ns = clock__now();
	if (duration && !w->rate) {
		s->until_ns = s->begin_ns + duration;
		s->first_by_ns = s->until_ns + FIRST_MESSAGE_NS;
	}
	sender_pool__begin(&s->pool, s->phase, s->stopping ? 0 : messages, duration,
			   s->last ? GRACE_NS : 0);
	s->measuring = s->last;
	control_loop__begin_phase(&s->loop);
	return 0;
}

static bool sender__sent(struct sender *s)
{
	return sender_pool__idle(&s->pool, &s->failed) || s->failed;
}

/*
 * The phase is to end. A busy machine may not have run the threads yet: waits for a first message,
 * but not for ever, then stops the threads.
 */
static void sender__late(struct sender *s)
{
	uint64_t now = clock__now();

	if (now < s->first_by_ns && !sender_pool__has_sent(&s->pool)) {
		s->until_ns = now + FIRST_CHECK_NS;
	} else {
		sender_pool__stop(&s->pool);
		s->until_ns = UINT64_MAX;
	}
}

static int sender__phase_sent(struct sender *s)
{
	static const struct error_text texts[] = {
		{-EPIPE, "The receiver closed a data connection in mid-run"},
		{-ECONNRESET, "The receiver closed a data connection in mid-run"},
		{-ETIMEDOUT, "The receiver does not read or answer what was sent"},
		{-ETIME,
		 "Zero-copy sends do not complete, though the receiver has acknowledged all "
		 "bytes"},
		{0, "Sending failed"},
	};
	struct counters counters;
	bool incomplete;

	control_loop__end_phase(&s->loop);
	if (s->failed)
		return reporter__error_of(s->report, s->failed, texts);
	counters__init(&counters);
	sender_pool__read(&s->pool, &counters);
	s->last_call_ns = counters.last_call_ns;
	s->wrong = s->wrong || counters.verify_errors;
	incomplete = counters.zc_completed != counters.zc_sends;
	counters__clear(&counters);
	/* Late completions of the warm-up would count in the measured phase. */
	if (!s->last && incomplete)
		return reporter__error(s->report, -ETIMEDOUT,
				       "Zero-copy sends of the warm-up do not complete");
	return 0;
}

/* SETTLING */

/* Sends batches: with TCP_NODELAY each send() is a packet. s->sum: what CONFIRM must have. */
static int sender__send_totals(struct sender *s)
{
	struct protocol_frame batch[CONTROL_CONN_BATCH];
	unsigned int i, n = 0;
	int err = 0;

	s->sum = (struct protocol_frame){.type = PROTOCOL_CONFIRM, .phase = s->phase};
	for (i = 0; !err && i < s->pool.nr; i++) {
		const struct sender_conn *conn = sender_pool__conn(&s->pool, i);

		batch[n++] = (struct protocol_frame){.type = PROTOCOL_TOTAL,
						     .index = i,
						     .phase = s->phase,
						     .messages = conn->messages,
						     .bytes = conn->bytes};
		s->sum.messages += conn->messages;
		s->sum.bytes += conn->bytes;
		if (n == CONTROL_CONN_BATCH || i + 1 == s->pool.nr) {
			err = sender__send_frames(s, batch, n);
			n = 0;
		}
	}
	return err;
}

/* The receiver's CONFIRM and ELAPSED must match the messages sent and this side's clock. */
static int sender__check_confirmed(struct sender *s)
{
	const struct protocol_frame *sum = &s->sum;
	struct protocol_phase p = {
		.elapsed_ns = s->elapsed_ns,
		.bytes = sum->bytes,
		.asked_ns = s->asked_ns,
		.begun_ns = s->begin_ns,
		.last_call_ns = s->last_call_ns,
		.confirmed_ns = clock__now(),
	};

	if (s->answer.messages != sum->messages || s->answer.bytes != sum->bytes ||
	    s->answer.index > sum->messages)
		reporter__error(s->report, 0, "The receiver's totals differ from what was sent");
	else if (!s->timed)
		reporter__error(s->report, 0, "The receiver does not say how long it took to read");
	else if (!protocol__possible(&p))
		reporter__error(
			s->report, 0,
			"The receiver says that it read %llu bytes in %llu ns: by the clock "
			"here that cannot be",
			(unsigned long long)p.bytes, (unsigned long long)p.elapsed_ns);
	else
		return 0;
	return -EPROTO;
}

static int sender__settled(struct sender *s)
{
	uint64_t deadline;
	int err = sender__check_confirmed(s);

	if (err)
		return err;
	s->wrong = s->wrong || s->answer.index;
	if (s->last) {
		s->confirmed = s->answer;
		s->confirmed_ns = s->elapsed_ns;
	}
	deadline = clock__now() + ACKED_NS;
	for (unsigned int i = 0; i < s->pool.nr; i++)
		sock__wait_acked(s->pool.fds[i], deadline);
	return s->last ? 0 : SENDER_QUIESCED;
}

/* DONE */

/* Answers `half`. 0 or -errno, reported. */
static int sender__report_half(struct sender *s)
{
	static const struct error_text texts[] = {
		{-EBADMSG, "What the receiver sent is not what its machine measured"},
		{-ETIMEDOUT, "The receiver does not send what its machine measured"},
		{0, "The receiver is lost before it has sent what its machine measured"},
	};
	char *text = NULL;
	size_t len = 0;
	int err = 0;

	if (s->half == PROTOCOL_HALF_COMES)
		err = control_conn__receive_half(&s->loop.conn, s->phase, &text, &len);
	if (err)
		return reporter__error_of(s->report, err, texts);
	reporter__half(s->report, text, len);
	s->half = PROTOCOL_NO_HALF;
	free(text);
	return 0;
}

/*
 * Keeps threads and sockets idle until `close`, so that others can read their kernel counters. With
 * a half to ask for, what the receiver sends stays in the socket until then.
 */
static void sender__hold(struct sender *s)
{
	struct control_conn conn = s->loop.conn;
	int events;

	if (s->half_kind)
		s->loop.conn.fd = -1;
	while ((events = control_loop__wait(&s->loop, UINT64_MAX, -1)) > 0) {
		enum control_stdin_command command = CONTROL_STDIN_NONE;

		if (events & (CONTROL_LOOP_SIGNAL | CONTROL_LOOP_FRAME))
			break;
		if (events & CONTROL_LOOP_COMMAND)
			command = control_stdin__next(&s->loop.commands);
		if (command == CONTROL_STDIN_HALF) {
			s->loop.conn = conn;
			if (sender__report_half(s))
				break;
		}
		if (command == CONTROL_STDIN_EOF || command == CONTROL_STDIN_CLOSE)
			break;
	}
	s->loop.conn = conn;
}

/* The machine */

/* What the sender does in a state; what it accepts, and for how long, is in protocol.c. */
static const struct {
	int (*enter)(struct sender *s); /* 0 or -errno, reported but for -EINTR */
	bool (*over)(struct sender *s); /* NULL: when the receiver has answered */
	int (*leave)(struct sender *s); /* 0: on to the state after it; or another; -errno */
} rows[] = {
	[SENDER_GREETING] = {sender__connect_control, NULL, sender__welcomed},
	[SENDER_CONNECTING] = {sender__join, NULL, NULL},
	[SENDER_READY] = {sender__describe, sender__ordered, sender__take_order},
	[SENDER_QUIESCED] = {sender__quiesce, sender__ordered, sender__take_order},
	[SENDER_ASKING] = {sender__ask, NULL, sender__promised},
	[SENDER_SENDING] = {sender__send, sender__sent, sender__phase_sent},
	[SENDER_SETTLING] = {sender__send_totals, NULL, sender__settled},
};

/* When the state is to end, ns: the peer makes no progress, or the phase is over. */
static uint64_t sender__deadline(const struct sender *s)
{
	uint64_t limit = time_limit__ns(protocol__limit_ns(s->state));
	uint64_t all = s->awaited_ns + time_limit__ns(PROTOCOL_DRAIN_NS);

	if (!limit)
		return s->until_ns;
	return s->moved_ns + limit < all ? s->moved_ns + limit : all;
}

/* Waits until the state is over. */
static int sender__stay(struct sender *s)
{
	bool (*over)(struct sender * s) = rows[s->state].over;
	int err = 0;

	s->awaited_ns = s->moved_ns = clock__now();
	while (!err && !(over ? over(s) : s->answered)) {
		err = sender__step(s, sender__deadline(s));
		if (err != -ETIME)
			continue;
		err = 0;
		if (s->state == SENDER_SENDING)
			sender__late(s);
		else if (!s->answered)
			err = sender__lost(s, -ETIMEDOUT);
	}
	return err;
}

/* From GREETING to DONE. 0 or -errno, reported but for -EINTR. */
static int sender__pass(struct sender *s)
{
	int next = 0;

	while (next >= 0 && s->state != SENDER_DONE) {
		s->until_ns = UINT64_MAX;
		next = rows[s->state].enter(s);
		if (!next)
			next = sender__stay(s);
		s->answered = false;
		if (!next && rows[s->state].leave)
			next = rows[s->state].leave(s);
		if (next >= 0)
			s->state = next ? (enum protocol_state)next : s->state + 1;
	}
	return next < 0 ? next : 0;
}

int sender__try_mode(const struct lg_options *options, struct reporter *r)
{
	const struct send_mode *mode = send_mode__get(options->mode);
	int err = mode->try ? mode->try(&options->workload) : 0;

	if (!err || err == -EINTR)
		return err;
	return session__refuse_mode(r, err, options->mode, "here");
}

static int sender__open(struct sender *s)
{
	const struct lg_options *set = s->options;
	int err = session__check_congestion(s->report, set->workload.congestion);

	if (!err)
		err = sender__try_mode(set, s->report);
	if (err)
		return err;
	err = sender_pool__open(&s->pool, set);
	if (err)
		return reporter__error(s->report, err, "The threads cannot be set up: %m");
	s->loop.wake_fd = s->pool.wake_fd;
	err = session__make_token(s->hello.token);
	if (err)
		return reporter__error(s->report, err, "No random bytes for a session token: %m");
	session__clock_id(s->hello.clock_id);
	s->hello.connections = (uint32_t)set->workload.connections;
	s->hello.threads = (uint32_t)set->workload.threads;
	s->hello.size = (uint32_t)workload__message_size(&set->workload);
	s->hello.verify = set->workload.verify;
	s->hello.replies = set->workload.request_response;
	s->hello.receive = set->workload.receive;
	s->hello.untagged = mode__has(set->mode, MODE_SENDS_FILE);
	s->hello.encrypted = mode__has(set->mode, MODE_ENCRYPTS);
	s->hello.tls = set->workload.tls;
	return 0;
}

/* Reports the unconfirmed results of an interrupted run. Returns -EINTR. */
static int sender__cut_short(struct sender *s)
{
	if (s->measuring)
		sender__stats(s, true);
	return reporter__error(s->report, -EINTR,
			       s->measuring ? "Stopped before the receiver confirmed what it read"
					    : "Stopped before anything was measured");
}

int sender__run(const struct lg_options *options, struct reporter *r, struct session_mode mode)
{
	struct sender *s = xcalloc(1, sizeof(*s));
	int err;

	s->options = options;
	s->report = r;
	err = control_loop__open(&s->loop, options->control, mode.signals);
	if (err) {
		reporter__error(r, err, "Signals cannot be received: %m");
		goto out;
	}
	err = sender__open(s);
	if (!err)
		err = sender__pass(s);
	if (err == -EINTR)
		err = sender__cut_short(s);
	if (err)
		goto out;
	sender__stats(s, true);
	if (options->control)
		sender__hold(s);
	err = s->wrong;
out:
	sender_pool__close(&s->pool);
	control_loop__close(&s->loop);
	free(s);
	return err;
}
