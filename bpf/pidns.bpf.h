/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Process ids in the collector's PID namespace; programs see those of the initial one. */
#ifndef NETIOTRACE_PIDNS_BPF_H
#define NETIOTRACE_PIDNS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define NIO_PIDNS_LEVELS 33 /* MAX_PID_NS_LEVEL of the kernel + 1 */

/* Inode number of the collector's PID namespace; 0: the initial one. */
const volatile __u32 nio_pidns = 0;

/*
 * The id of a task in the collector's namespace; 0: outside. A task has an id in each parent
 * namespace. bpf_get_ns_current_pid_tgid() finds only tasks directly in the namespace.
 */
static __noinline __u32 tgid_by_pidns(const struct task_struct *task)
{
	const struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	const char *numbers = (const char *)pid + bpf_core_field_offset(struct pid, numbers);
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < NIO_PIDNS_LEVELS && i <= level; i++) {
		const struct upid *upid =
			(const void *)(numbers + i * bpf_core_type_size(struct upid));

		if (BPF_CORE_READ(upid, ns, ns.inum) == nio_pidns)
			return BPF_CORE_READ(upid, nr);
	}
	return 0;
}

static __always_inline __u32 tgid_of(const struct task_struct *task)
{
	return nio_pidns ? tgid_by_pidns(task) : BPF_CORE_READ(task, tgid);
}

static __always_inline __u32 tgid_now(void)
{
	return nio_pidns ? tgid_by_pidns((const void *)bpf_get_current_task())
			 : bpf_get_current_pid_tgid() >> 32;
}

#endif
