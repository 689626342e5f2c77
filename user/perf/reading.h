/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From what read(2) returns of a group of perf events to the counts of a side: decoding, scaling,
 * summing over threads. Pure.
 */
#ifndef NETIOTRACE_PERF_READ_H
#define NETIOTRACE_PERF_READ_H

#include "perf_plan.h"

/*
 * What read(2) gives with PERF_FORMAT_GROUP | _TOTAL_TIME_ENABLED | _TOTAL_TIME_RUNNING
 * (perf_event_open(2), "Reading results"): nr, time enabled, time running, then nr values.
 */
#define PERF_READ_HEAD  3
#define PERF_READ_WORDS (PERF_READ_HEAD + PERF_GROUP_MAX)

struct perf_reading {
	uint64_t enabled_ns; /* the task ran while the event was on */
	uint64_t running_ns; /* and the event had a register */
	uint64_t values[PERF_GROUP_MAX];
};

/* Decodes len bytes of a group of nr events. 0; -EPROTO when that is not what it holds. */
int perf_read__decode(const void *buf, size_t len, unsigned int nr, struct perf_reading *out);

/*
 * The sum of one event over threads. A thread's count is scaled by enabled / running. A thread that
 * ran so shortly that the event never had its turn (running 0) is taken to count at the rate of the
 * others: all is scaled by the time of all over the time of those counted.
 */
struct perf_sum {
	double counted;      /* scaled values */
	double counted_ns;   /* enabled time of the threads behind them */
	uint64_t enabled_ns; /* of all threads */
	uint64_t running_ns;
};

void perf_sum__add(struct perf_sum *sum, uint64_t value, uint64_t enabled_ns, uint64_t running_ns);

/*
 * Known unless the event never counted though threads ran. Its reason is set when it was scaled.
 * running, 0..1, is what to judge a scaled count by; 1 when no thread ran.
 */
struct num perf_sum__count(const struct perf_sum *sum, struct real *running);

/* Sums of all slots of a plan for one side, into r. facts: for the reasons of what is missing. */
void perf_read__book(struct run_result *r, enum nio_side side, const struct perf_plan *plan,
		     const struct perf_sum sums[PERF_SLOTS_MAX], const struct perf_facts *facts);

#endif
