/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance events of the kernel: what this machine has, opening them for threads, reading them.
 * The only part that calls perf_event_open(2); what numbers mean is reading.h's.
 */
#ifndef NETIOTRACE_PERF_EVENT_H
#define NETIOTRACE_PERF_EVENT_H

#include <sys/types.h>

#include "perf_plan.h"
#include "reading.h"

/*
 * Tries every slot of the plan on the calling thread (sets err), finds out how many registers a
 * group can really have, fills facts (but virtual_machine, which is the caller's to know), and
 * packs the groups. Never fails: what cannot be opened has its err.
 */
void perf_event__probe(struct perf_plan *plan, struct perf_facts *facts);

/* The events of one process's threads. */
struct perf_events;

/*
 * Opens the groups of plan, which must outlive the events, for all threads the process has now.
 * Nothing counts yet. 0 or -errno: -EACCES also when the process is not ours to watch, -ESRCH when
 * it is gone, -EMFILE after the limit of open files was raised as far as may be.
 */
int perf_events__open(struct perf_events **out, const struct perf_plan *plan, pid_t pid);
void perf_events__close(struct perf_events *e); /* takes NULL */

unsigned int perf_events__threads(const struct perf_events *e);

/* All threads' events, thread after thread: microseconds apart. */
int perf_events__enable(struct perf_events *e);
int perf_events__disable(struct perf_events *e);

/*
 * The counts since they were enabled, summed over threads; of a thread that ended, up to its end.
 * 0 or -errno.
 */
int perf_events__read(const struct perf_events *e, struct perf_sum sums[PERF_SLOTS_MAX]);

/*
 * One event on one CPU, of every task there, counting at once: what BPF programs read through a
 * PERF_EVENT_ARRAY map. pinned: it has its register always or not at all. group_fd: of its leader,
 * or -1. A file descriptor or -errno.
 */
int perf_event__open_cpu(const struct perf_spec *spec, int cpu, bool pinned, int group_fd);

/*
 * An event on one CPU, of every task there, that overflows hz (above 0) times a second while the
 * CPU is busy (cycles) or by the clock, there within 2 % and not on all CPUs at the same moments;
 * for a BPF program to be called by. Does nothing until it is enabled. A file descriptor or -errno:
 * of cycles -ENOENT, -EOPNOTSUPP or -EINVAL without a PMU.
 */
int perf_event__open_sampling(bool cycles, unsigned int hz, int cpu);

#endif
