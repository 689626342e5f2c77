/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* fentry, fexit and kprobe programs of attach. A kprobe sees only the size a call requests. */
#ifndef NETIOTRACE_ATTACH_FUNCTIONS_BPF_H
#define NETIOTRACE_ATTACH_FUNCTIONS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sock_events.bpf.h"

SEC("?fentry/tcp_sendmsg_locked")
int BPF_PROG(nio_ae_send, struct sock *sk, struct msghdr *msg)
{
	/* Needed only while the program at the return is attached, too. */
	if (nio_window & 1)
		on_message(sk, msg, is_vector(msg));
	return 0;
}

SEC("?fexit/tcp_sendmsg_locked")
int BPF_PROG(nio_ax_send, struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
{
	on_send_return(sk, ret, 0);
	return 0;
}

/* MPTCP does not send through tcp_sendmsg_locked. */
SEC("?fexit/mptcp_sendmsg")
int BPF_PROG(nio_ax_mptcp, struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
{
	on_send_return(sk, ret, 0);
	return 0;
}

SEC("?fexit/tcp_splice_read")
int BPF_PROG(nio_ax_splice_read, struct socket *sock, void *position, void *pipe,
	     unsigned long size, unsigned int flags, long ret)
{
	struct sock_state *s = ret > 0 ? state_of(sock->sk) : NULL;

	struct sock_events *e = s && !nio_over ? events_of(s) : NULL;

	if (e)
		add_to(&e->spliced, ret);
	return 0;
}

/* sendfile and splice used do_tcp_sendpages until Linux 6.4. */
SEC("?fexit/do_tcp_sendpages")
int BPF_PROG(nio_ax_sendpages, struct sock *sk, void *page, int offset, unsigned long size,
	     int flags, long ret)
{
	on_send_return(sk, ret, NIO_SEEN_CALL | NIO_SEEN_SPLICE);
	return 0;
}

SEC("?fentry/skb_copy_ubufs")
int BPF_PROG(nio_ae_deferred, struct sk_buff *skb)
{
	on_deferred_copy(skb, KNOWN);
	return 0;
}

SEC("?fentry/__msg_zerocopy_callback")
int BPF_PROG(nio_ae_ended, const void *uarg)
{
	on_ended(uarg, false);
	return 0;
}

/* A send call begins and requests `size` bytes, as a kprobe sees it. */
static __always_inline void on_send_asked(struct sock *sk, __u32 size, __u32 what)
{
	bool adopted;
	struct sock_state *s = size ? state_in_use(sk, &adopted) : NULL;

	if (!s || nio_over || restores_received(sk))
		return;
	touch(s, sk);
	if (!is_uncovered(s, sk, NIO_SIDE_SENDER, size))
		book_call(s, sk, size, what);
}

SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_ak_send, struct sock *sk, struct msghdr *msg, unsigned long size)
{
	on_send_asked(sk, size, call_of(sk, msg, is_vector(msg)));
	return 0;
}

/* For plans in which another program sees the return of the call. */
SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_ak_message, struct sock *sk, struct msghdr *msg)
{
	if (nio_window & 1)
		on_message(sk, msg, is_vector(msg));
	return 0;
}

SEC("?kprobe/do_tcp_sendpages")
int BPF_KPROBE(nio_ak_sendpages, struct sock *sk, void *page, int offset, unsigned long size)
{
	on_send_asked(sk, size, NIO_SEEN_CALL | NIO_SEEN_SPLICE);
	return 0;
}

/* MPTCP sends, for plans that see TCP sends by kprobe. */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_ak_mptcp, struct sock *sk, int ret, int flags)
{
	if (sk->sk_protocol == IPPROTO_MPTCP)
		on_send_return(sk, ret, 0);
	return 0;
}

SEC("?kprobe/skb_copy_ubufs")
int BPF_KPROBE(nio_ak_deferred, struct sk_buff *skb)
{
	on_deferred_copy(skb, ADDRESS);
	return 0;
}

SEC("?kprobe/__msg_zerocopy_callback")
int BPF_KPROBE(nio_ak_ended, const void *uarg)
{
	on_ended(uarg, false);
	return 0;
}

SEC("?kprobe/sock_zerocopy_callback")
int BPF_KPROBE(nio_ak_sock_ended, const void *uarg, bool success)
{
	on_ended(uarg, !success);
	return 0;
}

#endif
