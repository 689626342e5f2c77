/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's sessions, one or with --forever one after another, and their phases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/xalloc.h"
#include "control_loop.h"
#include "control_conn.h"
#include "ktls.h"
#include "pending_sessions.h"
#include "receiver_pool.h"
#include "session.h"

/* Time limit without progress while another sender asks for a session. */
#define YIELD_NS (5 * NS_PER_SEC)
/* Time for the sender to close after the last CONFIRM while another sender waits. */
#define LINGER_SHORT_NS (NS_PER_SEC / 2)

/* How often to check for progress. */
#define CHECK_NS NS_PER_SEC
/* Frames handled in one call, so that a flood does not delay the rest of the loop. */
#define FRAMES_BATCH 256

struct receiver {
	const struct lg_options *options;
	struct reporter *report;
	struct session_mode mode;
	enum protocol_state state;
	struct control_loop loop;
	struct pending_sessions pending;
	struct receiver_pool pool;
	struct protocol_hello hello; /* of the control connection */
	bool same_clock, measuring, stopping;
	uint64_t stop_ns; /* end of the session after a signal, ns; UINT64_MAX: no signal */
	uint32_t phase;
	uint32_t totals;                         /* connections whose total is known */
	bool total_known[LIMIT_CONNECTIONS_MAX]; /* whether a connection's total is known */
	uint64_t sent_bytes, sent_messages;      /* sums of the totals */
	uint64_t moved_ns, moved_bytes;          /* time of the last progress; bytes read by then */
	uint64_t check_ns;                       /* time of the next check for progress */
	uint64_t settling_ns;                    /* time of the last total */
	uint64_t done_ns;
	uint64_t begin_ns, cpu_begin;
	bool wrong;
	bool ended; /* no further session is possible */
	struct half_request half;
	uint32_t sessions; /* begun so far: the number of the present one */
	struct tcp_counts tcp_begin, tcp_end;
};

/* Reports why the session failed. Returns err. */
static int receiver__lost(struct receiver *r, int err)
{
	static const struct error_text texts[] = {
		{-ECONNRESET, "The sender closed its connection in mid-run"},
		{-EPIPE, "The sender closed its connection in mid-run"},
		{-EOVERFLOW, "More bytes arrived than the sender says it sent"},
		{-EPROTO, "The sender does not keep to the protocol"},
		{-EBADE, "The kernel completed bundles out of order: use a newer kernel, or "
			 "--receive multishot"},
		{-ETIME, "The sender stood still for too long, or is too slow"},
		{-EINTR, "Stopped while the sender took no answer"},
		{0, "The sender is lost"},
	};

	if (r->hello.encrypted && ktls__is_bad_record(err))
		return reporter__error(r->report, err, KTLS_BAD_RECORD);
	return reporter__error_of(r->report, err, texts);
}

static int receiver__misplaced(struct receiver *r, const struct protocol_frame *f)
{
	return reporter__error(r->report, -EPROTO,
			       "The sender sent %s %s: it does not keep to the protocol",
			       protocol__type_name(f->type), protocol__state_name(r->state));
}

/* Reports the counters. done: of the complete phase. */
static void receiver__stats(struct receiver *r, bool done)
{
	struct side_stats st = {.interrupted = r->stopping && done, .same_clock = r->same_clock};
	uint64_t end;

	counters__init(&st.counters);
	st.tcp.known = true;
	if (r->measuring) {
		receiver_pool__read(&r->pool, &st.counters);
		end = done ? st.counters.last_ns : clock__now();
		st.elapsed_ns = end > r->begin_ns ? end - r->begin_ns : 0;
		st.paused_ns = r->loop.paused;
		st.cpu_ns = clock__cpu() - r->cpu_begin;
		if (!done)
			r->tcp_end = tcp_counts__read(r->pool.fds, r->pool.nr);
		st.tcp = tcp_counts__delta(&r->tcp_end, &r->tcp_begin);
	}
	reporter__stats(r->report, &st, done);
	counters__clear(&st.counters);
}

/* Reports the unfinished phase, if measured, and closes the control connection. Returns -EINTR. */
static int receiver__cut_short(struct receiver *r)
{
	if (r->measuring)
		receiver__stats(r, true);
	r->state = RECEIVER_DONE;
	control_conn__close(&r->loop.conn);
	return reporter__error(r->report, -EINTR, "Stopped before the sender ended the session");
}

/* Sends a frame. 0 or -errno, reported. */
static int receiver__send_frame(struct receiver *r, const struct protocol_frame *f)
{
	int err = control_conn__send(&r->loop.conn, f);

	return err ? receiver__lost(r, err) : 0;
}

static int receiver__begin_reading(struct receiver *r, bool measured, enum protocol_promise promise)
{
	const struct protocol_frame ok = {
		.type = PROTOCOL_PHASE_OK, .phase = r->phase, .index = promise};

	r->state = RECEIVER_READING;
	r->totals = 0;
	memset(r->total_known, 0, sizeof(r->total_known));
	r->sent_bytes = r->sent_messages = 0;
	receiver_pool__begin(&r->pool);
	r->tcp_begin = tcp_counts__read(r->pool.fds, r->pool.nr);
	r->measuring = measured;
	r->cpu_begin = clock__cpu();
	r->moved_ns = clock__now();
	r->moved_bytes = 0;
	r->check_ns = r->moved_ns + time_limit__ns(CHECK_NS);
	control_loop__begin_phase(&r->loop);
	r->begin_ns = clock__now();
	receiver_pool__set_begin(&r->pool, r->begin_ns);
	return receiver__send_frame(r, &ok);
}

static int receiver__begin(struct receiver *r, const struct protocol_frame *f)
{
	/* At most one warm-up: each phase restarts the time limits. */
	if (f->phase != r->phase + 1 || f->index > 1 || (r->phase && !f->index) ||
	    f->messages > HALF_KIND_MAX)
		return receiver__misplaced(r, f);
	r->phase = f->phase;
	r->half.kind = f->index && r->options->half ? (uint32_t)f->messages : 0;
	if (!r->half.kind)
		return receiver__begin_reading(r, f->index, PROTOCOL_NO_HALF);
	r->state = RECEIVER_HELD;
	r->moved_ns = clock__now();
	half_request__report(&r->half, r->report, r->sessions, &r->hello);
	return 0;
}

static int receiver__total(struct receiver *r, const struct protocol_frame *f)
{
	if (f->phase != r->phase)
		return receiver__misplaced(r, f);
	if (f->index >= r->pool.nr || r->total_known[f->index] ||
	    !protocol__plausible(f, r->hello.size, receiver_pool__bytes(&r->pool, f->index)))
		return receiver__lost(r, -EPROTO);
	r->total_known[f->index] = true;
	r->sent_bytes += f->bytes;
	r->sent_messages += f->messages;
	receiver_pool__expect(&r->pool, f->index, f->bytes);
	if (++r->totals < r->pool.nr)
		return 0;
	r->moved_ns = r->settling_ns = clock__now();
	r->state = RECEIVER_SETTLING;
	return 0;
}

static int receiver__handle_frame(struct receiver *r, const struct protocol_frame *f)
{
	if (!protocol__accepts(r->state, f->type))
		return receiver__misplaced(r, f);
	if (f->type == PROTOCOL_PHASE)
		return receiver__begin(r, f);
	if (f->type == PROTOCOL_TOTAL)
		return receiver__total(r, f);
	return half_request__keep_proof(&r->half, f) ? 0 : receiver__misplaced(r, f);
}

/* Handles frames of the sender. 0 or -errno, reported. */
static int receiver__frames(struct receiver *r)
{
	struct protocol_frame f;
	int err = 0;

	for (unsigned int i = 0; !err && i < FRAMES_BATCH; i++) {
		err = control_conn__next(&r->loop.conn, &f);
		if (err == -EAGAIN)
			return 0;
		if (err && r->state == RECEIVER_DONE) {
			control_conn__close(&r->loop.conn);
			return 0;
		}
		err = err ? receiver__lost(r, err) : receiver__handle_frame(r, &f);
	}
	return err;
}

/* Sends the sums of all connections, which must be the totals of the sender. */
static int receiver__send_sums(struct receiver *r, const struct counters *sum)
{
	const struct protocol_frame elapsed = {
		.type = PROTOCOL_ELAPSED,
		.phase = r->phase,
		.bytes = sum->last_ns > r->begin_ns ? sum->last_ns - r->begin_ns : 0,
	};
	const struct protocol_frame confirm = {
		.type = PROTOCOL_CONFIRM,
		.phase = r->phase,
		.messages = sum->messages,
		.bytes = sum->bytes,
		.index =
			sum->verify_errors < UINT32_MAX ? (uint32_t)sum->verify_errors : UINT32_MAX,
	};
	int err;

	r->wrong = r->wrong || confirm.index;
	if (confirm.messages != r->sent_messages || confirm.bytes != r->sent_bytes)
		return receiver__lost(r, -EPROTO);
	/* Before CONFIRM: the sender closes then, and tcpi_bytes_received counts its FIN. */
	r->tcp_end = tcp_counts__read(r->pool.fds, r->pool.nr);
	err = receiver__send_frame(r, &elapsed);
	return err ? err : receiver__send_frame(r, &confirm);
}

static int receiver__confirm(struct receiver *r)
{
	struct counters sum;
	int err;

	counters__init(&sum);
	receiver_pool__read(&r->pool, &sum);
	r->state = RECEIVER_WAITING;
	control_loop__end_phase(&r->loop);
	r->moved_ns = clock__now();
	err = receiver__send_sums(r, &sum);
	counters__clear(&sum);
	if (err || !r->measuring)
		return err;
	r->state = RECEIVER_DONE;
	r->done_ns = clock__now();
	pending_sessions__set_busy(&r->pending, false);
	receiver__stats(r, true);
	return 0;
}

/* Confirms a phase when all expected bytes are read. 0 or -errno, reported. */
static int receiver__check_reading(struct receiver *r)
{
	int settled = receiver_pool__settled(&r->pool);

	if (settled < 0)
		return receiver__lost(r, settled);
	return settled && r->state == RECEIVER_SETTLING ? receiver__confirm(r) : 0;
}

/* Checks for progress; sends MOVING if the totals are known. 0 or -errno, reported. */
static int receiver__check_progress(struct receiver *r)
{
	uint64_t bytes = receiver_pool__progress(&r->pool);
	const struct protocol_frame f = {
		.type = PROTOCOL_MOVING, .phase = r->phase, .bytes = bytes};

	r->check_ns = clock__now() + time_limit__ns(CHECK_NS);
	if (bytes - r->moved_bytes < protocol__least_progress(r->hello.size))
		return 0;
	r->moved_bytes = bytes;
	r->moved_ns = clock__now();
	return r->state == RECEIVER_SETTLING ? receiver__send_frame(r, &f) : 0;
}

static bool receiver__in_session(const struct receiver *r)
{
	return r->state >= RECEIVER_WAITING && r->state < RECEIVER_DONE;
}

/* Handles a request to stop: asks the sender to end its phase; without a session, ends at once. */
static int receiver__stop(struct receiver *r)
{
	const struct protocol_frame f = {.type = PROTOCOL_STOP, .phase = r->phase};
	bool again = r->stopping;

	r->stopping = true;
	if (receiver__in_session(r))
		return again ? 0 : receiver__send_frame(r, &f);
	if (r->state == RECEIVER_LISTENING) {
		r->state = RECEIVER_DONE;
		control_conn__close(&r->loop.conn);
		receiver__stats(r, true);
	}
	return 0;
}

/* The driver's half of a session that has ended meanwhile is dropped. */
static int receiver__send_half(struct receiver *r)
{
	const struct control_stdin *c = &r->loop.commands;
	int err;

	if (r->state != RECEIVER_DONE || !r->half.kind || r->loop.conn.fd < 0)
		return 0;
	r->half.kind = 0;
	err = control_conn__send_half(&r->loop.conn, r->phase, c->text, c->text_len);
	r->done_ns = clock__now();
	return err ? receiver__lost(r, err) : 0;
}

/* The session that the driver answers for may have ended. */
static int receiver__answer_phase(struct receiver *r, bool refused)
{
	if (r->state != RECEIVER_HELD || r->loop.commands.number != r->sessions)
		return 0;
	return refused ? half_request__refuse(&r->half, r->report, &r->loop.conn, r->phase)
		       : receiver__begin_reading(r, true, PROTOCOL_HALF_COMES);
}

static int receiver__command(struct receiver *r)
{
	struct control_stdin *c = &r->loop.commands;

	switch (control_stdin__next(c)) {
	case CONTROL_STDIN_NONE:
		return 0;
	case CONTROL_STDIN_EOF:
		return -ECANCELED;
	case CONTROL_STDIN_STATS:
		receiver__stats(r, false);
		return 0;
	case CONTROL_STDIN_STOP:
		return receiver__stop(r);
	case CONTROL_STDIN_MEASURE:
		return receiver__answer_phase(r, false);
	case CONTROL_STDIN_REFUSE:
		return receiver__answer_phase(r, true);
	case CONTROL_STDIN_HALF:
		return receiver__send_half(r);
	case CONTROL_STDIN_CLOSE:
		if (r->state == RECEIVER_DONE) {
			control_conn__close(&r->loop.conn);
			return 0;
		}
		/* fall through */
	default:
		return reporter__error(r->report, -EINVAL,
				       "Command '%s' is not known, or not for a receiver", c->line);
	}
}

static int receiver__describe(struct receiver *r)
{
	struct side_config c = {
		.size = r->hello.size,
		.threads = r->hello.threads,
		.connections = r->hello.connections,
		.verify = r->hello.verify,
		.receive = r->hello.receive,
		.tls = r->hello.encrypted ? workload__tls_name(r->hello.tls) : NULL,
		.rcvbuf = sock__get(r->pool.fds[0], SOL_SOCKET, SO_RCVBUF),
	};

	return session__describe(r->report, &c, r->pool.fds, r->pool.nr);
}

/* Begins the session of a complete sender. Without --forever, also closes the listening socket. */
static int receiver__begin_session(struct receiver *r, struct complete_session *new)
{
	const struct protocol_frame f = {.type = PROTOCOL_READY};
	struct receiver_pool_plan plan = {
		.hello = &new->hello,
		.same_clock = new->same_clock,
		.turn = r->mode.after_sender ? new->hello.threads : 0,
	};
	int err;

	r->sessions++;
	r->hello = new->hello;
	memset(&r->half, 0, sizeof(r->half));
	memcpy(r->half.nonce, new->nonce, sizeof(r->half.nonce));
	r->same_clock = new->same_clock;
	r->loop.conn = new->conn;
	r->state = RECEIVER_WAITING;
	r->phase = 0;
	r->measuring = false;
	if (!r->options->forever)
		pending_sessions__close(&r->pending);
	pending_sessions__set_busy(&r->pending, true);
	/* Before the event `ready`, which promises that all threads exist. */
	err = receiver_pool__open(&r->pool, r->options, &plan, new->fds);
	free(new->fds);
	r->loop.wake_fd = r->pool.wake_fd;
	if (err)
		return session__refuse_setup(r->report, err, new->hello.connections,
					     new->hello.threads);
	err = receiver__describe(r);
	r->moved_ns = clock__now();
	return err ? err : receiver__send_frame(r, &f);
}

static int receiver__greet(struct receiver *r)
{
	bool yields = r->state != RECEIVER_LISTENING &&
		      clock__now() >= r->moved_ns + time_limit__ns(YIELD_NS);
	struct complete_session new;
	int err;

	if (pending_sessions__poll(&r->pending, yields))
		return receiver__lost(r, -ETIME);
	err = r->pending.trouble;
	if (err)
		reporter__error(r->report, err, "Connections cannot be accepted for now: %m");
	if (r->state != RECEIVER_LISTENING || pending_sessions__pop(&r->pending, &new))
		return 0;
	return receiver__begin_session(r, &new);
}

static bool receiver__in_phase(const struct receiver *r)
{
	return r->state == RECEIVER_READING || r->state == RECEIVER_SETTLING;
}

/* When the current session ends unless something moves, ns. */
static uint64_t receiver__deadline(const struct receiver *r)
{
	uint64_t limit = time_limit__ns(protocol__limit_ns(r->state));
	uint64_t all = r->settling_ns + time_limit__ns(PROTOCOL_DRAIN_NS);

	/* A client that became complete during the last session causes no event. */
	if (r->state == RECEIVER_LISTENING)
		return pending_sessions__waiting(&r->pending) ? 0 : UINT64_MAX;
	/* The driver decides how long the session takes: it may still read the session's sockets.
	 */
	if (r->options->control && !r->options->forever && !receiver__in_phase(r))
		return UINT64_MAX;
	if (r->state == RECEIVER_DONE)
		return r->done_ns + (pending_sessions__waiting(&r->pending) && !r->half.kind
					     ? time_limit__ns(LINGER_SHORT_NS)
					     : limit);
	/* The bytes in flight also have a time in all. */
	return r->state == RECEIVER_SETTLING && all < r->moved_ns + limit ? all
									  : r->moved_ns + limit;
}

static int receiver__check_time(struct receiver *r)
{
	uint64_t now = clock__now();
	int err;

	if (now >= r->stop_ns && r->state != RECEIVER_DONE)
		return receiver__cut_short(r);
	if (now >= r->stop_ns)
		control_conn__close(&r->loop.conn);

	if (receiver__in_phase(r) && now >= r->check_ns) {
		err = receiver__check_progress(r);
		if (err)
			return err;
	}
	if (r->state == RECEIVER_LISTENING || now < receiver__deadline(r))
		return 0;
	if (r->state != RECEIVER_DONE)
		return receiver__lost(r, -ETIME);
	control_conn__close(&r->loop.conn);
	return 0;
}

static int receiver__wait(struct receiver *r)
{
	uint64_t deadline = receiver__deadline(r);
	int events;

	if (pending_sessions__deadline(&r->pending) < deadline)
		deadline = pending_sessions__deadline(&r->pending);
	if (receiver__in_phase(r) && r->check_ns < deadline)
		deadline = r->check_ns;
	if (r->stop_ns < deadline)
		deadline = r->stop_ns;
	events = control_loop__wait(&r->loop, deadline, r->pending.epoll_fd);
	if (events < 0) {
		reporter__error(r->report, events, "Waiting failed: %m");
		r->ended = true;
	}
	return events;
}

static int receiver__step(struct receiver *r)
{
	int events = receiver__wait(r);
	uint64_t missed;
	int err = 0;

	if (events < 0)
		return events;
	/* The time that this process did not run extends all deadlines. */
	missed = control_loop__missed(&r->loop);
	r->moved_ns += missed;
	r->settling_ns += missed;
	r->done_ns += missed;
	pending_sessions__extend_deadlines(&r->pending, missed);
	if (events & CONTROL_LOOP_SIGNAL) {
		if (r->stop_ns == UINT64_MAX)
			r->stop_ns = clock__now() + TIME_LIMIT_STOP_NS;
		err = receiver__stop(r);
	}
	if (!err && events & CONTROL_LOOP_COMMAND)
		err = receiver__command(r);
	if (!err && events & CONTROL_LOOP_FRAME)
		err = receiver__frames(r);
	if (!err)
		err = receiver__greet(r);
	if (!err && receiver__in_session(r))
		err = receiver__check_reading(r);
	return err ? err : receiver__check_time(r);
}

static int receiver__listen(struct receiver *r)
{
	const struct lg_options *set = r->options;
	struct side_config c = {.uid = geteuid(), .verify = set->workload.verify};
	int err = session__check_congestion(r->report, set->workload.congestion);

	if (err)
		return err;
	err = pending_sessions__open(&r->pending, set, sock__descriptors_max());
	if (!err)
		err = sock__address(r->pending.listen_fd, false, c.address, sizeof(c.address),
				    &c.port);
	if (err)
		return reporter__error(r->report, err, "The address cannot be listened on: %m");
	reporter__listening(r->report, &c);
	return 0;
}

/* Drops the last session, if any, to accept the next sender. */
static void receiver__reset(struct receiver *r)
{
	control_conn__close(&r->loop.conn);
	receiver_pool__close(&r->pool);
	r->loop.wake_fd = -1;
	control_loop__end_phase(&r->loop);
	r->state = RECEIVER_LISTENING;
	r->measuring = false;
	r->half.kind = 0;
	pending_sessions__set_busy(&r->pending, false);
}

/* With --forever, a failed session is already reported and does not end the loop. */
static int receiver__serve(struct receiver *r)
{
	int err;

	do {
		receiver__reset(r);
		err = 0;
		while (!err && !(r->state == RECEIVER_DONE && r->loop.conn.fd < 0))
			err = receiver__step(r);
	} while (r->options->forever && !r->stopping && !r->ended && err != -ECANCELED);
	return err;
}

int receiver__run(const struct lg_options *options, struct reporter *report,
		  struct session_mode mode)
{
	struct receiver *r = xcalloc(1, sizeof(*r));
	int err;

	r->options = options;
	r->report = report;
	r->mode = mode;
	r->pending.epoll_fd = r->pending.listen_fd = -1;
	r->stop_ns = UINT64_MAX;
	err = control_loop__open(&r->loop, options->control, mode.signals);
	if (err) {
		reporter__error(report, err, "Signals cannot be received: %m");
		goto out;
	}
	err = receiver__listen(r);
	if (!err)
		err = receiver__serve(r);
	if (!err && r->wrong)
		err = 1;
out:
	receiver_pool__close(&r->pool);
	pending_sessions__close(&r->pending);
	control_loop__close(&r->loop);
	free(r);
	return err;
}
