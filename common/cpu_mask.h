/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of as many CPUs as a kernel can have: cpu_set_t ends at 1024, and a kernel that can have
 * more does not tell the CPUs of a process in so little room (sched_getaffinity(2), EINVAL). Pure.
 */
#ifndef NETIOTRACE_CPU_MASK_H
#define NETIOTRACE_CPU_MASK_H

#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define CPUS_MAX 8192 /* that a kernel can be built for (NR_CPUS_RANGE_END of x86) */

#define CPU_MASK_WORD_BITS (8 * sizeof(unsigned long))

struct cpu_mask {
	unsigned long word[CPUS_MAX / CPU_MASK_WORD_BITS]; /* as the kernel has them */
};

/* For the calls that take a set and its size. */
static inline cpu_set_t *cpu_mask__set(struct cpu_mask *m)
{
	return (cpu_set_t *)m->word;
}

static inline bool cpu_mask__has(const struct cpu_mask *m, unsigned int cpu)
{
	return cpu < CPUS_MAX &&
	       (m->word[cpu / CPU_MASK_WORD_BITS] >> cpu % CPU_MASK_WORD_BITS & 1);
}

/* No CPU but this one, which is below CPUS_MAX. */
static inline void cpu_mask__only(struct cpu_mask *m, unsigned int cpu)
{
	memset(m, 0, sizeof(*m));
	m->word[cpu / CPU_MASK_WORD_BITS] = 1UL << cpu % CPU_MASK_WORD_BITS;
}

#endif
