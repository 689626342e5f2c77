/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keeps the table of watched tasks: fork, change of name, exit. */
#ifndef NETIOTRACE_TASK_LIFE_BPF_H
#define NETIOTRACE_TASK_LIFE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "task_filter.bpf.h"

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(nio_at_fork, struct task_struct *parent, struct task_struct *child)
{
	struct nio_task *task;
	char comm[16];

	if (child->tgid != child->pid)
		return 0;
	task = task_of(parent);
	/* A child has its parent's name, so a match by name covers it, too. */
	if (!task || !(nio_follow_children || task->named))
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	watch_task(child, tgid_of(parent), comm, !nio_follow_children);
	return 0;
}

static __always_inline void on_name(const struct task_struct *p, const char comm[16])
{
	struct nio_task *task = task_of(p);
	bool wanted_name = nio_comms_nr && comm_wanted(comm);
	__u32 tgid = tgid_of(p);

	if (task && task->named && !wanted_name)
		bpf_map_delete_elem(&nio_tasks, &tgid);
	else if (task)
		__builtin_memcpy(task->comm, comm, sizeof(task->comm));
	else if (wanted_name)
		watch_task(p, 0, comm, true);
}

SEC("?tp_btf/sched_process_exec")
int BPF_PROG(nio_at_exec, struct task_struct *p)
{
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	on_name(p, comm);
	return 0;
}

SEC("?tp_btf/task_rename")
int BPF_PROG(nio_at_rename, struct task_struct *task, const char *name)
{
	char comm[16] = {};

	if (task->tgid != task->pid)
		return 0;
	bpf_probe_read_kernel_str(comm, sizeof(comm), name);
	on_name(task, comm);
	return 0;
}

/* Marks the exit of a process with its last thread. Its id may be reused soon. */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(nio_at_exit, struct task_struct *p)
{
	struct nio_task *task = task_of(p);

	if (task && !BPF_CORE_READ(p, signal, live.counter))
		task->exit_ns = bpf_ktime_get_ns();
	return 0;
}

#endif
