/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples the CPU time of the watched processes, at a low rate, and not at all after ten seconds
 * without a byte sent or received: an idle process costs nothing.
 */
#ifndef ATTACH_CPU_SAMPLING_H
#define ATTACH_CPU_SAMPLING_H

#include "attach_result.h"
#include "kernel/mappings.h"

struct sampler;

#define CPU_STACKS_MAX 8192 /* stacks that are kept */

/* Processes whose mappings are kept. */
#define CPU_SAMPLING_MAPS 64

struct cpu_sampling {
	struct sampler *sampler; /* NULL: nothing is sampled */
	struct known_maps {
		uint32_t tgid;
		uint64_t started; /* the process of this id */
		uint64_t read_at; /* refresh in which they were read */
		struct mappings maps;
	} maps[CPU_SAMPLING_MAPS];
	void *stacks; /* of the profile by frames, tsearch(3) */
	uint64_t refresh;
	uint64_t refresh_ns; /* end of the previous refresh */
	bool paused;
};

/*
 * Begins to sample the tasks of the table (attach_probes__tasks()) at begun_ns. Never fails: if
 * nothing can be sampled, cpu says why.
 */
void cpu_sampling__open(struct cpu_sampling *s, int tasks, uint64_t begun_ns,
			struct cpu_result *cpu);

/* Adds the samples since the previous refresh to f and its processes. Call after sockets were read.
 */
void cpu_sampling__read(struct cpu_sampling *s, struct attach_result *f);

void cpu_sampling__stop(struct cpu_sampling *s); /* the last samples can still be read */
void cpu_sampling__close(struct cpu_sampling *s);

#endif
