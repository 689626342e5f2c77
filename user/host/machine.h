/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns machine properties that influence results, from /proc and /sys. */
#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include <sys/types.h>

#include "model/cpu_pinning.h"
#include "model/result.h"

/*
 * Fills m with the present setup; an unreadable value is empty or unknown. irq_time: whether the
 * kernel's types show CONFIG_IRQ_TIME_ACCOUNTING, for machines without a readable configuration.
 */
void machine__read(struct machine *m, struct flag irq_time);

/* The load average of one minute. */
struct real machine__load(void);

/* CPU time of all processors since boot, in ticks; unknown if unreadable. */
void machine__times(struct cpu_times *t);

/* The machine's CPU time at one moment, and that of the run's processes among it. */
struct cpu_mark {
	struct cpu_times machine;
	uint64_t ours_ns;
	bool known; /* ours_ns */
};

/* Reads both; ours: of this process and the nr processes pids (0: none). */
void machine__mark(struct cpu_mark *m, const pid_t *pids, size_t nr);

/*
 * Books what passed between two marks: machine_ns and its parts; nothing if it is unknown.
 * irq_time: whether the kernel accounts interrupts apart from tasks.
 */
void machine__book(struct health *h, const struct cpu_mark *begin, const struct cpu_mark *end,
		   struct flag irq_time);

/* Share of CPU time between two readings that the hypervisor stole, 0 to 1. */
struct real machine__steal(const struct cpu_times *begin, const struct cpu_times *end);

/*
 * Reads the CPUs of our affinity with their cores and NUMA nodes into *cpus, *n of them; the caller
 * frees *cpus. 0 or -errno.
 */
int machine__cpus(struct cpu_place **cpus, size_t *n);

/* The active word of a file such as "always [madvise] never"; empty if unreadable. */
void machine__active_word(const char *path, char *out, size_t len);

#endif
