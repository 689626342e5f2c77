/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What each event means for the bytes of the ledger: inline cores that take plain kernel pointers
 * and know nothing of how they were called. The SEC() wrappers of each backend are elsewhere.
 */
#ifndef NETIOTRACE_STAGES_BPF_H
#define NETIOTRACE_STAGES_BPF_H

/* Does this kernel have MSG_SPLICE_PAGES? It does where skb_splice_from_iter exists. */
const volatile bool nio_splice_pages = false;

/*
 * The kernel chooses the copy mode once per call (tcp_sendmsg_locked), so the whole of it was
 * either pinned or not: pinned if the call took a zero-copy id (sk_zckey moved) and the route does
 * scatter-gather. One thread sends on a socket at a time.
 */
static __always_inline bool call_pinned(struct sock *sk, struct nio_conn *conn, bool known)
{
	__u32 zckey = NIO_FIELD(known, struct sock, sk, sk_zckey.counter);
	bool moved = zckey != conn->zckey;

	conn->zckey = zckey;
	return moved && (NIO_FIELD(known, struct sock, sk, sk_route_caps) & NETIF_F_SG);
}

/* A send call queued ret bytes: books them. spliced: it took page references. */
static __always_inline void on_sent(struct sock *sk, struct nio_conn *conn, __u32 ret, bool spliced,
				    bool known)
{
	__u32 pinned;

	if (call_pinned(sk, conn, known)) {
		pinned = conn->seen & NIO_SEEN_PIN ? conn->pinned : ret;
		conn->pinned = 0;
		book(conn, NIO_STAGE_TX_PIN, pinned);
		on_pinned_send(conn, conn->zckey - 1, pinned);
		if (pinned != ret)
			book(conn, NIO_STAGE_TX_COPY, ret - pinned);
		return;
	}
	book(conn, spliced ? NIO_STAGE_TX_SPLICE : NIO_STAGE_TX_COPY, ret);
}

/* A send call returned ret. */
static __always_inline void on_send_return(struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk, KNOWN);

	if (conn && ret > 0)
		on_sent(sk, conn, ret, false, KNOWN);
}

/* tcp_sendmsg_locked returned ret: like on_send_return, with the message to look at. */
static __always_inline void on_send_locked_return(struct sock *sk, const struct msghdr *msg,
						  int ret)
{
	struct nio_conn *conn = conn_of(sk, KNOWN);
	bool spliced;

	if (!conn || ret <= 0)
		return;
	spliced = nio_splice_pages && (msg->msg_flags & MSG_SPLICE_PAGES) &&
		  (sk->sk_route_caps & NETIF_F_SG);
	on_sent(sk, conn, ret, spliced, KNOWN);
}

/* do_tcp_sendpages took ret bytes by reference: what sendfile and splice did until Linux 6.4. */
static __always_inline void on_sendpages_return(const struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk, KNOWN);

	if (conn && ret > 0)
		book(conn, NIO_STAGE_TX_SPLICE, ret);
}

/*
 * skb_zerocopy_iter_stream pinned ret bytes for a send call: kept until the call ends. -EMSGSIZE
 * and -EEXIST only make the caller try again with a new skb.
 */
static __always_inline void on_pin(const struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk, KNOWN);

	if (!conn)
		return;
	conn->seen |= NIO_SEEN_PIN;
	if (ret > 0)
		conn->pinned += ret;
}

/*
 * A FIN takes a sequence number and is no payload. It is queued as soon as the state has left those
 * in which data can still be written.
 */
static __always_inline __u32 fin_queued(const struct sock *sk, bool known)
{
	__u8 state = NIO_FIELD(known, struct sock, sk, __sk_common.skc_state);

	return state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT && state != TCP_SYN_SENT &&
	       state != TCP_SYN_RECV;
}

/*
 * Bytes queued on sk since this was last asked, by write_seq, the kernel's own count of them. base:
 * where to begin the first time.
 */
static __always_inline __u32 queued_since(const struct sock *sk, struct nio_conn *conn, __u32 base,
					  bool known)
{
	__u32 write_seq =
		BPF_CORE_READ((const struct tcp_sock *)sk, write_seq) - fin_queued(sk, known);

	if (conn->seen & NIO_SEEN_WRITE_SEQ)
		base = conn->write_seq;
	conn->write_seq = write_seq;
	conn->seen |= NIO_SEEN_WRITE_SEQ;
	return write_seq - base;
}

/*
 * TCP hands a packet of sk to the device: books what was copied into the socket since its previous
 * packet. Runs under the socket's lock (__tcp_transmit_skb), before snd_nxt moves past the packet,
 * and once everything is acknowledged nothing is left unbooked: every byte leaves in some packet.
 * Only for sockets without SO_ZEROCOPY, whose bytes can only have been copied.
 */
static __always_inline void on_transmit(const struct sock *sk, bool known)
{
	struct nio_conn *conn;
	__u32 bytes;

	if (!sk)
		return;
	conn = conn_of(sk, known);
	if (!conn)
		return;
	bytes = queued_since(sk, conn, BPF_CORE_READ((const struct tcp_sock *)sk, snd_nxt), known);
	if (bytes)
		book(conn, NIO_STAGE_TX_COPY, bytes);
}

/*
 * tcp_sendmsg_locked begins: notes whether it takes page references, and at the first call where
 * the socket's bytes begin.
 */
static __always_inline void on_send_begin(const struct sock *sk, const struct msghdr *msg)
{
	struct nio_conn *conn = conn_of(sk, ADDRESS);

	if (!conn)
		return;
	conn->seen &= ~NIO_SEEN_SPLICE;
	if (nio_splice_pages &&
	    (NIO_FIELD(ADDRESS, struct msghdr, msg, msg_flags) & MSG_SPLICE_PAGES) &&
	    (NIO_FIELD(ADDRESS, struct sock, sk, sk_route_caps) & NETIF_F_SG))
		conn->seen |= NIO_SEEN_SPLICE;
	if (!(conn->seen & NIO_SEEN_WRITE_SEQ))
		queued_since(sk, conn, 0, ADDRESS);
}

/* do_tcp_sendpages begins: the same, for what is spliced in any case. */
static __always_inline void on_sendpages_begin(const struct sock *sk)
{
	struct nio_conn *conn = conn_of(sk, ADDRESS);

	if (!conn)
		return;
	conn->seen |= NIO_SEEN_SPLICE;
	if (!(conn->seen & NIO_SEEN_WRITE_SEQ))
		queued_since(sk, conn, 0, ADDRESS);
}

/*
 * tcp_push at the end of a send call that queued something; it is also called before waiting for
 * memory, but with TCP_NAGLE_PUSH. Books what was queued since the last, by write_seq. For
 * kretprobes cannot do it: of a function that sleeps, only so many calls at once have their return
 * seen (maxactive), and the rest are lost.
 */
static __always_inline void on_push(struct sock *sk, int nonagle)
{
	struct nio_conn *conn;
	__u32 bytes;

	if (nonagle & TCP_NAGLE_PUSH)
		return;
	conn = conn_of(sk, ADDRESS);
	if (!conn || !(conn->seen & NIO_SEEN_WRITE_SEQ))
		return;
	bytes = queued_since(sk, conn, 0, ADDRESS);
	if (bytes)
		on_sent(sk, conn, bytes, conn->seen & NIO_SEEN_SPLICE, ADDRESS);
}

/* The application takes a notification from the error queue: sends lo to hi are complete. */
static __always_inline void on_notification_read(const struct nio_conn *conn,
						 const struct sk_buff *skb)
{
	const void *serr = (const char *)skb + bpf_core_field_offset(struct sk_buff, cb);
	struct zc_notification n;

	if (kernel_read(struct sock_exterr_skb, serr, ee.ee_origin) != SO_EE_ORIGIN_ZEROCOPY ||
	    kernel_read(struct sock_exterr_skb, serr, ee.ee_errno))
		return;
	n.lo = kernel_read(struct sock_exterr_skb, serr, ee.ee_info);
	n.sends = kernel_read(struct sock_exterr_skb, serr, ee.ee_data) - n.lo + 1;
	n.copied =
		kernel_read(struct sock_exterr_skb, serr, ee.ee_code) & SO_EE_CODE_ZEROCOPY_COPIED;
	book_notification(conn, &n);
}

/*
 * skb_copy_datagram_iter copies len bytes of skb to user memory: payload, or nothing at all of a
 * notification, which is empty and goes through here on its way to the application (ip_recv_error,
 * ipv6_recv_error). notifications: count those, too.
 */
static __always_inline void on_rx_copy(const struct sk_buff *skb, int len, bool notifications,
				       bool known)
{
	const struct sock *sk = NIO_FIELD(known, struct sk_buff, skb, sk);
	struct nio_conn *conn;

	if (!sk || len < 0)
		return;
	conn = conn_of(sk, known);
	if (!conn)
		return;
	if (len)
		book(conn, NIO_STAGE_RX_COPY, len);
	else if (notifications)
		on_notification_read(conn, skb);
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
	shinfo = shinfo_of(skb, KNOWN);
	if (!is_zerocopy(shinfo))
		return;
	conn = conn_by_cookie(
		cookie_of_uarg(kernel_read(struct skb_shared_info, shinfo, destructor_arg)));
	if (conn)
		book_shared(conn, NIO_STAGE_DEFERRED_COPY, skb->data_len, 0);
}

#endif
