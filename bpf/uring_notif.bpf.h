/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The kernel's state of a zero-copy request of io_uring (SEND_ZC, SENDMSG_ZC): its notification. */
#ifndef BPF_URING_NOTIF_BPF_H
#define BPF_URING_NOTIF_BPF_H

#include "kernel.bpf.h"

/* Before Linux 6.10 requests are not stacked: no `head`. Before 6.2 they do not report. */
struct io_notif_data___request {
	struct ubuf_info uarg;
	struct io_notif_data___request *next;
	struct io_notif_data___request *head;
	bool zc_report;
	bool zc_used;
	bool zc_copied;
} __attribute__((preserve_access_index));

struct io_uring_cqe___request {
	__u32 flags;
} __attribute__((preserve_access_index));

#define IORING_CQE_F_NOTIF___request (1U << 3)

/* Address of the ubuf_info of a request. notif: its notification, which begins with the data. */
static __always_inline __u64 uarg_of_notif(const char *notif)
{
	return (__u64)notif + bpf_core_field_offset(struct io_notif_data___request, uarg);
}

/*
 * The first request of the chain, if this is a later one; else NULL. If an skb takes bytes of
 * several requests, only the first is in the skb and learns of a copy (zc_used, zc_copied). The
 * kernel reports the later ones as copied in any case (io_notif_tw_complete).
 */
static __always_inline const struct io_notif_data___request *
head_of_stack(const struct io_notif_data___request *notif)
{
	const struct io_notif_data___request *head;

	if (!bpf_core_field_exists(notif->head))
		return NULL;
	head = BPF_CORE_READ(notif, head);
	return head != notif ? head : NULL;
}

#endif
