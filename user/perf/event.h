/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events of threads and CPUs: the only caller of perf_event_open(2). Their counts of a side:
 * decoded, scaled, summed over threads. And those of CPUs for the BPF programs (bpf/perf_stage.h),
 * which read them from maps.
 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <sys/types.h>

#include "bpf/perf_stage.h"
#include "model/result.h"
#include "perf_plan.h"

/* read(2) of a group (perf_event_open(2)): nr, time enabled, time running, then nr values. */
#define PERF_READ_HEAD  3
#define PERF_READ_WORDS (PERF_READ_HEAD + PERF_GROUP_MAX)

struct perf_reading {
	uint64_t enabled_ns; /* the task ran and the event was enabled */
	uint64_t running_ns; /* the event also had a counter */
	uint64_t values[PERF_GROUP_MAX];
};

/* Decodes the len bytes of a group of nr events. 0; -EPROTO: another layout. */
int perf_read__decode(const void *buf, size_t len, unsigned int nr, struct perf_reading *out);

/* Sum of one event over threads, scaled. Threads with running 0 count at the others' rate. */
struct perf_sum {
	double counted;      /* scaled values */
	double counted_ns;   /* enabled time of the threads with running > 0 */
	uint64_t enabled_ns; /* of all threads */
	uint64_t running_ns;
};

void perf_sum__add(struct perf_sum *sum, uint64_t value, uint64_t enabled_ns, uint64_t running_ns);

/*
 * The scaled sum, with a reason if scaled; unknown if threads ran and the event never did.
 * *running: share of the time counted, 0 to 1; 1 if no thread ran.
 */
struct num perf_sum__count(const struct perf_sum *sum, struct real *running);

/* Stores the sums of all slots for one side in *r. facts: for the reasons of missing counts. */
void perf_read__book(struct run_result *r, enum nio_side side, const struct perf_plan *plan,
		     const struct perf_sum sums[PERF_SLOTS_MAX], const struct perf_facts *facts);

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
 * Opens a disabled sampling event on one CPU for all tasks, for a BPF program. hz is above 0.
 * cycles: about hz samples a second while the CPU is busy; without a PMU -ENOENT, -EOPNOTSUPP or
 * -EINVAL. Else cpu-clock, within 2 % of hz. Returns a descriptor or -errno.
 */
int perf_event__open_sampling(bool cycles, unsigned int hz, int cpu);

/* Default: 1 pass in 61 is counted. A prime. */
#define PERF_STAGE_EVERY 61

struct perf_stage;

/*
 * Opens pinned events on each online CPU and stores them in the maps. Map -1: skips the event,
 * whose counts stay 0. events NULL: cycles and last-level cache misses. 0; -errno, for
 * perf_plan__reason(): then no event is left open.
 */
int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR]);
void perf_stage__close(struct perf_stage *s); /* takes NULL; while the maps are open */

#endif
