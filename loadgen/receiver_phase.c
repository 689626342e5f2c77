/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of a receiver: frames of the sender, totals, confirmation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "common/time_limit.h"
#include "cpu_time.h"
#include "sender_protocol.h"
#include "receiver.h"

/* How often to check for progress. */
#define LOOK_NS NS_PER_SEC
/* Bytes in flight on one connection: 1 GiB of window, 2 GiB of buffer (tcp(7), socket(7)). */
#define IN_FLIGHT_MAX (4ULL << 30)
/* Frames handled in one call, so that a flood does not delay the rest of the loop. */
#define FRAMES_BATCH 256

int receiver__lost(struct receiver *r, int err)
{
	if (err == -ECONNRESET || err == -EPIPE)
		reporter__error(r->report, "The sender closed its connection in mid-run");
	else if (err == -EOVERFLOW)
		reporter__error(r->report, "More bytes arrived than the sender says it sent");
	else if (err == -EPROTO)
		reporter__error(r->report, "The sender does not keep to the protocol");
	else if (err == -ETIME)
		reporter__error(r->report, "The sender stood still for too long");
	else if (err == -EINTR)
		reporter__error(r->report, "Stopped while the sender took no answer");
	else
		reporter__error(r->report, "The sender is lost: %s", strerror(-err));
	return err;
}

static int receiver__misplaced(struct receiver *r, const struct protocol_frame *f)
{
	static const char *const when[] = {
		[RECEIVER_LISTENING] = "before READY",
		[RECEIVER_WAITING] = "between phases",
		[RECEIVER_READING] = "in a phase",
		[RECEIVER_SETTLING] = "after its totals",
		[RECEIVER_DONE] = "after the last CONFIRM",
	};

	reporter__error(r->report, "The sender sent %s %s: it does not keep to the protocol",
			protocol__type_name(f->type), when[r->state]);
	return -EPROTO;
}

void receiver__moved(struct receiver *r)
{
	r->moved_ns = clock__now();
}

static void receiver__count_tcp(struct receiver *r, struct tcp_counts *counts)
{
	unsigned int i;

	for (i = 0; i < r->pool.nr; i++)
		tcp_counts__read(receiver_pool__fd(&r->pool, i), &counts[i]);
}

int receiver__stats(struct receiver *r, bool done)
{
	struct side_stats st = {.interrupted = r->stopping && done, .same_clock = r->same_clock};
	unsigned int i;
	uint64_t end;

	if (counters__init(&st.counters)) {
		reporter__error(r->report, "Memory is short for the statistics");
		return -ENOMEM;
	}
	st.tcp.known = true;
	if (r->measuring) {
		receiver_pool__read(&r->pool, &st.counters);
		end = done ? st.counters.last_ns : clock__now();
		st.elapsed_ns = end > r->begin_ns ? end - r->begin_ns : 0;
		st.cpu_ns = cpu_time__now() - r->cpu_begin;
		if (!done)
			receiver__count_tcp(r, r->tcp_end);
		for (i = 0; i < r->pool.nr; i++)
			tcp_counts__add_delta(&st.tcp, &r->tcp_end[i], &r->tcp_begin[i]);
	}
	r->report->ops->stats(r->report, &st, done);
	counters__clear(&st.counters);
	return 0;
}

int receiver__cut_short(struct receiver *r)
{
	int err = r->measuring ? receiver__stats(r, true) : 0;

	r->state = RECEIVER_DONE;
	control_conn__close(&r->loop.conn);
	if (!err)
		reporter__error(r->report, "Stopped before the sender ended the session");
	return -EINTR;
}

int receiver__tell(struct receiver *r, const struct protocol_frame *f)
{
	int err = control_conn__send(&r->loop.conn, f);

	return err ? receiver__lost(r, err) : 0;
}

static int receiver__begin(struct receiver *r, const struct protocol_frame *f)
{
	const struct protocol_frame ok = {.type = PROTOCOL_PHASE_OK, .phase = f->phase};

	/* At most one warm-up: each phase restarts the time limits. */
	if (r->state != RECEIVER_WAITING || f->phase != r->phase + 1 || f->index > 1 ||
	    (r->phase && !f->index))
		return receiver__misplaced(r, f);
	r->state = RECEIVER_READING;
	r->phase = f->phase;
	r->totals = 0;
	memset(r->told, 0, sizeof(r->told));
	r->sent_bytes = r->sent_messages = 0;
	receiver_pool__begin(&r->pool);
	receiver__count_tcp(r, r->tcp_begin);
	r->measuring = f->index;
	r->cpu_begin = cpu_time__now();
	receiver__moved(r);
	r->moved_bytes = 0;
	r->look_ns = r->moved_ns + time_limit__ns(LOOK_NS);
	r->begin_ns = clock__now();
	return receiver__tell(r, &ok);
}

/* Checks that bytes is messages times size, and at most IN_FLIGHT_MAX above the bytes read. */
static bool receiver__plausible(struct receiver *r, const struct protocol_frame *f)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(f->messages, (uint64_t)r->hello.size, &bytes) ||
	    bytes != f->bytes)
		return false;
	bytes = receiver_pool__bytes(&r->pool, f->index);
	return f->bytes < bytes || f->bytes - bytes <= IN_FLIGHT_MAX;
}

static int receiver__total(struct receiver *r, const struct protocol_frame *f)
{
	if (r->state != RECEIVER_READING || f->phase != r->phase)
		return receiver__misplaced(r, f);
	if (f->index >= r->pool.nr || r->told[f->index] || !receiver__plausible(r, f))
		return receiver__lost(r, -EPROTO);
	r->told[f->index] = true;
	r->sent_bytes += f->bytes;
	r->sent_messages += f->messages;
	receiver_pool__expect(&r->pool, f->index, f->bytes);
	if (++r->totals < r->pool.nr)
		return 0;
	receiver__moved(r);
	r->state = RECEIVER_SETTLING;
	return 0;
}

static int receiver__frame(struct receiver *r)
{
	struct protocol_frame f;
	int err = control_conn__next(&r->loop.conn, &f);

	if (err == -EAGAIN)
		return err;
	if (err && r->state == RECEIVER_DONE) {
		control_conn__close(&r->loop.conn);
		return -EAGAIN;
	}
	if (err)
		return receiver__lost(r, err);
	if (f.type == PROTOCOL_PHASE)
		return receiver__begin(r, &f);
	if (f.type == PROTOCOL_TOTAL)
		return receiver__total(r, &f);
	return receiver__misplaced(r, &f);
}

int receiver__frames(struct receiver *r)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < FRAMES_BATCH; i++)
		err = receiver__frame(r);
	return err == -EAGAIN ? 0 : err;
}

static int receiver__tell_totals(struct receiver *r, const struct counters *sum)
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
	receiver__count_tcp(r, r->tcp_end);
	err = receiver__tell(r, &elapsed);
	return err ? err : receiver__tell(r, &confirm);
}

static int receiver__confirm(struct receiver *r)
{
	struct counters sum;
	int err;

	if (counters__init(&sum)) {
		reporter__error(r->report, "Memory is short for the statistics");
		return -ENOMEM;
	}
	receiver_pool__read(&r->pool, &sum);
	r->state = RECEIVER_WAITING;
	receiver__moved(r);
	err = receiver__tell_totals(r, &sum);
	counters__clear(&sum);
	if (err || !r->measuring)
		return err;
	r->state = RECEIVER_DONE;
	r->done_ns = clock__now();
	pending_sessions__set_busy(&r->pending, false);
	return receiver__stats(r, true);
}

int receiver__check_reading(struct receiver *r)
{
	int settled = receiver_pool__settled(&r->pool);

	if (settled < 0)
		return receiver__lost(r, settled);
	return settled && r->state == RECEIVER_SETTLING ? receiver__confirm(r) : 0;
}

int receiver__look(struct receiver *r)
{
	uint64_t bytes = receiver_pool__progress(&r->pool);
	const struct protocol_frame f = {
		.type = PROTOCOL_MOVING, .phase = r->phase, .bytes = bytes};

	r->look_ns = clock__now() + time_limit__ns(LOOK_NS);
	if (bytes == r->moved_bytes)
		return 0;
	r->moved_bytes = bytes;
	receiver__moved(r);
	return r->state == RECEIVER_SETTLING ? receiver__tell(r, &f) : 0;
}
