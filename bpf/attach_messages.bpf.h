/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the message of a send call says of it, as it begins and as it returns: attach. */
#ifndef NETIOTRACE_ATTACH_MESSAGES_BPF_H
#define NETIOTRACE_ATTACH_MESSAGES_BPF_H

#include "attach_streams.bpf.h"
#include "message.bpf.h"

/* Do MSG_ZEROCOPY sends of this socket take ids (SO_ZEROCOPY), and pin pages? */
enum sock_flags___zerocopy {
	SOCK_ZEROCOPY___zerocopy = 25,
};

static __always_inline bool may_pin(const struct sock *sk)
{
	__u64 flag = bpf_core_enum_value(enum sock_flags___zerocopy, SOCK_ZEROCOPY___zerocopy);

	return kernel_read(struct sock_common, sk, skc_flags) & (1UL << flag);
}

/*
 * What the message of a send call says, but for its pieces, and whether its pages are pinned: as
 * the kernel chooses it, when the call begins.
 */
static __always_inline __u32 flags_of(const struct sock *sk, const struct msghdr *msg, bool known)
{
	__u32 what = call_of_message(msg, known);

	if (NIO_FIELD(known, struct msghdr, msg, msg_flags) & MSG_FASTOPEN)
		what |= NIO_CALL_FASTOPEN;
	if ((what & NIO_SEEN_ZEROCOPY) && may_pin(sk))
		what |= NIO_CALL_PINS;
	return what;
}

/* The same, and whether it is of several pieces: as the call begins. */
static __always_inline __u32 call_of(const struct sock *sk, const struct msghdr *msg, bool known)
{
	return flags_of(sk, msg, known) | (is_vector(msg) ? NIO_CALL_VECTOR : 0);
}

/* The same at a turn of the call: its first may have been missed. */
static __always_inline __u32 call_at_turn(const struct sock *sk, const struct msghdr *msg)
{
	return flags_of(sk, msg, KNOWN) | (was_vector(msg) ? NIO_CALL_VECTOR : 0);
}

/*
 * The same as a call returns of which a trampoline did not see the begin (msg is NULL: a page of
 * sendfile), in whose course the pieces of its message went: how many there were is not known. A
 * kprobe at the end of a call does not see its message.
 */
static __always_inline __u32 call_at_end(const struct sock *sk, const struct msghdr *msg,
					 bool known)
{
	if (!known)
		return NIO_CALL_CUT;
	if (!msg)
		return NIO_CALL_CUT | NIO_SEEN_CALL | NIO_SEEN_SPLICE;
	return NIO_CALL_CUT | call_of(sk, msg, KNOWN);
}

/* io_uring's SEND_ZC says MSG_ZEROCOPY, too. */
static __always_inline __u32 kind_of(__u32 call, enum nio_send_kind how)
{
	if (call & NIO_SEEN_FOREIGN)
		return NIO_CALL_IO_URING;
	if (how == NIO_SEND_PINNED || (call & NIO_SEEN_ZEROCOPY))
		return NIO_CALL_ZEROCOPY;
	if (call & NIO_SEEN_SPLICE)
		return NIO_CALL_SPLICE;
	if (!(call & NIO_SEEN_CALL) || (call & NIO_CALL_CUT))
		return NIO_CALL_UNTOLD;
	return call & NIO_CALL_VECTOR ? NIO_CALL_VECTORED : NIO_CALL_PLAIN;
}

#endif
