/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's exchange with the receiver (frames) and with its driver (commands). */
#include <errno.h>

#include "clock.h"
#include "sender.h"

/* Time limit for an answer of the receiver; MOVING with more bytes restarts the time. */
#define ANSWER_NS  (30 * NS_PER_SEC)
#define WELCOME_NS (5 * NS_PER_SEC)

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

/* What failed in its trial there. The receiver's errno is any number. */
static int sender__refused_trial(struct sender *s, const struct protocol_frame *f)
{
	int err = f->messages && f->messages < 4096 ? -(int)f->messages : -EPROTO;
	const char *where = "on the receiver's machine";

	s->report->refused = true;
	return f->index == PROTOCOL_REFUSAL_KTLS
		       ? session__refuse_mode(s->report, err, s->options->mode, where)
		       : session__refuse_receive(s->report, err, s->hello.receive, where);
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

/* When the wait for an answer ends, ns. limit_ns: without progress. */
static uint64_t sender__deadline(const struct sender *s, uint64_t limit_ns)
{
	uint64_t still = s->moved_ns + limit_ns;
	uint64_t all = s->awaited_ns + time_limit__ns(PROTOCOL_DRAIN_NS);

	return still < all ? still : all;
}

int sender__await(struct sender *s, enum protocol_type type)
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
		return sender__refused(s, &s->answer);
	return s->answer.type == type ? 0 : sender__misplaced(s, &s->answer);
}

int sender__send_frames(struct sender *s, const struct protocol_frame *f, size_t n)
{
	int err = control_conn__send_all(&s->loop.conn, f, n);

	return err && err != -EINTR ? sender__lost(s, err) : err;
}
