/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time of watched processes by class, from samples: shares with their intervals. Pure. */
#ifndef NETIOTRACE_CPU_SPLIT_H
#define NETIOTRACE_CPU_SPLIT_H

#include "base/num.h"
#include "cpu_time.h"

/* Samples of one process, or of several. */
struct cpu_split {
	struct cpu_samples samples;
	uint64_t untold;    /* of CPU_CLASS_USER: may be copies of the program or not */
	uint64_t encrypted; /* of CPU_CLASS_USER: in a library that encrypts */
};

/* All samples, and how they were taken. */
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

/* A share of the samples, 0..1, with its 95 % interval. */
struct cpu_part {
	struct real share;
	double low, high; /* meaningless unless share is known */
};

/*
 * The share of one class. CPU_CLASS_GATHER: of copies in the C library; untold samples widen the
 * interval upward, and make the share unknown if they are more than a quarter.
 */
struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c);

/* The share of all classes whose bit (1 << class) is set in classes. */
struct cpu_part cpu_split__parts(const struct cpu_split *s, uint32_t classes);

void cpu_split__add(struct cpu_split *s, enum cpu_class c, bool shifted);
void cpu_split__add_all(struct cpu_split *s, const struct cpu_split *more);

#endif
