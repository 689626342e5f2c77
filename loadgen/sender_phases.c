/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's phases, and what each of them reports and confirms. */
#include <errno.h>

#include "clock.h"
#include "sender.h"

/* Time limit for the acknowledgements of the last bytes. */
#define ACKED_NS (NS_PER_SEC / 4)
/* After its deadline a phase waits at most this long for a first message, checking this often. */
#define FIRST_MESSAGE_NS (10 * NS_PER_SEC)
#define FIRST_CHECK_NS   (NS_PER_SEC / 100)
/* --rate: how long after its end the measured phase sends messages that were due before. */
#define GRACE_NS NS_PER_SEC

void sender__stats(struct sender *s, bool done)
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

/*
 * Returns the next deadline. A busy machine may not have run the threads yet: wait for a first
 * message until `last`, then stop the threads.
 */
static uint64_t sender__late(struct sender *s, uint64_t last)
{
	uint64_t now = clock__now();

	if (now < last && !sender_pool__has_sent(&s->pool))
		return now + FIRST_CHECK_NS;
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

/* Sends batches: with TCP_NODELAY each send() is a packet. *sum: what CONFIRM must have. */
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
			err = sender__send_frames(s, batch, n);
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
	err = sender__send_frames(s, proves ? f : f + 1, proves ? 2 : 1);
	if (!err)
		err = sender__await(s, PROTOCOL_PHASE_OK);
	if (!err && s->answer.index > (f[1].messages ? PROTOCOL_HALF_REFUSED : PROTOCOL_NO_HALF))
		err = sender__lost(s, -EPROTO);
	if (!err && s->answer.index == PROTOCOL_HALF_REFUSED)
		err = reporter__error(s->report, -EACCES,
				      "The receiver has %s token: give both sides the same --token "
				      "FILE",
				      proves ? "another" : "a");
	if (err)
		return err;
	s->half = s->answer.index;
	s->state = SENDER_SENDING;
	s->tcp_begin = tcp_counts__read(s->pool.fds, s->pool.nr);
	s->cpu_begin = clock__cpu();
	s->begin_ns = clock__now();
	deadline = duration ? s->begin_ns + duration : UINT64_MAX;
	sender_pool__begin(&s->pool, s->phase, s->stopping ? 0 : messages, duration,
			   measured ? GRACE_NS : 0);
	s->measuring = measured;
	control_loop__begin_phase(&s->loop);
	err = sender__drive(s, s->options->workload.rate ? UINT64_MAX : deadline);
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

int sender__phases(struct sender *s)
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
