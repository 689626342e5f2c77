/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time of a process so far. A CPU that a hypervisor or another task takes away for a while is
 * in the time by the clock, and neighbours do that by ten percent from one slice to the next. With
 * CONFIG_IRQ_TIME_ACCOUNTING interrupts, and so the receive path of loopback, are in no task's
 * time.
 */
#ifndef NETIOTRACE_BENCH_CPU_CLOCK_H
#define NETIOTRACE_BENCH_CPU_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* Adds the CPU time of all threads of the process to *ns. 0 or -errno: no such process. */
int cpu_clock__add(uint64_t *ns, pid_t pid);

#endif
