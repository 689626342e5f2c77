/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs for senders and for receivers, no core in both: where threads wander, sender and receiver
 * share a core in some rounds and not in others, which changes throughput by a factor. Pure.
 */
#ifndef MODEL_CPU_PINNING_H
#define MODEL_CPU_PINNING_H

#include <stddef.h>

#define CPU_PINNING_TEXT_MAX 1280 /* 256 CPUs of four digits, with commas */

struct cpu_place {
	unsigned int cpu;
	unsigned int core; /* the lowest CPU of its core */
	unsigned int node; /* NUMA */
};

struct cpu_pinning {
	char senders[CPU_PINNING_TEXT_MAX]; /* lists of CPUs: "0,2" */
	char receivers[CPU_PINNING_TEXT_MAX];
};

/*
 * Chooses of the n CPUs there are, whose order it changes: one CPU of each core, cores of one node
 * first, the first half for the senders, the second for the receivers, for each side no more than
 * threads. Where all are of one core, its CPUs serve as cores. -ENOSPC: fewer than two CPUs.
 */
int cpu_pinning__choose(struct cpu_pinning *p, struct cpu_place *cpus, size_t n,
			unsigned int threads);

#endif
