/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What each event means for the ledger: inline cores that take plain kernel pointers and know
 * nothing of how they were called. The SEC() wrappers of each backend are elsewhere.
 */
#ifndef NETIOTRACE_STAGES_BPF_H
#define NETIOTRACE_STAGES_BPF_H

/* Preprocessor constants of the kernel, which BTF does not carry. */
#define NETIF_F_SG                 (1ULL << 0)
#define SKBFL_ZEROCOPY_ENABLE      (1U << 0)
#define SO_EE_ORIGIN_ZEROCOPY      5
#define SO_EE_CODE_ZEROCOPY_COPIED 1

/*
 * A send call returned ret. The kernel chooses the copy mode once per call (tcp_sendmsg_locked), so
 * the whole of ret was either pinned or copied: pinned if the call took a zero-copy id (sk_zckey
 * moved) and the route does scatter-gather; else copied. One thread sends on a socket at a time.
 */
static __always_inline void on_send_return(struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk);
	__u32 zckey, pinned;

	if (!conn || ret <= 0)
		return;
	zckey = sk->sk_zckey.counter;
	pinned = zckey != conn->zckey && (sk->sk_route_caps & NETIF_F_SG);
	conn->zckey = zckey;
	book(conn, pinned ? NIO_STAGE_TX_PIN : NIO_STAGE_TX_COPY, ret);
}

/*
 * A FIN takes a sequence number and is no payload. It is queued as soon as the state has left those
 * in which data can still be written.
 */
static __always_inline __u32 fin_queued(const struct sock *sk)
{
	__u8 state = sk->__sk_common.skc_state;

	return state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT && state != TCP_SYN_SENT &&
	       state != TCP_SYN_RECV;
}

/*
 * TCP hands a packet of sk to the device: books what was copied into the socket since its previous
 * packet, by write_seq, the kernel's own count of queued bytes. Runs under the socket's lock
 * (__tcp_transmit_skb), before snd_nxt moves past the packet, and once everything is acknowledged
 * nothing is left unbooked: every byte leaves in some packet. Only for sockets without SO_ZEROCOPY,
 * whose bytes can only have been copied.
 */
static __always_inline void on_transmit(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;
	struct nio_conn *conn;
	__u32 write_seq, base, bytes;

	if (!sk)
		return;
	conn = conn_of(sk);
	if (!conn)
		return;
	write_seq = BPF_CORE_READ(tp, write_seq) - fin_queued(sk);
	base = conn->seen & NIO_SEEN_WRITE_SEQ ? conn->write_seq : BPF_CORE_READ(tp, snd_nxt);
	conn->write_seq = write_seq;
	conn->seen |= NIO_SEEN_WRITE_SEQ;
	bytes = write_seq - base;
	if (bytes)
		book(conn, NIO_STAGE_TX_COPY, bytes);
}

/* skb_copy_datagram_iter is about to copy len bytes of skb to user memory. */
static __always_inline void on_rx_copy(const struct sk_buff *skb, int len)
{
	const struct sock *sk = skb->sk;
	struct nio_conn *conn;

	if (!sk || len <= 0)
		return;
	conn = conn_of(sk);
	if (conn)
		book(conn, NIO_STAGE_RX_COPY, len);
}

/*
 * The entry of the socket that sent a zero-copy skb, found through its ubuf_info, which a
 * MSG_ZEROCOPY send keeps in the cb of an sk_buff charged to the sending socket (skb_from_uarg).
 * The skb's own sk is useless here: on loopback and veth it is orphaned before it arrives.
 */
static __always_inline struct nio_conn *conn_of_uarg(const struct skb_shared_info *shinfo)
{
	const char *uarg = BPF_CORE_READ(shinfo, destructor_arg);
	const struct sk_buff *owner;

	if (!uarg)
		return NULL;
	owner = (const void *)(uarg - bpf_core_field_offset(struct sk_buff, cb));
	return conn_by_cookie(BPF_CORE_READ(owner, sk, __sk_common.skc_cookie.counter));
}

/*
 * An skb arrives from a device. With zero-copy pages on board it will be copied before a local
 * socket gets it (skb_orphan_frags_rx -> skb_copy_ubufs, all of data_len): booked to the sender.
 */
static __always_inline void on_zerocopy_arrival(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo;
	struct nio_conn *conn;

	if (!skb->data_len)
		return;
	shinfo = (const void *)(skb->head + skb->end);
	if (!(BPF_CORE_READ(shinfo, flags) & SKBFL_ZEROCOPY_ENABLE))
		return;
	conn = conn_of_uarg(shinfo);
	if (conn)
		book(conn, NIO_STAGE_DEFERRED_COPY, skb->data_len);
}

/* struct sock_extended_err, which is UAPI: the same bytes on every kernel. */
struct zc_notification {
	__u32 ee_errno;
	__u8 ee_origin;
	__u8 ee_type;
	__u8 ee_code;
	__u8 ee_pad;
	__u32 ee_info; /* first id */
	__u32 ee_data; /* last id */
};

/* Reads the notification an error-queue record carries: 0, or -1 when it is not of zero-copy. */
static __always_inline int read_completion(const struct sk_buff *skb, struct zc_notification *ee)
{
	const struct sock_exterr_skb *serr =
		(const void *)((const char *)skb + bpf_core_field_offset(struct sk_buff, cb));
	const void *src = (const char *)serr + bpf_core_field_offset(struct sock_exterr_skb, ee);

	if (bpf_probe_read_kernel(ee, sizeof(*ee), src)) {
		health_bad_read();
		return -1;
	}
	return ee->ee_origin == SO_EE_ORIGIN_ZEROCOPY && !ee->ee_errno ? 0 : -1;
}

static __always_inline struct nio_zc *zc_of(const struct nio_conn *conn)
{
	__u32 slot = conn->slot;

	return bpf_map_lookup_elem(&nio_zc, &slot);
}

/*
 * A completion was put at the tail of the error queue, or merged into the record there. Not counted
 * here but by notification: the application may have taken the record already.
 */
static __always_inline void on_completion_report(const struct sock *sk)
{
	const struct sk_buff *tail;
	struct zc_notification ee;
	struct nio_conn *conn = conn_of(sk);
	struct nio_zc *zc;

	if (!conn)
		return;
	zc = zc_of(conn);
	if (zc)
		zc->notifications++;
	tail = sk->sk_error_queue.prev;
	if (!read_completion(tail, &ee))
		conn->err_tail = (__u64)tail;
}

/* Is the record one that stood in the queue, rather than one merged into another? Ids are u32. */
static __always_inline bool was_queued(const struct nio_conn *conn, const struct sk_buff *skb,
				       const struct zc_notification *ee)
{
	return ee->ee_info == conn->zc_next || (__u64)skb == conn->err_tail;
}

/* A record merged away carries its own code; the one it went into is at the tail, if not yet taken.
 */
static __always_inline void correct_merged(const struct sock *sk, const struct zc_notification *own,
					   struct nio_zc *zc)
{
	const struct sk_buff *tail = sk->sk_error_queue.prev;
	struct zc_notification ee;
	bool copied = own->ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
	bool says_copied;

	if (read_completion(tail, &ee) || own->ee_info - ee.ee_info > ee.ee_data - ee.ee_info)
		return;
	says_copied = ee.ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
	if (copied && !says_copied)
		zc->copied_more += own->ee_data - own->ee_info + 1;
	if (!copied && says_copied)
		zc->copied_less += own->ee_data - own->ee_info + 1;
}

/*
 * An skb is freed. A notification is freed when the application has taken it from the error queue,
 * or at once when it was merged into the record at the tail: empty either way, charged to the
 * sender, its id range and code in cb. Every send is in the range of one record taken, in id order
 * but for completions that overtake each other, which are known by having been seen at the tail.
 */
static __always_inline void on_notification_freed(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	struct zc_notification ee;
	struct nio_conn *conn;
	struct nio_zc *zc;
	__u32 sends;

	if (skb->len || !sk)
		return;
	conn = conn_of(sk);
	if (!conn || read_completion(skb, &ee))
		return;
	zc = zc_of(conn);
	if (!zc)
		return;
	if (!was_queued(conn, skb, &ee)) {
		correct_merged(sk, &ee, zc);
		return;
	}
	sends = ee.ee_data - ee.ee_info + 1;
	if (ee.ee_info == conn->zc_next)
		conn->zc_next = ee.ee_data + 1;
	zc->sends += sends;
	if (ee.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		zc->copied += sends;
}

#endif
