/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time of watched processes by class, from samples: shares with their intervals. Pure. */
#ifndef NETIOTRACE_CPU_SPLIT_H
#define NETIOTRACE_CPU_SPLIT_H

#include "base/num.h"
#include "model/cpu_time.h"

/* Samples of one process, or of all. */
struct cpu_split {
	struct cpu_samples samples;
	/* Of CPU_CLASS_USER, those of which it is not told whether the program copies. */
	uint64_t untold;
	uint64_t encrypted; /* of CPU_CLASS_USER: in a library that encrypts */
};

/* How they were come by, and all of them. */
struct cpu_found {
	bool known;
	char reason[192];                  /* why not */
	const char *source;                /* CPU_SOURCE_CYCLES or _CLOCK */
	char no_cycles[CPU_NO_CYCLES_MAX]; /* why not by cycles; "": they are */
	unsigned int hz;                   /* asked for, a CPU */
	uint64_t sampled_ns;               /* while bytes moved */
	uint64_t lost;
	struct cpu_split total;
};

/* A share of the samples, 0..1, between which values in 95 of 100 cases. */
struct cpu_part {
	struct real share;
	double low, high; /* meaningless unless share is known */
};

/*
 * Of one class. CPU_CLASS_GATHER: of copies in the C library; samples of which it is not told are
 * in the upper end of the interval, and if they are more than a quarter the share is unknown.
 */
struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c);

void cpu_split__add(struct cpu_split *s, enum cpu_class c, bool shifted);

#endif
