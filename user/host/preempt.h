/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the kernel's preemption model from this system. */
#ifndef NETIOTRACE_PREEMPT_H
#define NETIOTRACE_PREEMPT_H

/* The active model, a static string (model/preemption.h); NULL: unknown. */
const char *preempt__read(void);

#endif
