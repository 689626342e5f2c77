/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Zero-copy requests of io_uring (SEND_ZC, SENDMSG_ZC) of the sockets of attach: each is tied to
 * its socket by its ubuf_info until its notification, which says whether it was copied.
 */
#ifndef BPF_SOCK_REQUESTS_BPF_H
#define BPF_SOCK_REQUESTS_BPF_H

#include "sock_life.bpf.h"
#include "uring_notif.bpf.h"

/* Requests without a notification yet. Of more than these, the oldest are not counted. */
#define NIO_SOCK_REQUESTS_MAX 16384

struct sock_request {
	__u64 key;  /* of struct sock_state */
	__u64 sent; /* 1: it queued bytes */
};

/* Key: address of the ubuf_info. */
NIO_MAP(nio_sock_requests, LRU_HASH, NIO_SOCK_REQUESTS_MAX, 0, __u64, struct sock_request);

static __always_inline void put_request(const struct sock_state *s, __u64 uarg, bool sent)
{
	struct sock_request request = {.key = s->key, .sent = sent};

	bpf_map_update_elem(&nio_sock_requests, &uarg, &request, BPF_ANY);
}

/* 0 before Linux 6.0, which has no such requests. */
static __always_inline __u64 uarg_of_message(const struct msghdr *msg)
{
	if (!bpf_core_field_exists(((struct msghdr___ubuf *)0)->msg_ubuf))
		return 0;
	return (__u64)BPF_CORE_READ((const struct msghdr___ubuf *)msg, msg_ubuf);
}

/* A request is about to queue bytes: noted before a packet of it can arrive. */
static __always_inline void note_request(struct sock_state *s, const struct msghdr *msg)
{
	__u64 uarg = uarg_of_message(msg);
	const struct sock_request *request = bpf_map_lookup_elem(&nio_sock_requests, &uarg);

	s->uarg = uarg;
	if (!request || request->key != s->key)
		put_request(s, uarg, false);
}

/* The message that was noted last queued bytes. */
static __always_inline void note_request_sent(const struct sock_state *s)
{
	struct sock_request *request;
	__u64 uarg = s->uarg;

	request = bpf_map_lookup_elem(&nio_sock_requests, &uarg);
	if (request && request->key == s->key)
		request->sent = 1;
}

/* The socket whose request has this ubuf_info; NULL: none that is watched. */
static __always_inline const struct sock *sock_of_request(const char *uarg)
{
	const struct sock_request *request;
	__u64 key = (__u64)uarg;

	request = bpf_map_lookup_elem(&nio_sock_requests, &key);
	return request ? (const struct sock *)request->key : NULL;
}

static __always_inline void count_request(struct sock_events *e,
					  const struct io_notif_data___request *notif)
{
	bool used, copied;

	if (!bpf_core_field_exists(notif->zc_report) || !BPF_CORE_READ(notif, zc_report)) {
		add_to(&e->requests[NIO_REQUEST_UNREPORTED], 1);
		return;
	}
	used = BPF_CORE_READ(notif, zc_used);
	/* Without scatter-gather no packet has the pages of the request. */
	copied = request_was_copied(notif) || (!used && !head_of_stack(notif));
	add_to(&e->requests[copied ? NIO_REQUEST_COPIED : NIO_REQUEST_NOT_COPIED], 1);
	if (!copied && !used)
		add_to(&e->requests[NIO_REQUEST_MISREPORTED], 1);
}

static __always_inline void on_notification(const char *notif)
{
	__u64 uarg = uarg_of_notif(notif);
	const struct sock_request *found = bpf_map_lookup_elem(&nio_sock_requests, &uarg);
	struct sock_request request;
	struct sock_state *s;
	struct sock_events *e;

	if (!found)
		return;
	request = *found;
	bpf_map_delete_elem(&nio_sock_requests, &uarg);
	/* One that failed has a notification as well, which may say anything. */
	s = request.sent ? state_of((const struct sock *)request.key) : NULL;
	e = s ? events_of(s) : NULL;
	if (!e)
		return;
	nio_zerocopy_ns = bpf_ktime_get_ns();
	count_request(e, (const void *)notif);
}

/* io_uring posts a completion. notif: of a notification; NULL: of no request. */
static __always_inline void on_completion(const char *notif, __u32 flags)
{
	if (notif && !nio_over && (flags & IORING_CQE_F_NOTIF___request))
		on_notification(notif);
}

#endif
