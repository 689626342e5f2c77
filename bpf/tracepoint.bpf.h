/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The tracepoint backend: for kernels that refuse programs on functions. Every program is optional
 * ('?': not loaded unless the plan chose it).
 */
#ifndef NETIOTRACE_TRACEPOINT_BPF_H
#define NETIOTRACE_TRACEPOINT_BPF_H

SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_tp_send_return, struct sock *sk, int ret, int flags)
{
	on_send_return(sk, ret);
	return 0;
}

SEC("?tp_btf/net_dev_queue")
int BPF_PROG(nio_tp_transmit, struct sk_buff *skb)
{
	on_transmit(skb);
	return 0;
}

SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_tp_rx_copy, const struct sk_buff *skb, int len)
{
	on_rx_copy(skb, len);
	return 0;
}

SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_tp_zerocopy_arrival, struct sk_buff *skb)
{
	on_zerocopy_arrival(skb);
	return 0;
}

#endif
