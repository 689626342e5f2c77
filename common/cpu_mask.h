/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU set for any kernel: with cpu_set_t (1024 CPUs) sched_getaffinity(2) may give EINVAL. */
#ifndef COMMON_CPU_MASK_H
#define COMMON_CPU_MASK_H

#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define CPUS_MAX 8192 /* the largest NR_CPUS of x86 (NR_CPUS_RANGE_END) */

#define CPU_MASK_WORD_BITS (8 * sizeof(unsigned long))

struct cpu_mask {
	unsigned long word[CPUS_MAX / CPU_MASK_WORD_BITS]; /* in the kernel's layout */
};

/* For calls that take a cpu_set_t and its size. */
static inline cpu_set_t *cpu_mask__set(struct cpu_mask *m)
{
	return (cpu_set_t *)m->word;
}

static inline bool cpu_mask__has(const struct cpu_mask *m, unsigned int cpu)
{
	return cpu < CPUS_MAX &&
	       (m->word[cpu / CPU_MASK_WORD_BITS] >> cpu % CPU_MASK_WORD_BITS & 1);
}

/* Sets the mask to `cpu` only, which must be below CPUS_MAX. */
static inline void cpu_mask__only(struct cpu_mask *m, unsigned int cpu)
{
	memset(m, 0, sizeof(*m));
	m->word[cpu / CPU_MASK_WORD_BITS] = 1UL << cpu % CPU_MASK_WORD_BITS;
}

#endif
