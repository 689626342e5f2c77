/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from this system what tells the kernel's preemption model. */
#ifndef NETIOTRACE_PREEMPT_H
#define NETIOTRACE_PREEMPT_H

/* The model in force, a static string, see model/preemption.h; NULL: the system does not tell. */
const char *preempt__read(void);

#endif
