/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs senders and receivers are given; see cpu_pinning.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/stats.h"
#include "cpu_pinning.h"

#define SIDE_CPUS_MAX 256

static int by_node_and_cpu(const void *pa, const void *pb)
{
	const struct cpu_place *a = pa, *b = pb;
	int order = ORDER(a->node, b->node);

	return order ? order : ORDER(a->cpu, b->cpu);
}

static int has_core(const struct cpu_place *cpus, size_t n, unsigned int core)
{
	for (size_t i = 0; i < n; i++)
		if (cpus[i].core == core)
			return 1;
	return 0;
}

/* Moves one CPU of each core to the front; how many these are. */
static size_t one_of_each_core(struct cpu_place *cpus, size_t n)
{
	size_t cores = 0;

	for (size_t i = 0; i < n; i++)
		if (!has_core(cpus, cores, cpus[i].core))
			cpus[cores++] = cpus[i];
	return cores;
}

static void put_list(char text[CPU_PINNING_TEXT_MAX], const struct cpu_place *cpus, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, CPU_PINNING_TEXT_MAX - len, "%s%u",
					i ? "," : "", cpus[i].cpu);
}

int cpu_pinning__choose(struct cpu_pinning *p, struct cpu_place *cpus, size_t n,
			unsigned int threads)
{
	size_t each, cores;

	if (n < 2)
		return -ENOSPC;
	qsort(cpus, n, sizeof(*cpus), by_node_and_cpu);
	cores = one_of_each_core(cpus, n);
	if (cores > 1)
		n = cores;
	each = u64__least(u64__least(n / 2, threads ? threads : 1), SIDE_CPUS_MAX);
	put_list(p->senders, cpus, each);
	put_list(p->receivers, cpus + each, each);
	return 0;
}
