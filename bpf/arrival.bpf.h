/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets with zero-copy pages that arrive at several devices of this machine, and are copied once.
 */
#ifndef BPF_ARRIVAL_BPF_H
#define BPF_ARRIVAL_BPF_H

#include "kernel.bpf.h"

/*
 * The first arrival of a packet. A router may give the packet another head. Another packet may have
 * the addresses of an earlier one, but not its sequence number as well.
 */
struct nio_arrival {
	__u64 skb, uarg, dev;
	__u32 seq; /* of TCP, in network order */
	__u32 pad;
};

static __always_inline __u32 tcp_sequence_of(const struct sk_buff *skb)
{
	__u32 seq = 0;

	bpf_probe_read_kernel(&seq, sizeof(seq), skb->head + skb->transport_header + 4);
	return seq;
}

#define NIO_ARRIVALS 4096

/* Index: part of the skb's address. A later packet takes the entry of an earlier one. */
NIO_MAP(nio_arrivals, ARRAY, NIO_ARRIVALS, 0, __u32, struct nio_arrival);

/*
 * Has this packet arrived at another device? A packet that is redirected by tc passes
 * netif_receive_skb again with the sender's pages, and so does a routed packet where the kernel
 * copies at local delivery (not until 6.12, but in 6.18). A retransmission begins again at the
 * first device.
 */
static __always_inline bool arrived_before(const struct sk_buff *skb, const char *uarg)
{
	struct nio_arrival now = {
		.skb = (__u64)skb,
		.uarg = (__u64)uarg,
		.dev = (__u64)skb->dev,
		.seq = tcp_sequence_of(skb),
	};
	struct nio_arrival *first;
	__u32 i;

	/* An sk_buff takes 256 bytes. The verifier refuses arithmetic on the pointer itself. */
	asm volatile("%0 = %1" : "=w"(i) : "w"((__u32)(unsigned long)skb));
	i = (i >> 8) % NIO_ARRIVALS;
	first = bpf_map_lookup_elem(&nio_arrivals, &i);
	if (!first)
		return false;
	if (first->skb == now.skb && first->uarg == now.uarg && first->seq == now.seq &&
	    first->dev != now.dev)
		return true;
	*first = now;
	return false;
}

#endif
