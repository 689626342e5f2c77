/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the send calls of a watched socket of attach mean, from their begin to their end: inline
 * cores that know nothing of how they were called.
 */
#ifndef NETIOTRACE_ATTACH_SENDS_BPF_H
#define NETIOTRACE_ATTACH_SENDS_BPF_H

#include "attach_books.bpf.h"
#include "attach_calls.bpf.h"
#include "attach_connect.bpf.h"
#include "attach_earlier.bpf.h"
#include "attach_messages.bpf.h"

/* Calls in progress are shown by each turn they take, under the lock; their ends after it. */
const volatile bool nio_turns = false;

/*
 * The ids of zero-copy sends begin here: with the present call, which has taken its id already if
 * it asked for one.
 */
static __always_inline void begin_ids(struct nio_stream *s, const struct sock *sk, bool asked)
{
	__u32 zckey;

	if (s->flags & NIO_STREAM_IDS)
		return;
	zckey = kernel_read(struct sock, sk, sk_zckey.counter);
	s->zckey_base = s->zckey = zckey - (asked && zckey);
	s->zc_next = s->zckey_base;
	nio_stream_flag(s, NIO_STREAM_IDS);
}

/* A call of this thread begins, or is seen for the first time; *call is what is known of it. */
static __always_inline struct nio_call *on_call(struct nio_stream *s, struct nio_call *call)
{
	if (call->what & NIO_SEEN_ZEROCOPY)
		nio_any_pinned = true;
	return begin_call(s, call);
}

/* Queued by calls of which no event tells. Other layers queue by none of the application's. */
static __always_inline void book_missed(struct nio_stream *s, const struct sock *sk, __u32 bytes)
{
	if (path_of(sk, NIO_SIDE_SENDER, KNOWN) == NIO_COVERED)
		book_side(s, NIO_SIDE_SENDER, NIO_UNCOVERED_MISSED, bytes);
}

/*
 * A trampoline's program may have been refused. Of a socket of one thread, on which no call is in
 * progress that began before, all that was queued since the last look is of the calls of then.
 */
static __always_inline bool is_of_one_thread(const struct nio_stream *s)
{
	return (s->flags & NIO_STREAM_TX_BASE) && !s->caller && !s->crowd && !s->earlier;
}

/* A call begins, of which a trampoline knows: of this thread's last one the return was missed. */
static __always_inline void end_unseen(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call call;
	__u32 end;

	if (!s->caller || s->crowd || all_is_over() || s->caller != tid_now())
		return;
	if (!end_call(s, &call) || !is_of_one_thread(s) || !has_numbers(sk))
		return;
	end = payload_end_of(sk);
	book_missed(s, sk, call.queued + (end - s->sent_seen));
	s->sent_seen = end;
}

/*
 * A send call begins, the lock is held: the socket's numbers begin here, if it is the first. what:
 * what its message says.
 */
static __always_inline void on_send_begin(struct nio_stream *s, const struct sock *sk, __u32 what)
{
	struct nio_call call = {.what = what};
	bool first = !(s->flags & NIO_STREAM_TX_BASE), begins = first && has_numbers(sk);

	if (all_is_over())
		return;
	if (first && !begins)
		call.what |= NIO_CALL_CONNECTS;
	if (begins)
		s->earlier = calls_waiting(sk);
	else
		look_for_earlier(s, sk);
	if (s->earlier)
		call.what |= NIO_CALL_BESIDE;
	if (on_call(s, &call) && s->earlier)
		s->beside++;
	if (!begins)
		return;
	begin_ids(s, sk, false);
	begin_tx(s, sk, 0);
	s->sent_seen = s->base_tx.sent;
}

/* The call waits for memory, and is about to release the lock: what it queued so far. */
static __always_inline void on_send_wait(struct nio_stream *s, const struct sock *sk, bool known)
{
	struct nio_call *c = call_of_thread(s, tid_now()), cut = {.what = NIO_CALL_CUT};
	__u32 end = payload_end_of(sk);

	/* Layers over TCP wait in calls of their own. */
	if (all_is_over() || (!c && path_of(sk, NIO_SIDE_SENDER, known) != NIO_COVERED))
		return;
	if (c && (c->what & NIO_CALL_CONNECTS))
		begin_connected(s, sk);
	if (!(s->flags & NIO_STREAM_TX_BASE)) {
		begin_tx(s, sk, 0);
		s->sent_seen = end;
		s->earlier = calls_waiting(sk) + !c;
	}
	if (earlier_waits(s, sk, c, end))
		return;
	if (!c)
		c = begin_call(s, &cut);
	if (!c)
		return;
	c->queued += end - s->sent_seen;
	s->sent_seen = end;
}

static __always_inline enum nio_send_kind how_sent(struct nio_stream *s, const struct sock *sk,
						   __u32 what)
{
	__u32 zckey = kernel_read(struct sock, sk, sk_zckey.counter), before = s->zckey;
	bool told = what & NIO_SEEN_CALL, routed = !(what & NIO_CALL_FASTOPEN);

	s->zckey = zckey;
	return nio_send_kind((struct nio_send_facts){
		.told = told,
		.foreign = what & NIO_SEEN_FOREIGN,
		.by_uring = !told && uses_io_uring(),
		.zerocopy = what & NIO_SEEN_ZEROCOPY,
		.splice = what & NIO_SEEN_SPLICE,
		.sg = routed && (kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG),
		/* Where the message was seen, ids may be other threads'. */
		.took_id = told ? (what & NIO_CALL_PINS) != 0 : zckey != before,
	});
}

static __always_inline void book_sent(struct nio_stream *s, enum nio_send_kind how, __u32 ret)
{
	switch (how) {
	case NIO_SEND_PINNED:
		add_amount(&s->stages[NIO_STAGE_TX_PIN], ret);
		return;
	case NIO_SEND_SPLICED:
		add_amount(&s->stages[NIO_STAGE_TX_SPLICE], ret);
		return;
	case NIO_SEND_FOREIGN:
		book_side(s, NIO_SIDE_SENDER, NIO_UNCOVERED_FOREIGN, ret);
		return;
	default:
		add_amount(&s->stages[NIO_STAGE_TX_COPY], ret);
	}
}

/* A layer over TCP took ret bytes, or failed. */
static __always_inline void on_layer_send(struct nio_stream *s, const struct sock *sk, int ret)
{
	if (ret <= 0 || all_is_over())
		return;
	touch(s, sk);
	is_uncovered(s, sk, NIO_SIDE_SENDER, ret, KNOWN);
}

/* Books what a call returned, by what is known of it. */
static __always_inline void book_call(struct nio_stream *s, const struct sock *sk, __u32 ret,
				      __u32 what)
{
	__u32 syn = take_syn_bytes(s, sk, ret);
	enum nio_send_kind how;

	begin_ids(s, sk, !(what & NIO_SEEN_CALL) || (what & NIO_SEEN_ZEROCOPY));
	how = how_sent(s, sk, what);
	/* The data of a SYN is copied, however the rest is sent (tcp_send_syn_data). */
	if (syn && how != NIO_SEND_COPIED)
		book_sent(s, NIO_SEND_COPIED, syn);
	else
		syn = 0;
	if (ret > syn)
		book_sent(s, how, ret - syn);
	add_amount(&s->calls[kind_of(what, how)], ret);
	__sync_fetch_and_add(&s->tx_sizes[nio_size_bucket(ret)], 1);
}

/*
 * A call whose begin was not seen, though it was none of those before the socket's numbers, is
 * booked as it returned: what it had queued by the first look at it belongs to them, too.
 */
static __always_inline void begin_earlier(struct nio_stream *s, __u32 bytes)
{
	if ((__s32)bytes > 0)
		__sync_fetch_and_add(&s->base_tx.sent, -bytes);
}

/*
 * Since the last look `before` bytes more were queued than the call returned: by calls before it,
 * whose events were missed.
 */
static __always_inline bool is_after_missed(const struct nio_stream *s, const struct nio_call *call,
					    __s32 before)
{
	return before > 0 && is_of_one_thread(s) &&
	       !(call->what & (NIO_CALL_MIXED | NIO_CALL_CONNECTS));
}

/*
 * A send call queued ret bytes, or failed. The lock is held. msg tells what it was where its begin
 * was missed, or what was seen to begin may be another.
 */
static __always_inline void on_send_end(struct nio_stream *s, const struct sock *sk, int ret,
					bool known, const struct msghdr *msg)
{
	struct nio_call call = {.what = NIO_CALL_CUT};
	__s32 before;
	__u32 end;

	if (all_is_over())
		return;
	end_call(s, &call);
	if (ret <= 0 && (call.what & NIO_CALL_MIXED))
		nio_leave_out_of(s, &call, 0, s->sent_seen);
	if (ret <= 0 || restores_received(sk))
		return;
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, ret, known))
		return;
	end = payload_end_of(sk);
	if (call.what & NIO_CALL_CONNECTS)
		begin_connected(s, sk);
	if (earlier_ends(s, sk, &call, ret, end))
		return;
	before = call.queued + (end - s->sent_seen) - ret;
	/* Of several threads' it began since (earlier.h), and others took over what it queued. */
	if ((call.what & NIO_CALL_CUT) && !(known && s->crowd))
		begin_earlier(s, -before);
	s->sent_seen = end;
	if (known && is_after_missed(s, &call, before)) {
		book_missed(s, sk, before);
		call.what = NIO_CALL_CUT;
	}
	if (call.what & NIO_CALL_CUT)
		call.what = call_at_end(sk, msg, known);
	book_call(s, sk, ret, call.what);
}

/* write_seq was seen to be `end`, perhaps after others saw it further on. */
static __always_inline void saw_sent(struct nio_stream *s, __u32 end)
{
	for (int i = 0; i < 4; i++) {
		__u32 seen = s->sent_seen;

		if (nio_seq_delta(seen, end) <= 0 ||
		    __sync_val_compare_and_swap(&s->sent_seen, seen, end) == seen)
			return;
	}
}

/*
 * What was queued between two looks is of the call that had the turn at the first. Nobody's, if
 * that had returned by then: the turns of those who queued it were missed.
 */
static __always_inline void look_at_queued(struct nio_stream *s, const struct sock *sk,
					   struct nio_call *last, __u32 end)
{
	__u64 place = last ? *(volatile __u64 *)&last->place : NIO_PLACE_OVER;
	__s32 further;

	/* It may be about to return. */
	if (place != NIO_PLACE_OVER &&
	    __sync_val_compare_and_swap(&last->place, place, nio_place_at(place, end)) == place)
		return;
	further = nio_seq_delta(s->sent_seen, end);
	if (further > 0 && (s->flags & NIO_STREAM_TX_BASE))
		book_missed(s, sk, further);
}

/* A call whose return was missed: its thread is at another. */
static __always_inline void end_unreturned(struct nio_stream *s, const struct sock *sk,
					   const struct nio_call *call)
{
	if (!nio_has_queued_all(call))
		book_missed(s, sk, call->queued);
	else if (path_of(sk, NIO_SIDE_SENDER, KNOWN) == NIO_COVERED)
		book_call(s, sk, call->queued, call->what);
}

/* A turn of a send call, before it queues; the lock is held. */
static __always_inline void on_turn(struct nio_stream *s, const struct sock *sk,
				    const struct msghdr *msg)
{
	__u32 tid = tid_now(), end = payload_end_of(sk), left = msg->msg_iter.count;
	struct nio_call *c = call_of_thread(s, tid), *last = c;
	struct nio_call first = {.size = left, .seq = end};

	if (all_is_over())
		return;
	if (s->turner != tid)
		last = s->turner ? call_of_thread(s, s->turner) : NULL;
	look_at_queued(s, sk, last, end);
	s->turner = tid;
	if (c && nio_is_turn_of(c, left)) {
		c->place = nio_place_of(c->queued, end);
	} else {
		if (c) {
			end_unreturned(s, sk, c);
			forget_call(s, tid);
		}
		first.what = call_at_turn(sk, msg);
		begin_ids(s, sk, first.what & NIO_SEEN_ZEROCOPY);
		begin_tx(s, sk, 0);
		on_call(s, &first);
	}
	s->sent_seen = end;
}

/*
 * A call with turns is over, and has returned ret bytes: those it queued since the first turn that
 * was seen. Where it ends is said before its place is given up: whoever has the next turn finds the
 * one or the other.
 */
static __always_inline __u32 end_turns(struct nio_stream *s, const struct sock *sk, __u32 ret,
				       struct nio_call *call)
{
	__u32 tid = tid_now(), since = 0;
	struct nio_call *c = call_of_thread(s, tid);

	if (!c)
		return 0;
	*call = *c;
	/* Another's turn may change its place, once. */
	for (int i = 0; i < 2; i++) {
		bool alone = *(volatile __u32 *)&s->turner == tid;

		call->place = *(volatile __u64 *)&c->place;
		since = nio_since_first_turn(call, ret, payload_end_of(sk), alone);
		if (since > call->queued)
			saw_sent(s, call->seq + since - call->queued);
		if (__sync_val_compare_and_swap(&c->place, call->place, NIO_PLACE_OVER) ==
		    call->place)
			break;
	}
	if (call->queued > since)
		book_missed(s, sk, call->queued - since);
	forget_call(s, tid);
	return since;
}

/*
 * Where the numbers stand where turns are not shown: exact while one thread sends, or one after
 * another. A socket is handed on once, from who connects it to who sends: a call between begins
 * where the last one ended.
 */
static __always_inline void guess_call(struct nio_stream *s, const struct sock *sk, __u32 ret)
{
	__u32 tid = tid_now();

	if (s->turner && s->turner != tid) {
		if (s->handed || payload_end_of(sk) - ret != s->sent_seen)
			s->untold = 1;
		s->handed = 1;
	}
	s->turner = tid;
	begin_tx(s, sk, ret);
	s->sent_seen = payload_end_of(sk);
}

/*
 * What a call queued before the first of its turns that was seen went with its SYN, or before the
 * numbers of the socket begin: a call without any had its last one before all that were seen.
 */
static __always_inline __u32 with_syn(struct nio_stream *s, const struct sock *sk, __u32 ret,
				      __u32 since)
{
	if (!s->syn_bytes)
		return since;
	if (s->flags & NIO_STREAM_TX_BASE)
		begin_earlier(s, ret - since);
	else
		guess_call(s, sk, ret);
	return ret;
}

/* A send call queued ret bytes, or failed. The lock is not held. */
static __always_inline void on_send_return(struct nio_stream *s, const struct sock *sk, int ret)
{
	struct nio_call call = {};
	__u32 since = 0;

	if (all_is_over())
		return;
	if (nio_turns)
		since = end_turns(s, sk, ret > 0 ? ret : 0, &call);
	if (ret <= 0 || restores_received(sk))
		return;
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, ret, KNOWN))
		return;
	if (nio_turns) {
		since = with_syn(s, sk, ret, since);
	} else {
		guess_call(s, sk, ret);
		since = ret;
	}
	if (since)
		book_call(s, sk, since, call.what);
}

#endif
