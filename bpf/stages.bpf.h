/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Books the bytes of each event, whatever the hook. The backends have the SEC() wrappers. */
#ifndef BPF_STAGES_BPF_H
#define BPF_STAGES_BPF_H

#include "arrival.bpf.h"
#include "completion.bpf.h"
#include "maps.bpf.h"
#include "socket_file.bpf.h"
#include "taken.bpf.h"
#include "uring_notif.bpf.h"

/* How a call queued its bytes. call: NIO_SEEN_* of its message. One call at a time per socket. */
static __always_inline enum nio_send_kind kind_of_call(const struct sock *sk, struct nio_conn *conn,
						       __u32 call, bool known)
{
	__u32 zckey = NIO_FIELD(known, struct sock, sk, sk_zckey.counter), before = conn->zckey;
	enum nio_send_kind kind;
	struct nio_zc *zc;
	__u32 unseen = 0;

	kind = nio_send_kind((struct nio_send_facts){
		.known = call & NIO_SEEN_CALL,
		.foreign = call & NIO_SEEN_FOREIGN,
		/* Skipped if the call took an id: uses_io_uring() costs three dependent loads. */
		.by_uring = !(call & NIO_SEEN_CALL) && zckey == before && uses_io_uring(),
		.zerocopy = call & NIO_SEEN_ZEROCOPY,
		.splice = call & NIO_SEEN_SPLICE,
		.sg = NIO_FIELD(known, struct sock, sk, sk_route_caps) & NETIF_F_SG,
		.took_id = zckey != before,
	});
	if (conn->seen & NIO_SEEN_ZCKEY)
		unseen = nio_ids_unseen(before, zckey, kind == NIO_SEND_PINNED);
	conn->zckey = zckey;
	conn->seen |= NIO_SEEN_ZCKEY;
	zc = unseen ? zc_of(conn) : NULL;
	if (zc)
		zc->unseen += unseen;
	return kind;
}

/* True for the first call after a gap without programs, if other calls took ids meanwhile. */
static __always_inline bool id_is_unknown(const struct sock *sk, struct nio_conn *conn, bool known)
{
	__u32 zckey;

	if (!(conn->seen & NIO_SEEN_AWAY))
		return false;
	conn->seen &= ~NIO_SEEN_AWAY;
	zckey = NIO_FIELD(known, struct sock, sk, sk_zckey.counter);
	if (zckey == conn->zckey)
		return false;
	conn->zckey = zckey;
	conn->seen |= NIO_SEEN_ZCKEY;
	return true;
}

static __always_inline void on_sent(const struct sock *sk, struct nio_conn *conn, __u32 ret,
				    __u32 call, bool known)
{
	enum nio_uncovered_kind path = path_of(sk, NIO_SIDE_SENDER, known);

	if (path != NIO_COVERED) {
		book_uncovered(conn, path, ret);
		return;
	}
	if (id_is_unknown(sk, conn, known))
		return;
	switch (kind_of_call(sk, conn, call, known)) {
	case NIO_SEND_PINNED:
		book(conn, NIO_STAGE_TX_PIN, ret);
		on_pinned_send(conn, conn->zckey - 1, ret);
		return;
	case NIO_SEND_SPLICED:
		book(conn, NIO_STAGE_TX_SPLICE, ret);
		return;
	case NIO_SEND_FOREIGN:
		book_uncovered(conn, NIO_UNCOVERED_FOREIGN, ret);
		return;
	default:
		book(conn, NIO_STAGE_TX_COPY, ret);
	}
}

/* call: NIO_SEEN_* of each message of this mode's sender; 0: unknown. Receivers reply by send(). */
static __always_inline void on_send_return(struct sock *sk, int ret, __u32 call)
{
	struct nio_conn *conn = conn_of(sk, TRUSTED);

	if (!conn || ret <= 0)
		return;
	if (call && conn->side != NIO_SIDE_SENDER)
		call = NIO_SEEN_CALL;
	on_sent(sk, conn, ret, call, TRUSTED);
}

/* tcp_sendmsg_locked returned ret; the message is available. */
static __always_inline void on_send_locked_return(struct sock *sk, const struct msghdr *msg,
						  int ret)
{
	struct nio_conn *conn = conn_of(sk, TRUSTED);

	if (conn && ret > 0)
		on_sent(sk, conn, ret, call_of_message(msg, TRUSTED), TRUSTED);
}

/* do_tcp_sendpages took ret bytes by reference (sendfile, splice until Linux 6.4). */
static __always_inline void on_sendpages_return(const struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk, TRUSTED);

	if (conn && ret > 0)
		on_sent(sk, conn, ret, NIO_SEEN_CALL | NIO_SEEN_SPLICE, TRUSTED);
}

/* Bytes queued since the last read of write_seq. A socket that reconnects starts a new interval. */
static __always_inline __u32 queued_since(const struct sock *sk, struct nio_conn *conn, bool known)
{
	__u8 state = NIO_FIELD(known, struct sock, sk, __sk_common.skc_state);
	__u32 end, from = conn->write_seq;
	__s32 bytes;

	if (!nio_state_has_stream(state))
		return 0;
	end = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq), state);
	if (conn->seen & NIO_SEEN_AWAY) {
		conn->write_seq = end;
		conn->seen = (conn->seen & ~NIO_SEEN_AWAY) | NIO_SEEN_WRITE_SEQ;
		return 0;
	}
	if (state == TCP_SYN_SENT || !(conn->seen & NIO_SEEN_WRITE_SEQ))
		from = nio_payload_begin(kernel_read(struct tcp_sock, sk, snd_una),
					 kernel_read(struct tcp_sock, sk, snd_nxt), state);
	bytes = nio_seq_delta(from, end);
	if (bytes < 0) {
		count_loss(backwards);
		return 0;
	}
	conn->write_seq = end;
	conn->seen |= NIO_SEEN_WRITE_SEQ;
	return bytes;
}

/*
 * TCP hands a packet to the device, under the socket lock and before snd_nxt moves: books the bytes
 * queued since the previous packet as copied. Every byte leaves in some packet. Only for sockets
 * without SO_ZEROCOPY: a packet with a ubuf_info then has pages of another owner (FOREIGN).
 */
static __always_inline void on_transmit(const struct sock *sk, const struct sk_buff *skb,
					bool known)
{
	enum nio_uncovered_kind path;
	struct nio_conn *conn;
	__u32 bytes;

	conn = sk ? conn_of(sk, known) : NULL;
	if (!conn)
		return;
	bytes = queued_since(sk, conn, known);
	if (!bytes)
		return;
	path = path_of(sk, NIO_SIDE_SENDER, known);
	if (path == NIO_COVERED && uarg_of(skb, known))
		path = NIO_UNCOVERED_FOREIGN;
	if (path == NIO_COVERED)
		book_shared(conn, NIO_STAGE_TX_COPY, bytes);
	else
		book_uncovered(conn, path, bytes);
}

/* Sets where the bytes of a socket begin, at the first call seen. */
static __always_inline void begin_stream(const struct sock *sk, struct nio_conn *conn)
{
	__u8 state = NIO_FIELD(PROBE_READ, struct sock, sk, __sk_common.skc_state);

	if ((conn->seen & NIO_SEEN_WRITE_SEQ) || !nio_state_has_stream(state))
		return;
	conn->write_seq = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq), state);
	conn->seen |= NIO_SEEN_WRITE_SEQ;
}

/* tcp_sendmsg_locked begins: notes the message for on_push() at the end of this call. */
static __always_inline void on_send_begin(const struct sock *sk, const struct msghdr *msg)
{
	struct nio_conn *conn = conn_of(sk, PROBE_READ);

	if (!conn)
		return;
	conn->seen = (conn->seen & ~NIO_SEEN_OF_CALL) | call_of_message(msg, PROBE_READ);
	begin_stream(sk, conn);
}

/* do_tcp_sendpages begins: all its bytes are spliced. */
static __always_inline void on_sendpages_begin(const struct sock *sk)
{
	struct nio_conn *conn = conn_of(sk, PROBE_READ);

	if (!conn)
		return;
	conn->seen = (conn->seen & ~NIO_SEEN_OF_CALL) | NIO_SEEN_CALL | NIO_SEEN_SPLICE;
	begin_stream(sk, conn);
}

/*
 * tcp_push ends a send call: books the bytes queued since the last one. With TCP_NAGLE_PUSH it
 * precedes a wait for memory instead. Kretprobes miss returns of functions that sleep (maxactive).
 */
static __always_inline void on_push(struct sock *sk, int nonagle)
{
	struct nio_conn *conn;
	__u32 bytes, call;

	if (nonagle & TCP_NAGLE_PUSH)
		return;
	conn = conn_of(sk, PROBE_READ);
	if (!conn || !(conn->seen & NIO_SEEN_WRITE_SEQ))
		return;
	call = conn->seen & NIO_SEEN_OF_CALL;
	conn->seen &= ~NIO_SEEN_OF_CALL;
	bytes = queued_since(sk, conn, PROBE_READ);
	if (bytes)
		on_sent(sk, conn, bytes, call, PROBE_READ);
}

/* The application reads a notification from the error queue: a range of sends is complete. */
static __always_inline void on_notification_read(struct nio_conn *conn, const struct sk_buff *skb)
{
	struct zc_notification n;

	if (read_notification(skb, &n))
		on_notification(conn, &n);
}

/* True: the plan has a separate program for notifications. */
const volatile bool nio_notifications_apart = false;

/*
 * Books peeked bytes of the previous receive copy, and bytes that a call took without a copy since
 * then. by: the stage of the bytes taken; NIO_STAGE_NR: unknown.
 */
static __always_inline void book_previous(struct nio_conn *conn, __u32 copied_seq, __u32 by)
{
	struct nio_taken taken;

	if (!(conn->seen & NIO_SEEN_COPIED_SEQ))
		return;
	taken = nio_taken_by(conn->copied_seq, conn->rx_len, copied_seq);
	if (taken.peeked)
		book_uncovered(conn, NIO_UNCOVERED_PEEKED, taken.peeked);
	if (taken.unseen && by < NIO_STAGE_NR)
		book(conn, by, taken.unseen);
	else if (taken.unseen)
		book_uncovered(conn, NIO_UNCOVERED_UNSEEN, taken.unseen);
	if (taken.backwards)
		count_loss(backwards);
}

static __always_inline void note_copied_seq(struct nio_conn *conn, __u32 copied_seq, __u32 rx_len)
{
	conn->copied_seq = copied_seq;
	conn->rx_len = rx_len;
	conn->seen |= NIO_SEEN_COPIED_SEQ;
}

/*
 * tcp_rcv_space_adjust: copied_seq has moved. It moved by rx_len if all was copied. A FIN also
 * takes a sequence number: bytes that a call takes together with the FIN are counted without it.
 */
static __always_inline void on_taken(const struct sock *sk)
{
	struct nio_conn *conn = conn_of(sk, TRUSTED);
	__u32 copied_seq;

	if (!conn)
		return;
	copied_seq = nio_payload_read(kernel_read(struct tcp_sock, sk, copied_seq),
				      kernel_read(struct tcp_sock, sk, rcv_nxt),
				      sk->__sk_common.skc_flags & (1UL << SOCK_DONE));
	if ((conn->seen & NIO_SEEN_COPIED_SEQ) && copied_seq == conn->copied_seq + conn->rx_len)
		return;
	if (path_of(sk, NIO_SIDE_RECEIVER, TRUSTED) != NIO_COVERED)
		return;
	book_previous(conn, copied_seq, stage_of_syscall(sk));
	note_copied_seq(conn, copied_seq, 0);
}

/*
 * skb_copy_datagram_iter copies len bytes of skb to user memory. len 0: a zero-copy notification
 * (ip_recv_error, ipv6_recv_error).
 */
static __always_inline void on_rx_copy(const struct sk_buff *skb, int len, bool known)
{
	const struct sock *sk = NIO_FIELD(known, struct sk_buff, skb, sk);
	struct nio_conn *conn = sk && len >= 0 ? conn_of(sk, known) : NULL;
	enum nio_uncovered_kind path;
	__u32 copied_seq;

	if (!conn)
		return;
	if (!len) {
		if (!nio_notifications_apart)
			on_notification_read(conn, skb);
		return;
	}
	if (is_of_error_queue(skb, known))
		return;
	path = path_of(sk, NIO_SIDE_RECEIVER, known);
	if (path != NIO_COVERED) {
		book_uncovered(conn, path, len);
		return;
	}
	copied_seq = kernel_read(struct tcp_sock, sk, copied_seq);
	book_previous(conn, copied_seq, NIO_STAGE_NR);
	note_copied_seq(conn, copied_seq, len);
	book(conn, NIO_STAGE_RX_COPY, len);
}

/*
 * kTLS copies len decrypted bytes to the application. The packet names no socket; the receive call
 * does, which netio-loadgen makes by recv(). Where the call is unknown, this may be such a copy.
 */
static __always_inline void on_decrypted_copy(const struct sk_buff *skb, int len)
{
	struct nio_syscall call = {.nr = -1};
	const struct file *file;
	const struct sock *sk;
	const void *regs;
	struct nio_conn *conn;

	if (skb->sk || len <= 0)
		return;
	regs = entry_registers();
	if (regs)
		read_syscall(&call, regs);
	if (call.nr < 0)
		count_loss(no_cell);
	file = call.nr == NR_RECVFROM ? file_of(call.args[0]) : NULL;
	sk = file ? tcp_of(file) : NULL;
	conn = sk ? conn_of(sk, PROBE_READ) : NULL;
	if (conn && is_by_tls(sk, NIO_SIDE_RECEIVER))
		book(conn, NIO_STAGE_RX_COPY, len);
}

/* A record of the error queue is read: skb_copy_datagram_iter with len 0. */
static __always_inline void on_error_queue_copy(const struct sk_buff *skb, int len)
{
	const struct sock *sk;
	struct nio_conn *conn;

	if (len)
		return;
	sk = skb->sk;
	conn = sk ? conn_of(sk, TRUSTED) : NULL;
	if (conn)
		on_notification_read(conn, skb);
}

/*
 * A packet arrives from a device. For a local socket the kernel copies all of data_len of zero-copy
 * pages (skb_orphan_frags_rx, skb_copy_ubufs). Softirqs are off, so this books plainly.
 */
static __always_inline void on_zerocopy_arrival(const struct sk_buff *skb)
{
	const char *uarg = skb->data_len ? uarg_of(skb, TRUSTED) : NULL;
	struct nio_conn *conn = conn_by_cookie(cookie_of_uarg(uarg));

	if (conn && !arrives_once_more(skb) && !arrived_before(skb, uarg))
		book(conn, NIO_STAGE_DEFERRED_COPY, skb->data_len);
}

/*
 * Zero-copy requests of io_uring (SEND_ZC, SENDMSG_ZC) of watched senders. They take no ids: each
 * request has a ubuf_info of its own, which is in its skbs and in its notification.
 */

/* A request until its notification. Key: address of its ubuf_info. */
struct nio_request {
	__u64 cookie;
	__u64 bytes; /* pinned; 0: the request failed, or none of its calls has returned */
};

/* User space sets max_entries if a mode of the run sends such requests. */
NIO_MAP(nio_requests, HASH, 1, 0, __u64, struct nio_request);

/*
 * tcp_sendmsg_locked begins, or queues further bytes: notes what the message is, and its request
 * before a packet of it can arrive.
 */
static __always_inline void on_request_message(const struct sock *sk, const struct msghdr *msg,
					       bool known)
{
	struct nio_conn *conn = conn_of(sk, known);
	struct nio_request fresh = {}, *request;
	__u64 uarg;

	if (!conn || conn->side != NIO_SIDE_SENDER)
		return;
	conn->seen = (conn->seen & ~NIO_SEEN_OF_CALL) | call_of_message(msg, known);
	if (!(conn->seen & NIO_SEEN_FOREIGN))
		return;
	uarg = (__u64)BPF_CORE_READ((const struct msghdr___ubuf *)msg, msg_ubuf);
	conn->uarg = uarg;
	request = bpf_map_lookup_elem(&nio_requests, &uarg);
	if (request && request->cookie == conn->cookie)
		return;
	fresh.cookie = conn->cookie;
	if (bpf_map_update_elem(&nio_requests, &uarg, &fresh, BPF_ANY))
		count_loss(map_full);
}

static __always_inline void book_request(const struct sock *sk, struct nio_conn *conn, __u32 bytes,
					 bool known)
{
	struct nio_request *request;
	__u64 uarg = conn->uarg;

	/* The kernel chooses once for each call, by the route (tcp_sendmsg_locked). */
	if (NIO_FIELD(known, struct sock, sk, sk_route_caps) & NETIF_F_SG)
		book(conn, NIO_STAGE_TX_PIN, bytes);
	else
		book(conn, NIO_STAGE_TX_COPY, bytes);
	request = bpf_map_lookup_elem(&nio_requests, &uarg);
	if (request)
		request->bytes += bytes;
}

/* A send call queued ret bytes. Receivers reply by send(). */
static __always_inline void on_request_return(const struct sock *sk, int ret, bool known)
{
	struct nio_conn *conn = conn_of(sk, known);
	enum nio_uncovered_kind path;
	__u32 call;

	if (!conn || ret <= 0)
		return;
	path = path_of(sk, NIO_SIDE_SENDER, known);
	if (path != NIO_COVERED) {
		book_uncovered(conn, path, ret);
		return;
	}
	call = conn->side == NIO_SIDE_SENDER ? conn->seen & NIO_SEEN_OF_CALL : NIO_SEEN_CALL;
	conn->seen &= ~NIO_SEEN_OF_CALL;
	if (!(call & NIO_SEEN_CALL))
		count_loss(unmatched);
	else if (call & NIO_SEEN_FOREIGN)
		book_request(sk, conn, ret, known);
	else
		book(conn, NIO_STAGE_TX_COPY, ret);
}

/* The message is not seen: by the mode, every send call of a sender is a request. */
static __always_inline void on_request_by_mode(const struct sock *sk, int ret)
{
	struct nio_conn *conn = conn_of(sk, TRUSTED);

	if (!conn || ret <= 0)
		return;
	if (conn->side == NIO_SIDE_SENDER)
		conn->seen |= NIO_SEEN_CALL | NIO_SEEN_FOREIGN;
	on_request_return(sk, ret, TRUSTED);
}

/* Like on_zerocopy_arrival(), for requests. */
static __always_inline void on_request_arrival(const struct sk_buff *skb)
{
	const char *uarg = skb->data_len ? uarg_of(skb, TRUSTED) : NULL;
	const struct nio_request *request;
	const struct nio_conn *conn;
	__u64 key = (__u64)uarg;

	if (!uarg)
		return;
	request = bpf_map_lookup_elem(&nio_requests, &key);
	conn = request ? conn_by_cookie(request->cookie) : NULL;
	if (conn && !arrives_once_more(skb) && !arrived_before(skb, uarg))
		book(conn, NIO_STAGE_DEFERRED_COPY, skb->data_len);
}

/* A completion of io_uring. notif: of a notification; it begins the request (io_kiocb.cmd). */
static __always_inline void on_request_notified(const char *notif, __u32 cqe_flags)
{
	const struct io_notif_data___request *data = (const void *)notif;
	struct nio_request *request;
	struct nio_conn *conn;
	struct nio_zc *zc;
	__u64 uarg;

	if (!(cqe_flags & IORING_CQE_F_NOTIF___request))
		return;
	uarg = uarg_of_notif(notif);
	request = bpf_map_lookup_elem(&nio_requests, &uarg);
	conn = request ? conn_by_cookie(request->cookie) : NULL;
	zc = conn && request->bytes ? zc_of(conn) : NULL;
	if (zc) {
		add(&zc->notifications, 1);
		add(&zc->sends, 1);
		add(&zc->bytes, request->bytes);
		if (request_was_copied(data))
			add(&zc->copied, 1);
	}
	if (request)
		bpf_map_delete_elem(&nio_requests, &uarg);
}

#endif
