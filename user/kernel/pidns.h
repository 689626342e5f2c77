/* SPDX-License-Identifier: GPL-2.0-only */
/* The PID namespace of this process, for bpf/task.bpf.h. */
#ifndef KERNEL_PIDNS_H
#define KERNEL_PIDNS_H

#include <stdbool.h>
#include <stdint.h>

/* Its inode number; 0: the initial namespace, in which BPF programs see the same PIDs. */
uint32_t pidns__own(void);

/* Does /proc show the processes of our own PID namespace? */
bool pidns__has_proc(void);

#endif
