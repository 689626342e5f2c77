/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The start time of a process, as in /proc/PID/stat: with its id it identifies the process. */
#ifndef NETIOTRACE_STARTED_BPF_H
#define NETIOTRACE_STARTED_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel.bpf.h"
#include "sock_state.h"

/* Offset of boot time in the collector's time namespace, ns. */
const volatile __s64 nio_boot_offset_ns = 0;

/* Ticks since boot, as in /proc. A thread that calls exec inherits the leader's start time. */
static __always_inline __u64 started_of(const struct task_struct *task)
{
	const struct task_struct *leader = kernel_read(struct task_struct, task, group_leader);
	__u64 ns = kernel_read(struct task_struct, leader, start_boottime);

	return (ns + nio_boot_offset_ns) / NIO_TICK_NS;
}

static __always_inline __u64 started_now(void)
{
	return started_of((const void *)bpf_get_current_task());
}

#endif
