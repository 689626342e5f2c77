/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What each event means for the ledger: inline cores that take plain kernel pointers and know
 * nothing of how they were called. The SEC() wrappers of each backend are elsewhere.
 */
#ifndef NETIOTRACE_STAGES_BPF_H
#define NETIOTRACE_STAGES_BPF_H

/*
 * Reads ptr->field of an address that the verifier does not know as a pointer: as a plain load
 * where the kernel lets an address be declared a type (6.2), else through a helper, which costs
 * five times as much.
 */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;
#define kernel_read(type, ptr, field)                                                         \
	(bpf_rdonly_cast                                                                      \
		 ? ((const type *)bpf_rdonly_cast(ptr, bpf_core_type_id_kernel(type)))->field \
		 : BPF_CORE_READ((const type *)(ptr), field))

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

/* The notification an error-queue record carries. */
struct zc_notification {
	__u32 lo, hi; /* ids of the sends, inclusive; they wrap */
	bool copied;
};

/* Reads it: 0, or -1 when the record is not of zero-copy. */
static __always_inline int read_notification(const struct sk_buff *skb, struct zc_notification *n)
{
	const void *serr = (const char *)skb + bpf_core_field_offset(struct sk_buff, cb);

	if (kernel_read(struct sock_exterr_skb, serr, ee.ee_origin) != SO_EE_ORIGIN_ZEROCOPY ||
	    kernel_read(struct sock_exterr_skb, serr, ee.ee_errno))
		return -1;
	n->lo = kernel_read(struct sock_exterr_skb, serr, ee.ee_info);
	n->hi = kernel_read(struct sock_exterr_skb, serr, ee.ee_data);
	n->copied =
		kernel_read(struct sock_exterr_skb, serr, ee.ee_code) & SO_EE_CODE_ZEROCOPY_COPIED;
	return 0;
}

/* The application takes a notification from the error queue: sends lo to hi are complete. */
static __always_inline void on_notification_read(const struct nio_conn *conn,
						 const struct sk_buff *skb)
{
	struct zc_notification n;
	struct nio_zc *zc;
	__u32 slot = conn->slot;

	if (read_notification(skb, &n))
		return;
	zc = bpf_map_lookup_elem(&nio_zc, &slot);
	if (!zc)
		return;
	zc->notifications++;
	zc->sends += n.hi - n.lo + 1;
	if (n.copied)
		zc->copied += n.hi - n.lo + 1;
}

/*
 * skb_copy_datagram_iter is about to copy len bytes of skb to user memory: payload, or nothing at
 * all of a notification, which is empty and goes through here on its way to the application
 * (ip_recv_error, ipv6_recv_error).
 */
static __always_inline void on_rx_copy(const struct sk_buff *skb, int len)
{
	const struct sock *sk = skb->sk;
	struct nio_conn *conn;

	if (!sk || len < 0)
		return;
	conn = conn_of(sk);
	if (!conn)
		return;
	if (len)
		book(conn, NIO_STAGE_RX_COPY, len);
	else
		on_notification_read(conn, skb);
}

/*
 * The entry of the socket that sent a zero-copy skb, found through its ubuf_info, which a
 * MSG_ZEROCOPY send keeps in the cb of an sk_buff charged to the sending socket (skb_from_uarg).
 * The skb's own sk is useless here: on loopback and veth it is orphaned before it arrives.
 */
static __always_inline struct nio_conn *conn_of_uarg(const void *shinfo)
{
	const char *uarg = kernel_read(struct skb_shared_info, shinfo, destructor_arg);
	const struct sock *sk;

	if (!uarg)
		return NULL;
	sk = kernel_read(struct sk_buff, uarg - bpf_core_field_offset(struct sk_buff, cb), sk);
	return conn_by_cookie(kernel_read(struct sock, sk, __sk_common.skc_cookie.counter));
}

/*
 * An skb arrives from a device. With zero-copy pages on board it will be copied before a local
 * socket gets it (skb_orphan_frags_rx -> skb_copy_ubufs, all of data_len): booked to the sender.
 */
static __always_inline void on_zerocopy_arrival(const struct sk_buff *skb)
{
	const void *shinfo;
	struct nio_conn *conn;

	if (!skb->data_len)
		return;
	shinfo = skb->head + skb->end;
	if (!(kernel_read(struct skb_shared_info, shinfo, flags) & SKBFL_ZEROCOPY_ENABLE))
		return;
	conn = conn_of_uarg(shinfo);
	if (conn)
		book(conn, NIO_STAGE_DEFERRED_COPY, skb->data_len);
}

#endif
