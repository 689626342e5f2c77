/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The send calls that are in progress on the watched sockets. A call that waits for memory releases
 * its socket's lock, and other threads may begin theirs: what is known of a call is its thread's.
 * The first has its place in the socket's entry, so that a socket of one thread costs no look-up;
 * those that begin meanwhile are in nio_calls, by thread.
 *
 * Under the lock the bytes between two looks at write_seq are those of one call. So it is known at
 * each look how much every call has queued, and user space can hold a socket whose calls have not
 * returned against what was booked of those that have.
 */
#ifndef NETIOTRACE_ATTACH_CALLS_BPF_H
#define NETIOTRACE_ATTACH_CALLS_BPF_H

#include "attach_streams.bpf.h"
#include "earlier.h"
#include "message.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, NIO_CALLS_MAX);
	__type(key, __u32);
	__type(value, struct nio_call);
} nio_calls SEC(".maps");

/* The call that a thread has in progress on this socket; NULL: its begin was not seen. */
static __always_inline struct nio_call *call_of_thread(struct nio_stream *s, __u32 tid)
{
	struct nio_call *c;

	if (s->caller == tid)
		return &s->call;
	if (!s->crowd)
		return NULL;
	c = bpf_map_lookup_elem(&nio_calls, &tid);
	return c && c->cookie == s->cookie ? c : NULL;
}

/* A call of this thread begins, of which *call is known. Where it is kept; NULL: there is no room.
 */
static __always_inline struct nio_call *begin_call(struct nio_stream *s, struct nio_call *call)
{
	__u32 tid = tid_now();

	call->cookie = s->cookie;
	if (!s->caller || s->caller == tid) {
		s->call = *call;
		s->caller = tid;
		return &s->call;
	}
	s->crowd = 1;
	bpf_map_update_elem(&nio_calls, &tid, call, BPF_ANY);
	return bpf_map_lookup_elem(&nio_calls, &tid);
}

/* The call of this thread, which has a place, is over. */
static __always_inline void forget_call(struct nio_stream *s, __u32 tid)
{
	if (s->caller == tid)
		s->caller = 0;
	else
		bpf_map_delete_elem(&nio_calls, &tid);
}

/* The call of this thread is over: *call is what was known of it. False: nothing was. */
static __always_inline bool end_call(struct nio_stream *s, struct nio_call *call)
{
	__u32 tid = tid_now();
	struct nio_call *c = call_of_thread(s, tid);

	if (!c)
		return false;
	*call = *c;
	if (call->what & NIO_CALL_BESIDE)
		s->beside--;
	forget_call(s, tid);
	return true;
}

static __always_inline __u32 payload_end_of(const struct sock *sk)
{
	return nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq),
			       kernel_read(struct sock_common, sk, skc_state));
}

#endif
