/* SPDX-License-Identifier: GPL-2.0-only */
/* The namespace of pids that we are in: bpf/task.bpf.h. */
#ifndef KERNEL_PIDNS_H
#define KERNEL_PIDNS_H

#include <stdbool.h>
#include <stdint.h>

/* Its inode number; 0: it is the first, whose ids the programs see as they are. */
uint32_t pidns__own(void);

/* Has /proc the processes of our own namespace, and not those of another? */
bool pidns__has_proc(void);

#endif
