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
	__u64 key;      /* of struct sock_state */
	__u64 first_ns; /* of the same: another socket may have the address later */
	__u64 sent;     /* 1: it queued bytes */
};

/*
 * Key: address of the ubuf_info. A completion that the full completion queue did not take leaves
 * its entry behind until another socket's request has the address.
 */
NIO_MAP(nio_sock_requests, LRU_HASH, NIO_SOCK_REQUESTS_MAX, 0, __u64, struct sock_request);

__u64 nio_request_ns; /* CLOCK_MONOTONIC: last use of zero-copy requests on a watched socket */

static __always_inline void note_requests_used(void)
{
	if (nio_declared)
		return;
	nio_request_ns = bpf_ktime_get_ns();
	note_zerocopy();
}

static __always_inline void put_request(const struct sock_state *s, __u64 uarg, bool sent)
{
	struct sock_request request = {.key = s->key, .first_ns = s->first_ns, .sent = sent};

	bpf_map_update_elem(&nio_sock_requests, &uarg, &request, BPF_ANY);
}

static __always_inline bool is_request_of(const struct sock_request *request,
					  const struct sock_state *s)
{
	return request->key == s->key && request->first_ns == s->first_ns;
}

/* 0 before Linux 6.0, which has no such requests. */
static __always_inline __u64 uarg_of_message(const struct msghdr *msg)
{
	if (!bpf_core_field_exists(((struct msghdr___ubuf *)0)->msg_ubuf))
		return 0;
	return (__u64)kernel_read(struct msghdr___ubuf, msg, msg_ubuf);
}

/* A request is about to queue bytes: noted before a packet of it can arrive. */
static __always_inline void note_request(const struct sock_state *s, __u64 uarg)
{
	const struct sock_request *request = bpf_map_lookup_elem(&nio_sock_requests, &uarg);

	note_requests_used();
	if (!request || !is_request_of(request, s))
		put_request(s, uarg, false);
}

/* A request that was noted queued bytes. */
static __always_inline void note_request_sent(const struct sock_state *s, __u64 uarg)
{
	struct sock_request *request;

	request = bpf_map_lookup_elem(&nio_sock_requests, &uarg);
	if (request && is_request_of(request, s))
		request->sent = 1;
}

/* The socket of a request; NULL: it is gone. */
static __always_inline struct sock_state *state_of_request(const struct sock_request *request)
{
	struct sock_state *s = state_of((const void *)request->key);

	return s && is_request_of(request, s) ? s : NULL;
}

/* The socket whose request has this ubuf_info; NULL: none that is watched. */
static __always_inline struct sock_state *state_of_request_at(const char *uarg)
{
	const struct sock_request *request;
	__u64 key = (__u64)uarg;

	request = bpf_map_lookup_elem(&nio_sock_requests, &key);
	return request ? state_of_request(request) : NULL;
}

/*
 * The kernel writes zc_used and zc_copied only if zc_report is set, which was not initialised from
 * Linux 6.2 to 6.9 unless the request has this callback (io_notif_set_extended). 0: unknown.
 */
const volatile __u64 nio_report_end = 0;

static __always_inline bool has_report(const struct io_notif_data___request *notif)
{
	const struct ubuf_info___callback *uarg = (const void *)uarg_of_notif((const char *)notif);

	if (!bpf_core_field_exists(notif->zc_report))
		return false;
	if (bpf_core_field_exists(uarg->callback) &&
	    (!nio_report_end || (__u64)BPF_CORE_READ(uarg, callback) != nio_report_end))
		return false;
	return BPF_CORE_READ(notif, zc_report);
}

#define STACK_MAX 32 /* longer stacks are not read to their end */

/* Do all requests of the stack report, and none a copy? Any of them may own the packet. */
static __always_inline bool nothing_was_copied(const struct io_notif_data___request *head)
{
	for (int i = 0; head && i < STACK_MAX; i++) {
		if (!has_report(head) || BPF_CORE_READ(head, zc_copied))
			return false;
		head = BPF_CORE_READ(head, next);
	}
	return !head;
}

/* NIO_REQUEST_MISREPORTED: not copied, which the kernel does not report. */
static __always_inline enum nio_request_end
end_of_request(const struct io_notif_data___request *notif)
{
	const struct io_notif_data___request *head = head_of_stack(notif);

	if (!has_report(notif))
		return NIO_REQUEST_UNREPORTED;
	if (BPF_CORE_READ(notif, zc_copied))
		return NIO_REQUEST_COPIED;
	/* Without scatter-gather no packet has the pages of the request. */
	if (!head)
		return BPF_CORE_READ(notif, zc_used) ? NIO_REQUEST_NOT_COPIED : NIO_REQUEST_COPIED;
	/* io_link_skb() links requests with a report and without one. */
	if (!has_report(head))
		return NIO_REQUEST_UNREPORTED;
	if (BPF_CORE_READ(notif, zc_used))
		return NIO_REQUEST_NOT_COPIED;
	if (BPF_CORE_READ(head, zc_copied))
		return NIO_REQUEST_COPIED;
	return nothing_was_copied(head) ? NIO_REQUEST_MISREPORTED : NIO_REQUEST_UNREPORTED;
}

static __always_inline void count_request(struct sock_events *e,
					  const struct io_notif_data___request *notif)
{
	__u32 end = end_of_request(notif);

	/* The compiler takes a bool of the kernel as the index; the verifier needs its range. */
	barrier_var(end);
	if (end >= NIO_REQUEST_NR)
		return;
	add_to(&e->requests[end], 1);
	if (end == NIO_REQUEST_MISREPORTED)
		add_to(&e->requests[NIO_REQUEST_NOT_COPIED], 1);
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
	s = request.sent ? state_of_request(&request) : NULL;
	e = s ? events_of(s) : NULL;
	if (!e)
		return;
	note_requests_used();
	count_request(e, (const void *)notif);
}

/* io_uring posts a completion. notif: of a notification; NULL: of no request. */
static __always_inline void on_completion(const char *notif, __u32 flags)
{
	if (notif && !nio_over && (flags & IORING_CQE_F_NOTIF___request))
		on_notification(notif);
}

#endif
