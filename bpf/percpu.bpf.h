/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Statistics by CPU in arrays that user space maps: each CPU has its rows, one CPU's after
 * another's. Not in the kernel's per-CPU maps, which can only be read by system call: while one is,
 * no kprobe program runs on that CPU (bpf_prog_active), and until Linux 6.7 nobody counts what it
 * misses.
 */
#ifndef NETIOTRACE_PERCPU_BPF_H
#define NETIOTRACE_PERCPU_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define BPF_F_MMAPABLE (1U << 10)

/* How many ledgers there are; set before loading. */
const volatile __u32 nio_slots = 1;

/* The index of row i of this CPU, each of whose ledgers has per_slot of them. */
static __always_inline __u32 of_this_cpu(__u32 per_slot, __u32 i)
{
	return bpf_get_smp_processor_id() * (nio_slots * per_slot) + i;
}

#endif
