// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF object of attach. Every program is optional. The programs in this file see every call and
 * packet of the machine; at high rates user space attaches them in windows only.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "attach_functions.bpf.h"
#include "task_life.bpf.h"

/* True simulates the runs that a preemptible kernel refuses (tests/e2e/attach_threads.bats). */
#ifndef NIO_IS_REFUSED
#define NIO_IS_REFUSED false
#endif

/* A send call of any socket returns (Linux 6.3). */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_at_send, struct sock *sk, int ret, int flags)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_send_return(sk, ret, 0);
	return 0;
}

/* Each loop iteration of a send call, before it queues bytes (Linux 6.16). */
SEC("?tp_btf/tcp_sendmsg_locked")
int BPF_PROG(nio_at_turn, struct sock *sk, const struct msghdr *msg)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_message(sk, msg, was_vector(msg));
	return 0;
}

/* Payload is copied to an application, or a zero-copy notification is read (len 0). */
SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_at_receive, const struct sk_buff *skb, int len)
{
	struct sock *sk = skb->sk;
	struct sock_state *s;

	count_event();
	if (!sk || len < 0)
		return 0;
	if (len && !is_of_error_queue(skb, KNOWN)) {
		on_received(sk, len);
		return 0;
	}
	s = len || nio_over ? NULL : state_of(sk);
	if (s)
		on_notice(s, skb);
	return 0;
}

SEC("?tp_btf/inet_sk_error_report")
int BPF_PROG(nio_at_report, const struct sock *sk)
{
	on_report(sk);
	return 0;
}

/* A packet with zero-copy pages arrives: the kernel will copy them for a local receiver. */
SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_at_arrival, struct sk_buff *skb)
{
	count_event();
	if (skb->data_len && !arrives_once_more(skb))
		on_deferred_copy(skb, KNOWN);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
