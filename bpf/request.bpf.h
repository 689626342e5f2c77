/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Zero-copy requests of io_uring (SEND_ZC, SENDMSG_ZC) of watched senders. They take no ids: each
 * request has a ubuf_info of its own, which is in its skbs and in its notification.
 */
#ifndef BPF_REQUEST_BPF_H
#define BPF_REQUEST_BPF_H

#include "arrival.bpf.h"
#include "stages.bpf.h"
#include "uring_notif.bpf.h"

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
