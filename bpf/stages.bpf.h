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

/* The notification an error-queue record carries. */
struct zc_notification {
	__u32 lo, hi; /* ids of the sends, inclusive; they wrap */
	bool copied;
};

/* Reads it: 0, or -1 when the record is not of zero-copy. */
static __always_inline int read_completion(const struct sk_buff *skb, struct zc_notification *n)
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

static __always_inline struct nio_zc *zc_of(const struct nio_conn *conn)
{
	__u32 slot = conn->slot;

	return bpf_map_lookup_elem(&nio_zc, &slot);
}

/*
 * Was the record merged into the one at the tail of the queue, rather than having stood in the
 * queue itself? A record that stood there begins where the last one taken ended. When completions
 * overtook each other it does not; then it was merged if the record at the tail covers its ids. One
 * that ends before the ids taken so far was merged into a record taken since.
 */
static __always_inline bool was_merged(const struct nio_conn *conn,
				       const struct zc_notification *own, int tail_err,
				       const struct zc_notification *tail)
{
	if (own->lo == conn->zc_next)
		return false;
	if (!tail_err && own->lo - tail->lo <= tail->hi - tail->lo)
		return true;
	return (__s32)(own->lo - conn->zc_next) < 0;
}

/* A merged completion has its own code, which the record it went into does not show. */
static __always_inline void correct_code(struct nio_zc *zc, const struct zc_notification *own,
					 const struct zc_notification *tail)
{
	if (own->copied && !tail->copied)
		zc->copied_more += own->hi - own->lo + 1;
	if (!own->copied && tail->copied)
		zc->copied_less += own->hi - own->lo + 1;
}

static __always_inline void book_notification(const struct sock *sk, struct nio_conn *conn,
					      struct nio_zc *zc, const struct zc_notification *own)
{
	struct zc_notification tail = {};
	int tail_err = read_completion(sk->sk_error_queue.prev, &tail);

	zc->notifications++;
	if (was_merged(conn, own, tail_err, &tail)) {
		if (!tail_err)
			correct_code(zc, own, &tail);
		return;
	}
	if (own->lo == conn->zc_next)
		conn->zc_next = own->hi + 1;
	zc->sends += own->hi - own->lo + 1;
	if (own->copied)
		zc->copied += own->hi - own->lo + 1;
}

/*
 * An skb is freed. A notification is freed when the application has taken it from the error queue,
 * or at once when it was merged into the record at the tail: empty either way, charged to the
 * sender, its id range and code in cb. Every send is in the range of exactly one record taken.
 */
static __always_inline void on_notification_freed(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	struct zc_notification own;
	struct nio_conn *conn;
	struct nio_zc *zc;

	if (skb->len || !sk)
		return;
	conn = conn_of(sk);
	if (!conn || read_completion(skb, &own))
		return;
	zc = zc_of(conn);
	if (zc)
		book_notification(sk, conn, zc, &own);
}

#endif
