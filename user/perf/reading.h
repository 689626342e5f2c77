/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of a side, from the read(2) of its groups: decoded, scaled, summed over threads. */
#ifndef PERF_READING_H
#define PERF_READING_H

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

#endif
