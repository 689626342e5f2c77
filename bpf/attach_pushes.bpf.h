/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Send calls whose end is their tcp_push: kretprobes miss the returns of functions that sleep.
 * Calls without one, and what connects before the first.
 */
#ifndef NETIOTRACE_ATTACH_PUSHES_BPF_H
#define NETIOTRACE_ATTACH_PUSHES_BPF_H

#include "attach_sends.bpf.h"

/* A call ends with its tcp_push. */
const volatile bool nio_pushes = false;

/* tcp_push at the end of a send call that queued something. Bytes by write_seq. */
static __always_inline void on_push(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call *c = call_of_thread(s, tid_now()), ended;
	__s32 bytes;

	if (all_is_over())
		return;
	if (c && (c->what & NIO_CALL_CONNECTS))
		begin_connected(s, sk);
	bytes = nio_seq_delta(s->sent_seen, payload_end_of(sk)) + (c ? c->queued : 0);
	if ((s->flags & NIO_STREAM_TX_BASE) && bytes > 0)
		on_send_end(s, sk, bytes, ADDRESS, NULL);
	else
		end_call(s, &ended);
}

/* What a call without a tcp_push queued. It is over, and the lock is held by its thread, or none.
 */
static __always_inline void book_unpushed(struct nio_stream *s, const struct sock *sk,
					  const struct nio_call *call)
{
	__u32 end = payload_end_of(sk), bytes = call->queued + (end - s->sent_seen);

	if (!(s->flags & NIO_STREAM_TX_BASE) || (__s32)bytes <= 0)
		return;
	s->sent_seen = end;
	if (!s->last_ns)
		s->last_ns = bpf_ktime_get_ns();
	book_call(s, sk, bytes, call->what);
}

/*
 * Where the end of a call is its tcp_push: one that had none is over when its thread is seen at
 * something else, or the socket ends. So is a call that connects and whose bytes all were in the
 * SYN.
 */
static __always_inline void end_unpushed(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call call = s->call;

	if (!nio_pushes || !s->caller || all_is_over())
		return;
	s->caller = 0;
	if (call.what & NIO_CALL_BESIDE)
		s->beside--;
	if (call.what & NIO_CALL_CONNECTS) {
		/* It was connect(), by which nothing is queued. */
		if (!has_called(sk))
			return;
		begin_connected(s, sk);
	}
	book_unpushed(s, sk, &call);
}

/* A page of sendfile or splice. All but the last of a call are not pushed. */
static __always_inline void on_page_begin(struct nio_stream *s, const struct sock *sk, __u32 size,
					  bool pushes)
{
	struct nio_call *c;

	on_send_begin(s, sk, NIO_SEEN_CALL | NIO_SEEN_SPLICE);
	c = call_of_thread(s, tid_now());
	if (!c || pushes)
		return;
	c->size = size;
	nio_any_unpushed = true;
}

/*
 * A thread is about to release the lock: what it queued of a page that is not pushed. It is over,
 * or waits for memory.
 */
static __always_inline void on_release(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call *c = call_of_thread(s, tid_now()), call;
	__u32 end = payload_end_of(sk);

	if (!c && has_earlier(s) && !all_is_over())
		nio_leave_out(s, end);
	if (!c || !c->size || !(s->flags & NIO_STREAM_TX_BASE) || all_is_over())
		return;
	c->queued += end - s->sent_seen;
	s->sent_seen = end;
	if (c->queued >= c->size && end_call(s, &call))
		book_unpushed(s, sk, &call);
}

/*
 * A socket begins to connect: by connect(), or by a send call (MSG_FASTOPEN), whose begin a kprobe
 * did not see, since the socket was not taken in. If bytes follow, it was the latter.
 */
static __always_inline void on_connect(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call call = {.what = NIO_CALL_CONNECTS | NIO_CALL_FASTOPEN};
	const struct msghdr *msg = connecting_message(sk);

	/* One of MPTCP has no numbers of TCP's; its subflows, the only ones with a ulp by now, send
	 * otherwise. */
	if (sk->sk_protocol != IPPROTO_TCP ||
	    kernel_read(struct inet_connection_sock, sk, icsk_ulp_ops))
		return;
	/* One that asked for it has taken its id already. */
	begin_ids(s, sk, msg && (BPF_CORE_READ(msg, msg_flags) & MSG_ZEROCOPY));
	s->syn_bytes = msg ? ALL_OF_CALL : 0;
	/* Its message may not be seen, nor the call return, before the SYN's data arrives. */
	if (may_pin(sk))
		nio_any_pinned = true;
	if (nio_pushes && !s->caller && !(s->flags & NIO_STREAM_TX_BASE))
		on_call(s, &call);
}

/* A call begins, of which a kprobe knows: those that are over have no place any more. */
static __always_inline void end_before(struct nio_stream *s, const struct sock *sk)
{
	struct nio_call call;

	if (s->caller == tid_now() || ((s->call.what & NIO_CALL_CONNECTS) && has_numbers(sk)))
		end_unpushed(s, sk);
	else if (!all_is_over() && end_call(s, &call))
		book_unpushed(s, sk, &call);
}

#endif
