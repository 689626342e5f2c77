// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf/perf_stage.bpf.h between two tracepoints that any kernel runs thousands of times a second: a
 * window from net_dev_queue to netif_rx, within one call on loopback. netif_receive_skb is no
 * alternative: with receive packet steering on lo it runs on another CPU, many datagrams later.
 * Built and loaded by perf_stage.bats.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "bpf/perf_stage.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_perf_open);
} nio_perf_test SEC(".maps");

SEC("tp_btf/net_dev_queue")
int BPF_PROG(nio_test_begin, struct sk_buff *skb)
{
	struct nio_perf_open *open;
	__u32 zero = 0;

	open = bpf_map_lookup_elem(&nio_perf_test, &zero);
	if (open)
		perf_begin(open, NIO_PERF_RX_COPY);
	return 0;
}

SEC("tp_btf/netif_rx")
int BPF_PROG(nio_test_end, struct sk_buff *skb)
{
	struct nio_perf_open *open;
	__u32 zero = 0;

	open = bpf_map_lookup_elem(&nio_perf_test, &zero);
	if (open)
		perf_end(open, NIO_PERF_RX_COPY, skb->data_len);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
