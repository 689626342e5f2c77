/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets with zero-copy pages that arrive at several devices of this machine, and are copied once.
 */
#ifndef BPF_ARRIVAL_BPF_H
#define BPF_ARRIVAL_BPF_H

#include "kernel.bpf.h"

/*
 * Where packets with the pages of one send arrive first. A router may give a packet another head,
 * and cut it into segments of their own.
 */
struct nio_arrival {
	__u64 uarg, dev;
	__u32 begin, end; /* sequence numbers that have arrived there */
};

static __always_inline __u32 tcp_sequence_of(const struct sk_buff *skb)
{
	__u32 seq = 0;

	bpf_probe_read_kernel(&seq, sizeof(seq), skb->head + skb->transport_header + 4);
	return __builtin_bswap32(seq);
}

/* skb->tc_skip_classify: ifb gives a packet back to the device at which it arrived before. */
struct sk_buff___ifb {
	__u8 tc_skip_classify : 1;
} __attribute__((preserve_access_index));

static __always_inline bool comes_from_ifb(const struct sk_buff *skb)
{
	const struct sk_buff___ifb *p = (const void *)skb;

	return bpf_core_field_exists(p->tc_skip_classify) &&
	       BPF_CORE_READ_BITFIELD_PROBED(p, tc_skip_classify);
}

#define NIO_ARRIVALS 4096

/* Index: part of the address of the ubuf_info. A later send takes the entry of an earlier one. */
NIO_MAP(nio_arrivals, ARRAY, NIO_ARRIVALS, 0, __u32, struct nio_arrival);

/* A send has at most this many bytes in one ubuf_info (msg_zerocopy_realloc: 512 KiB). */
#define NIO_ARRIVAL_SPAN (1 << 20)

/*
 * Have these bytes arrived at another device, or at this one before ifb took them? A packet that is
 * redirected by tc passes netif_receive_skb again with the sender's pages, and so does a routed
 * packet where the kernel copies at local delivery (not until 6.12, but in 6.18). A retransmission
 * begins again at the first device.
 */
static __always_inline bool arrived_before(const struct sk_buff *skb, const char *uarg)
{
	__u32 seq = tcp_sequence_of(skb), end = seq + skb->data_len;
	struct nio_arrival *first;
	__u64 dev = (__u64)skb->dev;
	__s32 from_begin;
	__u32 i;

	if (comes_from_ifb(skb))
		return true;

	/* A ubuf_info is in an sk_buff of 256 bytes. The verifier refuses arithmetic on pointers.
	 */
	asm volatile("%0 = %1" : "=w"(i) : "w"((__u32)(unsigned long)uarg));
	i = (i >> 8) % NIO_ARRIVALS;
	first = bpf_map_lookup_elem(&nio_arrivals, &i);
	if (!first)
		return false;
	from_begin = nio_seq_delta(first->begin, seq);
	if (first->uarg == (__u64)uarg && from_begin > -NIO_ARRIVAL_SPAN &&
	    from_begin < NIO_ARRIVAL_SPAN) {
		if (first->dev != dev && from_begin >= 0 && nio_seq_delta(seq, first->end) > 0)
			return true;
		if (first->dev == dev) {
			if (from_begin < 0)
				first->begin = seq;
			if (nio_seq_delta(first->end, end) > 0)
				first->end = end;
			return false;
		}
	}
	*first = (struct nio_arrival){(__u64)uarg, dev, seq, end};
	return false;
}

#endif
