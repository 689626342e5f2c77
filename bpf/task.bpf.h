/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Processes: ids in the collector's PID namespace (programs see ids of the initial one), and start
 * times as in /proc/PID/stat. Id and start time together identify a process.
 */
#ifndef BPF_TASK_BPF_H
#define BPF_TASK_BPF_H

#include "kernel.bpf.h"
#include "sock_state.h"

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
	if (nio_pidns)
		return tgid_by_pidns(task_now());
	return has_task_btf() ? bpf_get_current_task_btf()->tgid : bpf_get_current_pid_tgid() >> 32;
}

#define PF_KTHREAD 0x00200000

static __always_inline bool is_kernel_thread(void)
{
	const struct task_struct *task = task_now();

	return kernel_read(struct task_struct, task, flags) & PF_KTHREAD;
}

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
	return started_of(task_now());
}

#endif
