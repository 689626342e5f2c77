/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * When a process began, as /proc/PID/stat tells it: ids are used again, and with it they name one
 * process only.
 */
#ifndef NETIOTRACE_STARTED_BPF_H
#define NETIOTRACE_STARTED_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "sock_state.h"

/* What /proc adds to the time since boot in the collector's time namespace. */
const volatile __s64 nio_boot_offset_ns = 0;

/* In ticks, as user space has it, which asks /proc. A thread that execs takes its leader's. */
static __always_inline __u64 started_of(const struct task_struct *task)
{
	__u64 ns = BPF_CORE_READ(task, group_leader, start_boottime);

	return (ns + nio_boot_offset_ns) / NIO_TICK_NS;
}

static __always_inline __u64 started_now(void)
{
	return started_of((const void *)bpf_get_current_task());
}

#endif
