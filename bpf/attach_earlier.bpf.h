/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Looks at sockets with send calls that had begun before their numbers did: see earlier.h. */
#ifndef NETIOTRACE_ATTACH_EARLIER_BPF_H
#define NETIOTRACE_ATTACH_EARLIER_BPF_H

#include "attach_calls.bpf.h"
#include "earlier.h"

/* Calls of this socket, whose lock is held, that wait for memory: all but the present thread's. */
static __always_inline __u32 calls_waiting(const struct sock *sk)
{
	return kernel_read(struct sock, sk, sk_write_pending);
}

/* What other layers send is in no number. */
static __always_inline bool has_earlier(const struct nio_stream *s)
{
	return s->earlier && !s->uncovered;
}

/* A call begins, or what can be sent ends: what earlier ones queued since the last look. */
static __always_inline void look_for_earlier(struct nio_stream *s, const struct sock *sk)
{
	if (has_earlier(s) && nio_earlier_ended(s, calls_waiting(sk), s->beside, false))
		nio_leave_out(s, payload_end_of(sk));
}

/* A call is about to wait; c: what is known of it. True: it is an earlier one. */
static __always_inline bool earlier_waits(struct nio_stream *s, const struct sock *sk,
					  struct nio_call *c, __u32 end)
{
	bool counted = c && (c->what & NIO_CALL_BESIDE);

	if (!has_earlier(s))
		return false;
	if (nio_earlier_ended(s, calls_waiting(sk), s->beside - counted, !c) && c)
		c->what |= NIO_CALL_MIXED;
	if (c)
		return false;
	nio_leave_out(s, end);
	return true;
}

/* A call has ended that queued ret bytes. True: it is an earlier one. */
static __always_inline bool earlier_ends(struct nio_stream *s, const struct sock *sk,
					 struct nio_call *call, __s32 ret, __u32 end)
{
	bool cut = call->what & NIO_CALL_CUT, among = has_earlier(s);

	if (!(s->flags & NIO_STREAM_TX_BASE))
		return cut;
	if (among && nio_earlier_ended(s, calls_waiting(sk), s->beside, false))
		call->what |= NIO_CALL_MIXED;
	if (among && cut) {
		nio_leave_out(s, end);
		return true;
	}
	if (call->what & NIO_CALL_MIXED)
		nio_leave_out_of(s, call, ret, end);
	return false;
}

#endif
