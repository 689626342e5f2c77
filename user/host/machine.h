/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns machine properties that influence results, from /proc and /sys. */
#ifndef NETIOTRACE_MACHINE_H
#define NETIOTRACE_MACHINE_H

#include "model/result.h"

/* Fills m with the present setup; an unreadable value is empty or unknown. */
void machine__read(struct machine *m);

/* CPU time of all processors since boot, in ticks; unknown if unreadable. */
void machine__times(struct cpu_times *t);

/* Share of CPU time between two readings that the hypervisor stole, 0 to 1. */
struct real machine__steal(const struct cpu_times *begin, const struct cpu_times *end);

#endif
