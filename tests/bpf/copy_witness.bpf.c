// SPDX-License-Identifier: GPL-2.0-only
/*
 * A witness of copies that needs no hook on functions (copy_witness_run.c): the bytes that a device
 * gets as pages and in packets' heads, and the pages that skb_copy_ubufs allocates.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define DEPTH 12

char device[16];
__u64 begin, end; /* of skb_copy_ubufs */
__u32 netns[4];   /* inode numbers: packets of other namespaces do not count */
__u64 paged, heads, copied;

struct net___w {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct net_device___w {
	struct {
		struct net___w *net;
	} nd_net;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[DEPTH + 1]); /* a stack, and whether the CPU's packet counts */
} cpu_state SEC(".maps");

static __always_inline __u64 *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpu_state, &zero);
}

static __always_inline int note_packet(const struct net_device *dev)
{
	__u32 inode = BPF_CORE_READ((const struct net_device___w *)dev, nd_net.net, ns.inum);
	__u64 *cpu = this_cpu();

	if (!cpu)
		return 0;
	cpu[DEPTH] = 0;
	for (int i = 0; i < 4; i++)
		cpu[DEPTH] |= netns[i] && netns[i] == inode;
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(at_queue, struct sk_buff *skb)
{
	return note_packet(skb->dev);
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(at_receive, struct sk_buff *skb)
{
	return note_packet(skb->dev);
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(at_transmit, const struct sk_buff *skb, const struct net_device *dev)
{
	for (int i = 0; i < 16; i++) {
		if (dev->name[i] != device[i])
			return 0;
		if (!device[i])
			break;
	}
	__sync_fetch_and_add(&paged, skb->data_len);
	__sync_fetch_and_add(&heads, skb->len - skb->data_len);
	return 0;
}

SEC("tp_btf/mm_page_alloc")
int BPF_PROG(at_alloc, void *page, unsigned int order)
{
	__u64 *cpu = this_cpu();
	long len;

	if (!cpu || !cpu[DEPTH])
		return 0;
	len = bpf_get_stack(ctx, cpu, DEPTH * sizeof(*cpu), 0) / (long)sizeof(*cpu);
	for (int i = 0; i < DEPTH; i++)
		if (i < len && cpu[i] >= begin && cpu[i] < end) {
			__sync_fetch_and_add(&copied, 4096ULL << order);
			return 0;
		}
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
