/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What each event means for a watched socket of attach: inline cores that know nothing of how they
 * were called. Every socket has both directions.
 */
#ifndef NETIOTRACE_ATTACH_STAGES_BPF_H
#define NETIOTRACE_ATTACH_STAGES_BPF_H

#include "attach_streams.bpf.h"
#include "message.bpf.h"

static __always_inline void touch(struct nio_stream *s, const struct sock *sk)
{
	s->last_ns = bpf_ktime_get_ns();
	if (!(s->flags & NIO_STREAM_PLACED))
		place_stream(s, sk);
	if (s->tgid != tgid_now())
		nio_stream_flag(s, NIO_STREAM_SHARED);
}

/* What the message of a send call says, and whether it is of several pieces. */
static __always_inline __u32 call_of(const struct msghdr *msg, bool known)
{
	__u32 call = call_of_message(msg, known);

	if (BPF_CORE_READ(msg, msg_iter.nr_segs) > 1)
		call |= NIO_CALL_VECTOR;
	return call;
}

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

/* A call's message is seen, in its first turn; what it says holds until the call is booked. */
static __always_inline void on_message(struct nio_stream *s, const struct sock *sk,
				       const struct msghdr *msg, bool known)
{
	if (s->call & NIO_SEEN_CALL)
		return;
	s->call = call_of(msg, known);
	begin_ids(s, sk, s->call & NIO_SEEN_ZEROCOPY);
	if (s->call & NIO_SEEN_ZEROCOPY)
		nio_any_pinned = true;
}

/* io_uring's SEND_ZC says MSG_ZEROCOPY, too. */
static __always_inline __u32 kind_of(__u32 call, enum nio_send_kind how)
{
	if (call & NIO_SEEN_FOREIGN)
		return NIO_CALL_IO_URING;
	if (how == NIO_SEND_PINNED || (call & NIO_SEEN_ZEROCOPY))
		return NIO_CALL_ZEROCOPY;
	if (!(call & NIO_SEEN_CALL))
		return NIO_CALL_UNTOLD;
	if (call & NIO_SEEN_SPLICE)
		return NIO_CALL_SPLICE;
	return call & NIO_CALL_VECTOR ? NIO_CALL_VECTORED : NIO_CALL_PLAIN;
}

static __always_inline void book_side(struct nio_stream *s, __u32 side, __u32 kind, __u64 bytes)
{
	if (kind < NIO_UNCOVERED_NR && side < NIO_SIDE_NR)
		add_to(&s->uncovered_bytes[side][kind], bytes);
}

/* Where the numbers of the sending direction begin: before the call that queued ret. */
static __always_inline void begin_tx(struct nio_stream *s, const struct sock *sk, __u32 ret)
{
	if (s->flags & NIO_STREAM_TX_BASE)
		return;
	read_numbers(&s->base_tx, sk);
	s->base_tx.sent -= ret;
	nio_stream_flag(s, NIO_STREAM_TX_BASE);
}

/*
 * A send call begins, the lock is held: its numbers begin here, if it is the first. call: what its
 * message says.
 */
static __always_inline void on_send_begin(struct nio_stream *s, const struct sock *sk, __u32 call)
{
	s->call = call;
	if (call & NIO_SEEN_ZEROCOPY)
		nio_any_pinned = true;
	if (s->flags & NIO_STREAM_TX_BASE)
		return;
	/* It connects (MSG_FASTOPEN): the numbers are chosen within, and begin at its end. */
	if (kernel_read(struct sock_common, sk, skc_state) == TCP_CLOSE)
		return;
	begin_ids(s, sk, false);
	begin_tx(s, sk, 0);
	s->sent_seen = s->base_tx.sent;
}

static __always_inline enum nio_send_kind how_sent(struct nio_stream *s, const struct sock *sk,
						   __u32 call)
{
	__u32 zckey = kernel_read(struct sock, sk, sk_zckey.counter), before = s->zckey;

	s->zckey = zckey;
	return nio_send_kind((struct nio_send_facts){
		.told = call & NIO_SEEN_CALL,
		.foreign = call & NIO_SEEN_FOREIGN,
		.by_uring = !(call & NIO_SEEN_CALL) && uses_io_uring(),
		.zerocopy = call & NIO_SEEN_ZEROCOPY,
		.splice = call & NIO_SEEN_SPLICE,
		.sg = kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG,
		.took_id = zckey != before,
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

/* A layer over TCP took ret bytes, or failed. */
static __always_inline void on_layer_send(struct nio_stream *s, const struct sock *sk, int ret)
{
	if (ret <= 0)
		return;
	touch(s, sk);
	is_uncovered(s, sk, NIO_SIDE_SENDER, ret, KNOWN);
}

/* A send call queued ret bytes, or failed. */
static __always_inline void on_send_end(struct nio_stream *s, const struct sock *sk, int ret,
					bool known)
{
	__u32 call = s->call, sizes;
	enum nio_send_kind how;

	s->call = 0;
	if (ret <= 0)
		return;
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, ret, known))
		return;
	begin_tx(s, sk, ret);
	begin_ids(s, sk, !(call & NIO_SEEN_CALL) || (call & NIO_SEEN_ZEROCOPY));
	how = how_sent(s, sk, call);
	book_sent(s, how, ret);
	add_amount(&s->calls[kind_of(call, how)], ret);
	sizes = nio_size_bucket(ret);
	__sync_fetch_and_add(&s->tx_sizes[sizes], 1);
	s->sent_seen = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq),
				       kernel_read(struct sock_common, sk, skc_state));
}

/*
 * tcp_push at the end of a send call that queued something (before a wait for memory it has
 * TCP_NAGLE_PUSH): for kretprobes, which miss returns of functions that sleep. Bytes by write_seq.
 */
static __always_inline void on_push(struct nio_stream *s, const struct sock *sk)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);
	__u32 end = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq), state);
	__s32 bytes = nio_seq_delta(s->sent_seen, end);

	if ((s->flags & NIO_STREAM_TX_BASE) && bytes > 0)
		on_send_end(s, sk, bytes, ADDRESS);
	else
		s->call = 0;
}

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

/* len bytes of payload, from `taken` on, are copied to user memory. The socket's lock is held. */
static __always_inline void on_received(struct nio_stream *s, const struct sock *sk, __u32 taken,
					int len, bool known)
{
	__u32 sizes = nio_size_bucket(len);

	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_RECEIVER, len, known))
		return;
	begin_rx(s, sk, taken);
	judge_taken(s, taken);
	s->taken_seen += len;
	add_amount(&s->stages[NIO_STAGE_RX_COPY], len);
	__sync_fetch_and_add(&s->rx_sizes[sizes], 1);
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
		add_to(&nio_attach_losses.cookieless, 1);
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

	if (!s)
		return;
	if (kept)
		on_received(s, sk, first.taken, first.len, KNOWN);
	if (s->uncovered)
		return;
	touch(s, sk);
	begin_rx(s, sk, taken);
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

	if (!s || !(s->flags & NIO_STREAM_IDS) || read_uarg(uarg, &n) ||
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

	if (s)
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

	if (!s)
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
	if (s)
		add_amount(&s->stages[NIO_STAGE_DEFERRED_COPY], skb->data_len);
}

#endif
