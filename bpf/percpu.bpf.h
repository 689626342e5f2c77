/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Per-CPU statistics in an mmapable array: one block of rows per CPU. A system call that reads a
 * map stops kprobe programs on its CPU (bpf_prog_active), uncounted until Linux 6.7.
 */
#ifndef NETIOTRACE_PERCPU_BPF_H
#define NETIOTRACE_PERCPU_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define BPF_F_MMAPABLE (1U << 10)

/* Number of slots; set before loading. */
const volatile __u32 nio_slots = 1;

/* Index of row i in the block of this CPU; each slot has per_slot rows. */
static __always_inline __u32 of_this_cpu(__u32 per_slot, __u32 i)
{
	return bpf_get_smp_processor_id() * (nio_slots * per_slot) + i;
}

#endif
