/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Reads from the message of a send call how its bytes are queued. */
#ifndef NETIOTRACE_MESSAGE_BPF_H
#define NETIOTRACE_MESSAGE_BPF_H

#include "kernel.bpf.h"

/* True: this kernel has MSG_SPLICE_PAGES (it has skb_splice_from_iter). */
const volatile bool nio_splice_pages = false;

/* The flags NIO_SEEN_* of a message. known: KNOWN or ADDRESS. */
static __always_inline __u32 call_of_message(const struct msghdr *msg, bool known)
{
	__u32 flags = NIO_FIELD(known, struct msghdr, msg, msg_flags), call = NIO_SEEN_CALL;

	if (nio_splice_pages && (flags & MSG_SPLICE_PAGES))
		call |= NIO_SEEN_SPLICE;
	if (flags & MSG_ZEROCOPY)
		call |= NIO_SEEN_ZEROCOPY;
	if (bpf_core_field_exists(((struct msghdr___ubuf *)0)->msg_ubuf) &&
	    BPF_CORE_READ((const struct msghdr___ubuf *)msg, msg_ubuf))
		call |= NIO_SEEN_FOREIGN;
	return call;
}

/* Since Linux 5.14. */
struct iov_iter___type {
	u8 iter_type;
} __attribute__((preserve_access_index));

enum iter_type___kind {
	ITER_IOVEC___kind = 1,
	ITER_BVEC___kind = 2,
};

enum message_pieces {
	PIECES_OTHER,
	PIECES_BUFFERS, /* memory of the application */
	PIECES_PAGES,
};

static __always_inline enum message_pieces pieces_of(const struct msghdr *msg)
{
	const struct iov_iter___type *iter =
		(const void *)((const char *)msg + bpf_core_field_offset(struct msghdr, msg_iter));
	__u8 type;

	if (!bpf_core_field_exists(iter->iter_type))
		return PIECES_OTHER;
	type = BPF_CORE_READ(iter, iter_type);
	if (type == bpf_core_enum_value(enum iter_type___kind, ITER_BVEC___kind))
		return PIECES_PAGES;
	if (type == bpf_core_enum_value(enum iter_type___kind, ITER_IOVEC___kind))
		return PIECES_BUFFERS;
	return PIECES_OTHER;
}

/* Is this a message of several buffers, as its call begins? Not registered io_uring pages. */
static __always_inline bool is_vector(const struct msghdr *msg)
{
	return BPF_CORE_READ(msg, msg_iter.nr_segs) > 1 && pieces_of(msg) != PIECES_PAGES;
}

/*
 * The same in any loop iteration, when some buffers are gone. Where that is seen (Linux 6.16), one
 * buffer is ITER_UBUF (__import_iovec_ubuf).
 */
static __always_inline bool was_vector(const struct msghdr *msg)
{
	return pieces_of(msg) == PIECES_BUFFERS || is_vector(msg);
}

#endif
