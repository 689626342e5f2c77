// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel side of attach: an object of its own, so that a run, whose sockets are known
 * beforehand, does not pay for finding others'. Every program is optional.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "attach_functions.bpf.h"
#include "attach_life.bpf.h"
#include "attach_stages.bpf.h"
#include "attach_streams.bpf.h"

/* Preemptible kernels refuse runs of these two. In tests/e2e/attach_threads.bats any does. */
#ifndef NIO_IS_REFUSED
#define NIO_IS_REFUSED false
#endif

/* A send call of any socket returns. */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_at_send, struct sock *sk, int ret, int flags)
{
	struct nio_stream *s = NIO_IS_REFUSED ? NULL : stream_in_use(sk);

	if (s)
		on_send_return(s, sk, ret);
	return 0;
}

/* Each turn of a send call, before it queues. Since Linux 6.16. */
SEC("?tp_btf/tcp_sendmsg_locked")
int BPF_PROG(nio_at_turn, const struct sock *sk, const struct msghdr *msg)
{
	struct nio_stream *s = NIO_IS_REFUSED ? NULL : stream_in_use(sk);

	if (s)
		on_turn(s, sk, msg);
	return 0;
}

/* Bytes are copied to an application: payload, or none at all of a notification. */
SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_at_receive, const struct sk_buff *skb, int len)
{
	const struct sock *sk = skb->sk;
	struct nio_stream *s;

	if (!sk || len < 0 || all_is_over())
		return 0;
	s = stream_of(sk, KNOWN);
	if (s && !len)
		on_notice(s, skb);
	if (!len || is_of_error_queue(skb, KNOWN))
		return 0;
	if (!s && nio_may_adopt && wanted(sk, KNOWN))
		s = adopt_or_keep(sk, len);
	if (s)
		on_received(s, sk, kernel_read(struct tcp_sock, sk, copied_seq), len, KNOWN);
	return 0;
}

SEC("?tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(nio_at_copied, struct sock *sk)
{
	on_taken(sk);
	return 0;
}

SEC("?tp_btf/inet_sk_error_report")
int BPF_PROG(nio_at_report, const struct sock *sk)
{
	on_report(sk);
	return 0;
}

SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_at_arrival, struct sk_buff *skb)
{
	on_arrival(skb);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
