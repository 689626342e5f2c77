// SPDX-License-Identifier: GPL-2.0-only
/*
 * add_sum() of bpf/copy.bpf.h, which insert_run.c runs on several CPUs with one key after the
 * other.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bpf/copy.bpf.h"

#define KEYS 20000

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u64);
	__type(value, struct nio_sum);
} nio_test_sums SEC(".maps");

SEC("raw_tp/insert")
int nio_test_insert(const __u64 *ctx)
{
	__u64 key = ctx[0];

	add_sum(&nio_test_sums, &key, 10, 1, 0);
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
