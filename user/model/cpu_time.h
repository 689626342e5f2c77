/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time by class, from samples: counts by whose they are, shares with their interval, and the
 * CPU time of a side divided by them. Pure.
 */
#ifndef NETIOTRACE_CPU_TIME_H
#define NETIOTRACE_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

/* What samples are counted by. */
#define CPU_SOURCE_CYCLES "cycles"               /* of a PMU */
#define CPU_SOURCE_CLOCK  "cpu-clock"            /* a timer */
#define CPU_SOURCE_BOTH   "cycles and cpu-clock" /* of a sum: some rounds by either */

#define CPU_NO_CYCLES_MAX 128 /* a clause that says why not by cycles, with its end */

/* Samples of one side, or of elsewhere. */
struct cpu_samples {
	uint64_t samples; /* of all classes, CPU_CLASS_OTHER too */
	uint64_t lost;    /* due, but not to be had */
	uint64_t shifted; /* landed where interrupts are let in again; see stack_rules.h */
	uint64_t classes[CPU_CLASS_NR];
};

/* What one or more sampled rounds found. */
struct cpu_result {
	bool known;
	char reason[192];   /* why not */
	const char *source; /* CPU_SOURCE_*; NULL: none */
	/* Why not by cycles, of a sum the first that says so; "": all are. */
	char no_cycles[CPU_NO_CYCLES_MAX];
	unsigned int hz;      /* asked for, a CPU */
	uint64_t duration_ns; /* sampled */
	uint64_t payload;     /* bytes moved meanwhile */
	struct cpu_samples by[NIO_SAMPLE_WHOSE_NR];
	struct profile profile;
};

const char *cpu_time__whose(enum nio_sample_whose w); /* "sender", "receiver", "elsewhere" */

/* Nothing was sampled, for this reason, which is copied. Frees what there was. */
void cpu_time__none(struct cpu_result *c, const char *reason);
void cpu_time__clear(struct cpu_result *c);

/* Counts a stack and keeps it. 0, so that walks over samples go on. */
int cpu_time__take(struct cpu_result *c, const struct profile_stack *stack, bool shifted);

/* The source of what is from both together; NULL: of nothing so far. */
const char *cpu_time__source(const char *a, const char *b);

/* Adds src to dst: the sum of what either knows. They share no memory afterwards. */
void cpu_time__add(struct cpu_result *dst, const struct cpu_result *src);

/*
 * Divides total_ns by the samples of each class, to the nanosecond: each gets the part below its
 * share, and those with the largest remainders one more (Hamilton's method). All 0 without samples.
 */
void cpu_time__divide(const struct cpu_samples *s, uint64_t total_ns, uint64_t ns[CPU_CLASS_NR]);

struct cpu_share {
	double value;     /* 0..1; NaN without samples */
	double low, high; /* that holds the true share in 95 of 100 cases: Wilson's interval */
};

struct cpu_share cpu_time__share(const struct cpu_samples *s, enum cpu_class c);

#endif
