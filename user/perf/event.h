/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf events of threads and CPUs: the only caller of perf_event_open(2). */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <sys/types.h>

#include "perf_plan.h"
#include "reading.h"

/*
 * Tries each slot on the calling thread (sets err), counts the counter registers, fills facts
 * except virtual_machine, packs the groups.
 */
void perf_event__probe(struct perf_plan *plan, struct perf_facts *facts);

struct perf_events;

/*
 * Opens the plan's groups, disabled, for all present threads of pid. The plan must outlive the
 * events. 0 or -errno. -EACCES: no permission; -ESRCH: pid is gone; -EMFILE: the limit cannot be
 * raised further.
 */
int perf_events__open(struct perf_events **out, const struct perf_plan *plan, pid_t pid);
void perf_events__close(struct perf_events *e); /* takes NULL */

unsigned int perf_events__threads(const struct perf_events *e);

/* All threads' groups, one after another, microseconds apart. 0 or -errno. */
int perf_events__enable(struct perf_events *e);
int perf_events__disable(struct perf_events *e);

/* Sums over threads since enabled; a thread that ended counts up to its end. 0 or -errno. */
int perf_events__read(const struct perf_events *e, struct perf_sum sums[PERF_SLOTS_MAX]);

/*
 * Opens an enabled event on one CPU, all tasks, for PERF_EVENT_ARRAY maps. pinned: always has a
 * counter, or none. group_fd: the leader, or -1. Returns a descriptor or -errno.
 */
int perf_event__open_cpu(const struct perf_spec *spec, int cpu, bool pinned, int group_fd);

/*
 * Opens a disabled sampling event on one CPU for all tasks, for a BPF program. hz is above 0.
 * cycles: about hz samples a second while the CPU is busy; without a PMU -ENOENT, -EOPNOTSUPP or
 * -EINVAL. Else cpu-clock, within 2 % of hz. Returns a descriptor or -errno.
 */
int perf_event__open_sampling(bool cycles, unsigned int hz, int cpu);

#endif
