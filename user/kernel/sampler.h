/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of CPU time: perf events that call a BPF program so many times a second on each CPU,
 * which writes the kernel's stack down. The only part that knows its skeleton.
 */
#ifndef NETIOTRACE_SAMPLER_H
#define NETIOTRACE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/netiotrace.h"
#include "bpf/samples.h"

struct sampler;
struct symbols;

/* Prime, so that it is in step with nothing that is done so many times a second. */
#define SAMPLER_HZ 997

/* For as long as a program is watched: a tick costs a virtual machine some microseconds. */
#define SAMPLER_HZ_TASKS 49

/*
 * Loads the program. symbols are the kernel's, and outlive the sampler. 0 or -errno, and in why
 * what was refused, a clause.
 */
int sampler__open(struct sampler **out, const struct symbols *symbols, char *why, size_t len);

/*
 * The same for the tasks of a table: a BPF hash of struct nio_task by tgid (bpf/sock_state.h), of
 * which those that have not exited are sampled.
 */
int sampler__open_tasks(struct sampler **out, const struct symbols *symbols, int tasks, char *why,
			size_t len);
void sampler__close(struct sampler *s); /* takes NULL */

/*
 * From start to stop, samples are taken of these processes of sender and receiver (0: there is
 * none; NULL: of the tasks), hz a second on each CPU. 0 or -errno: nothing is sampled then, and why
 * says it. What an earlier start found is forgotten.
 */
int sampler__start(struct sampler *s, const pid_t pids[NIO_SIDE_NR], unsigned int hz, char *why,
		   size_t len);
void sampler__stop(struct sampler *s);

/* Between start and stop: no samples are taken, and the events cost nothing, until it is undone. */
void sampler__rest(struct sampler *s, bool rest);

unsigned int sampler__hz(const struct sampler *s); /* asked for, a CPU */

/*
 * What the samples are counted by since the last start: CPU_SOURCE_CYCLES, or CPU_SOURCE_CLOCK
 * where the kernel refused them, which each start asks anew: it may differ between two of them.
 */
const char *sampler__source(const struct sampler *s);

/* Why not by cycles, a clause with the kernel's error; "": they are. Holds until the next start. */
const char *sampler__no_cycles(const struct sampler *s);

/* Hands over each sample taken so far, once. 0, or what take returned when it was not 0. */
int sampler__take(struct sampler *s, int (*take)(const struct nio_sample *sample, void *arg),
		  void *arg);

/* Samples that were due since the start and could not be taken. */
uint64_t sampler__lost(const struct sampler *s, enum nio_sample_whose whose);

#endif
