/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's session: its connections, commands, phases and totals. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "common/mode.h"
#include "control_loop.h"
#include "half_request.h"
#include "send_mode.h"
#include "sender_pool.h"
#include "session.h"

/* Time limit for an answer of the receiver; MOVING with more bytes restarts the time. */
#define ANSWER_NS (30 * NS_PER_SEC)
#define ACKED_NS  (NS_PER_SEC / 4)
/* After its deadline a phase waits at most this long for a first message, checking this often. */
#define FIRST_MESSAGE_NS (10 * NS_PER_SEC)
#define FIRST_LOOK_NS    (NS_PER_SEC / 100)

/* Time limit of a data connection: four SYNs, at 0, 1, 3 and 7 s. */
#define CONNECT_NS (8 * NS_PER_SEC)
/* Time limit of the control connection: below the time that a driver waits for the whole setup. */
#define CONTROL_NS (5 * NS_PER_SEC)
#define WELCOME_NS (5 * NS_PER_SEC)
/* Pending connections; the receiver's backlog (somaxconn) must hold them. */
#define WINDOW 128
/* How often to handle events while connecting. */
#define LOOK_MS 50

struct sender {
	const struct lg_options *options;
	struct reporter *report;
	struct control_loop loop;
	struct sender_pool pool;
	struct protocol_hello hello;
	uint32_t phase;
	enum sender_state state;
	bool measuring, stopping;
	bool stop_received;                  /* the receiver sent STOP */
	uint32_t half_kind;                  /* the half to ask the receiver for; 0: none */
	enum protocol_promise half;          /* what the receiver says of it */
	char challenge[HALF_CHALLENGE_TEXT]; /* of WELCOME; empty: none */
	uint8_t proof[HALF_PROOF_SIZE];
	bool proved;                      /* proof is the driver's, for the challenge */
	uint64_t stop_ns;                 /* end of all waits after a signal, ns; 0: no signal */
	enum control_stdin_command order; /* pending start or measure */
	struct protocol_frame answer;     /* last unhandled frame of the receiver */
	bool answered;
	uint64_t awaited_ns;  /* begin of the wait for an answer */
	uint64_t moved_ns;    /* time of the receiver's last progress */
	uint64_t moved_bytes; /* bytes of the phase that the receiver has read, by MOVING */
	uint64_t sent_bytes;  /* sum of the phase's totals */
	bool timed;           /* elapsed_ns is valid */
	uint64_t elapsed_ns;  /* the receiver's time for the phase, by ELAPSED */
	uint64_t asked_ns;    /* time of PHASE */
	uint64_t begin_ns, cpu_begin;
	struct tcp_counts tcp_begin;
	struct protocol_frame confirmed; /* of the measured phase; type 0: none */
	uint64_t confirmed_ns;
};

/* Reports why the session failed. Returns err. */
static int sender__lost(struct sender *s, int err)
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
			"%s: it is not a netiotrace receiver, or busy with another session",
			err == -ETIMEDOUT ? "The peer does not answer"
					  : "The peer closed the connection");
	return reporter__error_of(s->report, err, texts);
}

static int sender__refused(struct sender *s, uint32_t why)
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
	if (f->bytes > s->sent_bytes)
		return reporter__error(s->report, -EPROTO,
				       "The receiver says it has read more than was sent");
	if (f->bytes <= s->moved_bytes ||
	    (f->bytes < s->sent_bytes &&
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

/*
 * Handles events. 0; -ETIME at the deadline, even after an event; -EINTR: a signal came
 * TIME_LIMIT_STOP_NS ago; -ECANCELED: end of stdin; other -errno, reported.
 */
static int sender__step(struct sender *s, uint64_t deadline)
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

/* When the wait for an answer ends, ns. limit_ns: without progress. */
static uint64_t sender__deadline(const struct sender *s, uint64_t limit_ns)
{
	uint64_t still = s->moved_ns + limit_ns;
	uint64_t all = s->awaited_ns + time_limit__ns(PROTOCOL_DRAIN_NS);

	return still < all ? still : all;
}

/* Waits for a frame of this type; progress restarts the time. 0 or -errno, reported. */
static int sender__await(struct sender *s, enum protocol_type type)
{
	uint64_t limit_ns = time_limit__ns(type == PROTOCOL_WELCOME ? WELCOME_NS : ANSWER_NS);
	int err = 0;

	s->awaited_ns = s->moved_ns = clock__now();
	while (!err && !s->answered)
		err = sender__step(s, sender__deadline(s, limit_ns));
	if (err && err != -ETIME)
		return err;
	if (!s->answered)
		return sender__lost(s, -ETIMEDOUT);
	s->answered = false;
	if (s->answer.type == PROTOCOL_REFUSE)
		return sender__refused(s, s->answer.index);
	return s->answer.type == type ? 0 : sender__misplaced(s, &s->answer);
}

static int sender__tell(struct sender *s, const struct protocol_frame *f, size_t n)
{
	int err = control_conn__send_all(&s->loop.conn, f, n);

	return err && err != -EINTR ? sender__lost(s, err) : err;
}

static int sender__dial(const struct sender *s, enum protocol_kind kind)
{
	const struct lg_options *set = s->options;
	bool data = kind == PROTOCOL_DATA;

	return sock__connect(&set->endpoint, data ? set->workload.sndbuf : 0,
			     data ? set->workload.congestion : NULL);
}

/* Call on a writable connection. Its empty send buffer takes the hello whole. */
static int sender__send_hello(struct sender *s, int fd, enum protocol_kind kind, uint32_t index)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	int err = sock__connected(fd);

	if (err)
		return err;
	s->hello.kind = kind;
	s->hello.index = index;
	s->hello.stamp = clock__now();
	protocol__encode_hello(buf, &s->hello);
	return sock__write_all(fd, buf, sizeof(buf));
}

/* Handles events of the main thread while it waits. */
static int sender__await_writable(struct sender *s, int fd, uint64_t ns)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int n, err;

	s->moved_ns = clock__now();
	for (;;) {
		n = poll(&p, 1, LOOK_MS);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			return 0;
		err = sender__step(s, clock__now());
		if (err && err != -ETIME)
			return err == -EINTR ? err : -ECANCELED;
		if (clock__now() >= s->moved_ns + ns)
			return -ETIMEDOUT;
	}
}

static int sender__connect_control(struct sender *s)
{
	int fd = sender__dial(s, PROTOCOL_CONTROL), err = fd < 0 ? fd : 0;
	uint8_t nonce[PROTOCOL_TOKEN_SIZE];

	if (!err)
		err = sender__await_writable(s, fd, time_limit__ns(CONTROL_NS));
	if (!err)
		err = sender__send_hello(s, fd, PROTOCOL_CONTROL, 0);
	if (!err)
		err = sock__set_blocking(fd, true);
	if (err && fd >= 0)
		close(fd);
	if (err == -EINTR || err == -ECANCELED)
		return err;
	if (err && err != -ECONNRESET && err != -EPIPE)
		return reporter__error(
			s->report, err,
			"No connection to the receiver: %m (start netiotrace serve or "
			"netio-loadgen recv there)");
	if (!err)
		err = control_conn__open(&s->loop.conn, fd);
	if (err)
		return sender__lost(s, err);
	err = sender__await(s, PROTOCOL_WELCOME);
	if (err)
		return err;
	s->state = SENDER_CONNECTING;
	/* Data connections change s->hello later: the challenge is for this one. */
	if (s->answer.index) {
		protocol__get_bytes(nonce, &s->answer);
		half_request__challenge(s->challenge, &s->hello, nonce);
	}
	return 0;
}

/* Data connections that are being made: fds[i] is connection index[i], until deadline[i]. */
struct dialling {
	struct sender *s;
	struct pollfd fds[WINDOW];
	uint32_t index[WINDOW];
	uint64_t deadline[WINDOW];
	unsigned int nr;
	uint32_t begun;  /* connections begun; all but nr of them are with the pool */
	uint32_t failed; /* index of the failed connection */
	bool reported;   /* the error is reported; no data connection failed */
};

static int dialling__begin(struct dialling *d)
{
	int fd = sender__dial(d->s, PROTOCOL_DATA);

	d->failed = d->begun;
	if (fd < 0)
		return fd;
	d->fds[d->nr] = (struct pollfd){.fd = fd, .events = POLLOUT};
	d->index[d->nr] = d->begun++;
	d->deadline[d->nr++] = clock__now() + time_limit__ns(CONNECT_NS);
	return 0;
}

/* Hands a connected one to the pool; the last one takes its place. */
static int dialling__finish(struct dialling *d, unsigned int i)
{
	int err = sender__send_hello(d->s, d->fds[i].fd, PROTOCOL_DATA, d->index[i]);

	if (err)
		return err;
	sender_pool__add(&d->s->pool, d->index[i], d->fds[i].fd);
	d->nr--;
	d->fds[i] = d->fds[d->nr];
	d->index[i] = d->index[d->nr];
	d->deadline[i] = d->deadline[d->nr];
	return 0;
}

/* Handles events of the main thread, then waits for connections. */
static int dialling__wait(struct dialling *d)
{
	int err = sender__step(d->s, clock__now());

	d->reported = err && err != -ETIME;
	if (d->reported)
		return err;
	if (poll(d->fds, d->nr, LOOK_MS) < 0)
		return errno == EINTR ? 0 : -errno;
	err = 0;
	for (unsigned int i = d->nr; !err && i-- > 0;) {
		d->failed = d->index[i];
		if (d->fds[i].revents)
			err = dialling__finish(d, i);
		else if (clock__now() >= d->deadline[i])
			err = -ETIMEDOUT;
	}
	return err;
}

static int dialling__run(struct dialling *d)
{
	int err = 0;

	while (!err && (d->nr || d->begun < d->s->pool.nr) && !d->s->answered) {
		while (!err && d->begun < d->s->pool.nr && d->nr < WINDOW)
			err = dialling__begin(d);
		if (!err)
			err = dialling__wait(d);
	}
	return err;
}

/* If a data connection fails, the receiver may have sent REFUSE: wait for the frame. */
static int sender__finish_dialling(struct sender *s, const struct dialling *d, int err)
{
	int err_before;

	if (!err && !d->nr && d->begun == s->pool.nr)
		return 0;
	err_before = s->answered ? 0 : sender__step(s, clock__now() + NS_PER_SEC / 5);
	if (err_before && err_before != -ETIME)
		return err_before;
	if (s->answered) {
		err = sender__await(s, PROTOCOL_READY);
		return err ? err : sender__lost(s, -EPROTO); /* READY too early */
	}
	return reporter__error(s->report, err, "Data connection %u failed: %m", d->failed);
}

static int sender__connect_data(struct sender *s)
{
	struct dialling d = {.s = s};
	int err = dialling__run(&d);

	for (unsigned int i = 0; i < d.nr; i++)
		close(d.fds[i].fd);
	return d.reported ? err : sender__finish_dialling(s, &d, err);
}

/* Opens the control connection and gives all data connections to the pool. -errno: reported. */
static int sender__connect(struct sender *s)
{
	const struct lg_options *set = s->options;
	int err;

	err = session__make_token(s->hello.token);
	if (err)
		return reporter__error(s->report, err, "No random bytes for a session token: %m");
	session__clock_id(s->hello.clock_id);
	s->hello.connections = (uint32_t)set->workload.connections;
	s->hello.threads = (uint32_t)set->workload.threads;
	s->hello.size = (uint32_t)workload__message_size(&set->workload);
	s->hello.verify = set->workload.verify;
	s->hello.replies = set->workload.request_response;
	s->hello.untagged = mode__has(set->mode, MODE_SENDS_FILE);
	err = sender__connect_control(s);
	return err ? err : sender__connect_data(s);
}

/* --control: waits for `order`, or for a stop. */
static int sender__await_order(struct sender *s, enum control_stdin_command order)
{
	int err = 0;

	if (!s->options->control)
		return 0;
	while (!err && !s->stopping && s->order == CONTROL_STDIN_NONE)
		err = sender__step(s, UINT64_MAX);
	if (!err && !s->stopping && s->order != order)
		return reporter__error(
			s->report, -EINVAL,
			"Command '%s' is not expected now: see docs/reference/loadgen.md",
			s->order == CONTROL_STDIN_START ? "start" : "measure");
	s->order = CONTROL_STDIN_NONE;
	return err;
}

static int sender__describe(struct sender *s)
{
	const struct lg_options *set = s->options;
	struct side_config c = {
		.sender = true,
		.size = set->workload.size,
		.threads = (uint32_t)set->workload.threads,
		.connections = s->pool.nr,
		.verify = set->workload.verify,
		.sndbuf = sock__get(s->pool.fds[0], SOL_SOCKET, SO_SNDBUF),
	};

	if (mode__has(set->mode, MODE_PINS))
		c.slots = mode__slots(workload__message_size(&set->workload), s->pool.nr);
	sock__congestion(s->pool.fds[0], c.congestion, sizeof(c.congestion));
	memcpy(c.challenge, s->challenge, sizeof(c.challenge));
	return session__describe(s->report, &c, s->pool.fds, s->pool.nr);
}

/* A mode that this kernel lacks is refused before a connection is made. */
static int sender__try_mode(struct sender *s)
{
	const struct send_mode *mode = send_mode__get(s->options->mode);
	int err = mode->try ? mode->try(&s->options->workload) : 0;

	if (!err)
		return 0;
	return reporter__error(s->report, err, "Mode %s cannot run here: %s (%m); %s",
			       mode__name(s->options->mode), mode->try_fails, mode->try_remedy);
}

static int sender__open(struct sender *s)
{
	int err = session__check_congestion(s->report, s->options->workload.congestion);

	if (!err)
		err = sender__try_mode(s);
	if (err)
		return err;
	err = sender_pool__open(&s->pool, s->options);
	if (err)
		return reporter__error(s->report, err, "The threads cannot be set up: %m");
	s->loop.wake_fd = s->pool.wake_fd;
	err = sender__connect(s);
	if (err)
		return err;
	err = sender_pool__start(&s->pool);
	if (err)
		return reporter__error(s->report, err,
				       "The threads or their connections cannot be set up: %m");
	err = sender__await(s, PROTOCOL_READY);
	if (err)
		return err;
	s->state = SENDER_IDLE;
	return sender__describe(s);
}

/*
 * Returns the next deadline. A busy machine may not have run the threads yet: wait for a first
 * message until `last`, then stop the threads.
 */
static uint64_t sender__late(struct sender *s, uint64_t last)
{
	uint64_t now = clock__now();

	if (now < last && !sender_pool__has_sent(&s->pool))
		return now + FIRST_LOOK_NS;
	sender_pool__stop(&s->pool);
	return UINT64_MAX;
}

static int sender__drive(struct sender *s, uint64_t deadline)
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
	uint64_t last = deadline == UINT64_MAX ? deadline : deadline + FIRST_MESSAGE_NS;
	int err, failed;

	while (!sender_pool__idle(&s->pool, &failed) && !failed) {
		err = sender__step(s, deadline);
		if (err == -ETIME) {
			deadline = sender__late(s, last);
		} else if (err) {
			return err;
		}
	}
	return failed ? reporter__error_of(s->report, failed, texts) : 0;
}

/* Sends batches: with TCP_NODELAY each send() is a packet. *sum: what CONFIRM must say. */
static int sender__send_totals(struct sender *s, struct protocol_frame *sum)
{
	struct protocol_frame batch[CONTROL_CONN_BATCH];
	unsigned int i, n = 0;
	int err = 0;

	*sum = (struct protocol_frame){.type = PROTOCOL_CONFIRM, .phase = s->phase};
	for (i = 0; !err && i < s->pool.nr; i++) {
		const struct sender_conn *conn = sender_pool__conn(&s->pool, i);

		batch[n++] = (struct protocol_frame){.type = PROTOCOL_TOTAL,
						     .index = i,
						     .phase = s->phase,
						     .messages = conn->messages,
						     .bytes = conn->bytes};
		sum->messages += conn->messages;
		sum->bytes += conn->bytes;
		if (n == CONTROL_CONN_BATCH || i + 1 == s->pool.nr) {
			err = sender__tell(s, batch, n);
			n = 0;
		}
	}
	return err;
}

/* The receiver's CONFIRM and ELAPSED must match the messages sent and this side's clock. */
static int sender__check_confirmed(struct sender *s, const struct protocol_frame *sum,
				   uint64_t last_call_ns)
{
	struct protocol_phase p = {
		.elapsed_ns = s->elapsed_ns,
		.bytes = sum->bytes,
		.asked_ns = s->asked_ns,
		.begun_ns = s->begin_ns,
		.last_call_ns = last_call_ns,
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

/* Sends the totals and checks the confirmation. counters: of the phase. 1: verify errors. */
static int sender__settle(struct sender *s, const struct counters *counters)
{
	struct protocol_frame sum;
	uint64_t deadline;
	int err;

	s->state = SENDER_SETTLING;
	err = sender__send_totals(s, &sum);
	s->sent_bytes = sum.bytes;
	if (!err)
		err = sender__await(s, PROTOCOL_CONFIRM);
	if (!err)
		err = sender__check_confirmed(s, &sum, counters->last_call_ns);
	if (err)
		return err;
	s->state = s->measuring ? SENDER_DONE : SENDER_IDLE;
	deadline = clock__now() + ACKED_NS;
	if (s->measuring) {
		s->confirmed = s->answer;
		s->confirmed_ns = s->elapsed_ns;
	}
	for (unsigned int i = 0; i < s->pool.nr; i++)
		sock__wait_acked(s->pool.fds[i], deadline);
	return s->answer.index || counters->verify_errors ? 1 : 0;
}

/* One phase, from nothing in flight to nothing in flight. Sends no message if stopped. */
static int sender__phase(struct sender *s, bool measured, uint64_t messages, uint64_t duration)
{
	uint32_t phase = ++s->phase;
	/* The proof, if any, goes before the measured phase. */
	struct protocol_frame f[2] = {{.type = PROTOCOL_PROOF},
				      {.type = PROTOCOL_PHASE,
				       .index = measured,
				       .phase = phase,
				       .messages = measured ? s->half_kind : 0}};
	bool proves = measured && s->proved && s->half_kind;
	struct counters counters;
	uint64_t deadline;
	int err;

	s->state = SENDER_ASKING;
	s->timed = false;
	s->moved_bytes = 0;
	s->asked_ns = clock__now();
	protocol__put_bytes(&f[0], s->proof);
	err = sender__tell(s, proves ? f : f + 1, proves ? 2 : 1);
	if (!err)
		err = sender__await(s, PROTOCOL_PHASE_OK);
	if (!err && s->answer.index > (f[1].messages ? PROTOCOL_HALF_REFUSED : PROTOCOL_NO_HALF))
		err = sender__lost(s, -EPROTO);
	if (!err && proves && s->answer.index == PROTOCOL_HALF_REFUSED)
		err = reporter__error(s->report, -EACCES,
				      "The receiver has another token: give both sides the same "
				      "--token FILE");
	if (err)
		return err;
	s->half = s->answer.index;
	s->state = SENDER_SENDING;
	s->tcp_begin = tcp_counts__read(s->pool.fds, s->pool.nr);
	s->cpu_begin = clock__cpu();
	s->begin_ns = clock__now();
	deadline = duration ? s->begin_ns + duration : UINT64_MAX;
	sender_pool__begin(&s->pool, s->phase, s->stopping ? 0 : messages, deadline);
	s->measuring = measured;
	control_loop__begin_phase(&s->loop);
	err = sender__drive(s, deadline);
	control_loop__end_phase(&s->loop);
	if (err)
		return err;
	counters__init(&counters);
	sender_pool__read(&s->pool, &counters);
	/* Late completions of the warm-up would count in the measured phase. */
	if (!measured && counters.zc_completed != counters.zc_sends)
		err = reporter__error(s->report, -ETIMEDOUT,
				      "Zero-copy sends of the warm-up do not complete");
	else
		err = sender__settle(s, &counters);
	counters__clear(&counters);
	return err;
}

/* Runs all phases. 1: verify errors in any phase. */
static int sender__phases(struct sender *s)
{
	const struct lg_options *set = s->options;
	int wrong = 0, err;

	err = sender__await_order(s, CONTROL_STDIN_START);
	if (!err && set->workload.warmup_ns && !s->stopping)
		err = wrong = sender__phase(s, false, UINT64_MAX, set->workload.warmup_ns);
	if (err < 0)
		return err;
	err = 0;
	if (!s->stopping) {
		reporter__quiesced(s->report);
		err = sender__await_order(s, CONTROL_STDIN_MEASURE);
	}
	if (!err)
		err = sender__phase(s, true,
				    set->workload.messages ? set->workload.messages : UINT64_MAX,
				    set->workload.duration_ns);
	if (err < 0)
		return err;
	sender__stats(s, true);
	return wrong | err;
}

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
	reporter__half(s->report, text, len, s->half == PROTOCOL_HALF_REFUSED);
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
		err = sender__phases(s);
	if (err == -EINTR)
		err = sender__cut_short(s);
	if (err >= 0 && options->control)
		sender__hold(s);
out:
	sender_pool__close(&s->pool);
	control_loop__close(&s->loop);
	free(s);
	return err;
}
