/* SPDX-License-Identifier: GPL-2.0-only */
/* What else on this machine moves the figures: read from /proc and /sys. */
#ifndef NETIOTRACE_MACHINE_H
#define NETIOTRACE_MACHINE_H

#include "model/result.h"

/* Fills m with how the machine is set up, now. What cannot be read is empty or unknown. */
void machine__read(struct machine *m);

/* The CPU time of all processors so far, for machine__steal(): unknown when it cannot be read. */
void machine__times(struct cpu_times *t);

/* The share of CPU time between two readings that the hypervisor gave to others, 0 to 1. */
struct real machine__steal(const struct cpu_times *begin, const struct cpu_times *end);

#endif
