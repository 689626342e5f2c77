/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What every event of a watched socket of attach notes: when, whose, and what no stage covers. */
#ifndef NETIOTRACE_ATTACH_BOOKS_BPF_H
#define NETIOTRACE_ATTACH_BOOKS_BPF_H

#include "attach_streams.bpf.h"

static __always_inline void touch(struct nio_stream *s, const struct sock *sk)
{
	s->last_ns = bpf_ktime_get_ns();
	if (!(s->flags & NIO_STREAM_PLACED))
		place_stream(s, sk);
	if (s->tgid != tgid_now())
		nio_stream_flag(s, NIO_STREAM_SHARED);
}

static __always_inline void book_side(struct nio_stream *s, __u32 side, __u32 kind, __u64 bytes)
{
	if (kind < NIO_UNCOVERED_NR && side < NIO_SIDE_NR)
		add_to(&s->uncovered_bytes[side][kind], bytes);
}

/* Another layer than TCP serves this socket: nothing of it is in a stage. */
static __always_inline bool is_uncovered(struct nio_stream *s, const struct sock *sk, __u32 side,
					 __u32 bytes, bool known)
{
	enum nio_uncovered_kind path = path_of(sk, side, known);

	if (path == NIO_COVERED)
		return false;
	s->uncovered = path + 1;
	book_side(s, side, path, bytes);
	return true;
}

#define TCP_RECV_QUEUE 1 /* TCP_REPAIR_QUEUE */

/* TCP_REPAIR: what is sent then is put among what was received, and leaves by no send. */
static __always_inline bool restores_received(const struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;

	return kernel_read(struct tcp_sock, sk, repair_queue) == TCP_RECV_QUEUE &&
	       BPF_CORE_READ_BITFIELD_PROBED(tp, repair);
}

#endif
