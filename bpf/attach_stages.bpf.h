/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What receives, and what becomes of zero-copy sends, mean for a watched socket of attach: inline
 * cores that know nothing of how they were called. Sends are in attach_sends.bpf.h, and
 * attach_pushes.bpf.h.
 */
#ifndef NETIOTRACE_ATTACH_STAGES_BPF_H
#define NETIOTRACE_ATTACH_STAGES_BPF_H

#include "attach_pushes.bpf.h"

/* What became of the last receive copy: its bytes were taken, or only looked at, or more were. */
static __always_inline void judge_taken(struct nio_stream *s, __u32 taken)
{
	__s32 further = nio_seq_delta(s->taken_seen, taken);

	if (further > 0)
		book_side(s, NIO_SIDE_RECEIVER, NIO_UNCOVERED_UNSEEN, further);
	else if (further < 0)
		book_side(s, NIO_SIDE_RECEIVER, NIO_UNCOVERED_PEEKED, -further);
	s->taken_seen = taken;
}

/* Where the numbers of the receiving direction begin. */
static __always_inline void begin_rx(struct nio_stream *s, const struct sock *sk, __u32 taken)
{
	if (s->flags & NIO_STREAM_RX_BASE)
		return;
	read_numbers(&s->base_rx, sk);
	s->base_rx.taken = taken;
	s->taken_seen = taken;
	nio_stream_flag(s, NIO_STREAM_RX_BASE);
}

/* A layer over TCP copied len bytes to user memory. Those of kTLS are booked as their records are
 * taken. */
static __always_inline bool on_layer_received(struct nio_stream *s, const struct sock *sk, int len,
					      bool known)
{
	enum nio_uncovered_kind path = path_of(sk, NIO_SIDE_RECEIVER, known);

	if (path == NIO_COVERED)
		return false;
	s->uncovered = path + 1;
	if (path != NIO_UNCOVERED_KTLS)
		book_side(s, NIO_SIDE_RECEIVER, path, len);
	return true;
}

/* len bytes of payload, from `taken` on, are copied to user memory. The socket's lock is held. */
static __always_inline void on_received(struct nio_stream *s, const struct sock *sk, __u32 taken,
					int len, bool known)
{
	touch(s, sk);
	if (on_layer_received(s, sk, len, known))
		return;
	begin_rx(s, sk, taken);
	judge_taken(s, taken);
	s->taken_seen += len;
	add_amount(&s->stages[NIO_STAGE_RX_COPY], len);
	__sync_fetch_and_add(&s->rx_sizes[nio_size_bucket(len)], 1);
}

/*
 * The first copy of a socket that is wanted and not known. Its pointer is one of those from which
 * the kernel gives no cookie (skb->sk), so the copy is kept until tcp_rcv_space_adjust, which
 * follows it in the same call, under the same lock.
 */
struct nio_first {
	__u32 taken;
	__u32 len;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, struct nio_first);
} nio_firsts SEC(".maps");

__u64 nio_firsts_nr; /* kept: whoever has none to look for is told by one load */

static __always_inline void keep_first(const struct sock *sk, int len)
{
	struct nio_first first = {kernel_read(struct tcp_sock, sk, copied_seq), len};
	__u64 key = (__u64)sk;
	long err = bpf_map_update_elem(&nio_firsts, &key, &first, BPF_NOEXIST);

	if (!err)
		add_to(&nio_firsts_nr, 1);
	/* Left by a receive whose end was not seen. */
	else if (err == -EEXIST)
		bpf_map_update_elem(&nio_firsts, &key, &first, BPF_EXIST);
	else
		add_to(&nio_attach_losses.firsts_full, 1);
}

/* A socket that is wanted: taken in by the key it has; else its first copy, of len, is kept. */
static __always_inline struct nio_stream *adopt_or_keep(const struct sock *sk, __u32 len)
{
	__u64 key = key_of(sk);

	if (key)
		return adopt(sk, key);
	keep_first(sk, len);
	return NULL;
}

/* The first copy of this socket, if it was one that is kept. */
static __always_inline bool take_first(const struct sock *sk, struct nio_first *kept)
{
	struct nio_first *first;
	__u64 key = (__u64)sk;

	if (!nio_firsts_nr)
		return false;
	first = bpf_map_lookup_elem(&nio_firsts, &key);
	if (!first)
		return false;
	*kept = *first;
	bpf_map_delete_elem(&nio_firsts, &key);
	add_to(&nio_firsts_nr, -1);
	return true;
}

/*
 * Where a socket began that is first seen as bytes were taken of it: what was taken since the last
 * look of the kernel's own (rcvq_space, which starts with the socket) is that, if nothing was taken
 * before.
 */
static __always_inline __u32 first_taken(const struct sock *sk, __u32 taken)
{
	__u32 begin = kernel_read(struct tcp_sock, sk, rcvq_space.seq);
	__u32 unread = kernel_read(struct tcp_sock, sk, rcv_nxt) -
		       kernel_read(struct tcp_sock, sk, copied_seq);
	__u64 ever = kernel_read(struct tcp_sock, sk, bytes_received) - unread;

	return ever == taken - begin ? begin : taken;
}

/*
 * Where what is booked of a socket's receives begins, if this is the first. One that found no room
 * before begins here: the copy of these bytes came before its room did, and so was not booked.
 */
static __always_inline __u32 first_booked(const struct nio_stream *s, const struct sock *sk,
					  __u32 taken)
{
	__u64 key = s->cookie;

	if (!s->first_ns || bpf_map_lookup_elem(&nio_left_out, &key))
		return taken;
	return first_taken(sk, taken);
}

/*
 * kTLS takes whole records, and decrypts them into the application's memory where no hook sees it:
 * by the numbers, heads and tags with them.
 */
static __always_inline bool on_records(struct nio_stream *s, const struct sock *sk, __u32 taken)
{
	if (path_of(sk, NIO_SIDE_RECEIVER, KNOWN) != NIO_UNCOVERED_KTLS)
		return false;
	s->uncovered = NIO_UNCOVERED_KTLS + 1;
	book_side(s, NIO_SIDE_RECEIVER, NIO_UNCOVERED_KTLS, taken - s->taken_seen);
	s->taken_seen = taken;
	return true;
}

/*
 * The application has taken bytes of a socket, by a copy or otherwise (splice, MSG_TRUNC,
 * TCP_ZEROCOPY_RECEIVE). Its lock is held.
 */
static __always_inline void on_taken(const struct sock *sk)
{
	struct nio_first first = {0};
	/* Of a socket that finds no room, too: the next one may have its address. */
	bool kept = take_first(sk, &first);
	struct nio_stream *s = stream_in_use(sk);
	__u32 taken = taken_of(sk);

	if (!s || all_is_over())
		return;
	if (s->caller == tid_now())
		end_unpushed(s, sk);
	if (kept)
		on_received(s, sk, first.taken, first.len, KNOWN);
	/* Of a connection that has ended: see on_close(). */
	if ((s->flags & NIO_STREAM_NOW) &&
	    kernel_read(struct sock_common, sk, skc_state) == TCP_CLOSE)
		s->now.taken = taken;
	/* What was copied was taken, as it mostly is: the copy has said all there is. */
	if ((s->flags & NIO_STREAM_RX_BASE) && taken == s->taken_seen)
		return;
	if (s->uncovered && s->uncovered != NIO_UNCOVERED_KTLS + 1)
		return;
	touch(s, sk);
	if (!(s->flags & NIO_STREAM_RX_BASE))
		begin_rx(s, sk, first_booked(s, sk, taken));
	if (!on_records(s, sk, taken))
		judge_taken(s, taken);
}

/* Zero-copy sends up to hi are reported complete. Reports of one range may come twice. */
static __always_inline void on_told(struct nio_stream *s, __u32 hi, bool copied)
{
	__s32 sends = nio_seq_delta(s->zc_next, hi + 1);

	if (!(s->flags & NIO_STREAM_IDS) || sends <= 0)
		return;
	s->zc_next = hi + 1;
	add_to(&s->completed, sends);
	if (copied)
		add_to(&s->copied, sends);
}

/* A notification of the error queue, with its range and code in its cb. */
static __always_inline void on_notice(struct nio_stream *s, const struct sk_buff *skb)
{
	const void *serr = (const char *)skb + bpf_core_field_offset(struct sk_buff, cb);

	if (nio_completions)
		return;
	if (kernel_read(struct sock_exterr_skb, serr, ee.ee_origin) != SO_EE_ORIGIN_ZEROCOPY ||
	    kernel_read(struct sock_exterr_skb, serr, ee.ee_errno))
		return;
	on_told(s, kernel_read(struct sock_exterr_skb, serr, ee.ee_data),
		kernel_read(struct sock_exterr_skb, serr, ee.ee_code) & SO_EE_CODE_ZEROCOPY_COPIED);
}

/* The kernel ends a range of zero-copy sends: the last reference to their pages is gone. */
static __always_inline void on_ended(const char *uarg, bool copied)
{
	struct nio_stream *s = stream_by_cookie(cookie_of_uarg(uarg));
	struct zc_notification n;

	if (!s || ends_are_over() || !(s->flags & NIO_STREAM_IDS) || read_uarg(uarg, &n) ||
	    nio_seq_delta(s->zckey_base, n.lo) < 0)
		return;
	add_to(&s->completed, n.sends);
	if (n.copied || copied)
		add_to(&s->copied, n.sends);
}

/* skb_copy_ubufs copies all frags of a packet whose pages are a sender's. */
static __always_inline void on_copied_after_all(const struct sk_buff *skb, bool known)
{
	__u32 bytes = NIO_FIELD(known, struct sk_buff, skb, data_len);
	struct nio_stream *s = bytes ? stream_by_cookie(cookie_of_uarg(uarg_of(skb, known))) : NULL;

	if (s && !ends_are_over())
		add_amount(&s->stages[NIO_STAGE_DEFERRED_COPY], bytes);
}

/*
 * The kernel tells a socket of an error, or that zero-copy sends are complete: what it tells is the
 * last of the error queue, read or not by the application.
 */
static __always_inline void on_report(const struct sock *sk)
{
	struct nio_stream *s = stream_of(sk, KNOWN);
	const struct sk_buff *last;

	if (!s || ends_are_over())
		return;
	last = (const void *)BPF_CORE_READ(sk, sk_error_queue.prev);
	if (last && (const void *)last !=
			    (const char *)sk + bpf_core_field_offset(struct sock, sk_error_queue))
		on_notice(s, last);
}

/* Zero-copy pages of a watched socket arrive here, and will be copied for the local receiver. */
static __always_inline void on_arrival(const struct sk_buff *skb)
{
	struct nio_stream *s;

	if ((nio_told && !nio_any_pinned) || !skb->data_len)
		return;
	s = stream_by_cookie(cookie_of_uarg(uarg_of(skb, KNOWN)));
	if (s && !ends_are_over() && !arrives_once_more(skb))
		add_amount(&s->stages[NIO_STAGE_DEFERRED_COPY], skb->data_len);
}

#endif
