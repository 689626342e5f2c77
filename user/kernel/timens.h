/* SPDX-License-Identifier: GPL-2.0-only */
/* The namespace of times that we are in: bpf/task.bpf.h. */
#ifndef NETIOTRACE_TIMENS_H
#define NETIOTRACE_TIMENS_H

#include <stdint.h>

/* What /proc adds to times since boot for us to read; 0 in the first namespace. */
int64_t timens__boot_offset_ns(void);

#endif
