/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of CPU time: perf events on each CPU call a BPF program that records the kernel's stack.
 */
#ifndef KERNEL_SAMPLER_H
#define KERNEL_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/netiotrace.h"
#include "bpf/samples.h"

struct cpu_result;
struct sampler;
struct symbols;

/* Samples a second and CPU. Primes, so that no periodic work is in step. */
#define SAMPLER_HZ       997
#define SAMPLER_HZ_TASKS 49 /* for long sessions: a tick costs a virtual machine microseconds */

/*
 * Loads the program and the kernel's symbols. tasks: -1, or samples only the tasks of a BPF hash of
 * struct nio_task by tgid (bpf/sock_state.h) that have not exited. 0 or -errno, with a clause in
 * why.
 */
int sampler__open(struct sampler **out, int tasks, char *why, size_t len);
void sampler__close(struct sampler *s); /* takes NULL */

/*
 * Samples these processes of sender and receiver (0: none; NULL: the tasks) until stop, hz times a
 * second on each CPU; softirq work on top of other tasks only for the sockets of the run (NULL:
 * unknown). 0 or -errno, with a clause in why. Forgets earlier samples.
 */
int sampler__start(struct sampler *s, const pid_t pids[NIO_SIDE_NR], const struct nio_run *run,
		   unsigned int hz, char *why, size_t len);
void sampler__stop(struct sampler *s);

/* Between start and stop: pauses at no cost, or resumes. */
void sampler__pause(struct sampler *s, bool paused);

/* The kernel's symbols, owned by s. */
const struct symbols *sampler__symbols(const struct sampler *s);

/* Fills *out with how samples were taken since the last start: known, source, no_cycles and hz. */
void sampler__describe(const struct sampler *s, struct cpu_result *out);

/* Hands over each new sample, once. 0, or what handle() returned if not 0. */
int sampler__read(struct sampler *s, int (*handle)(const struct nio_sample *sample, void *arg),
		  void *arg);

/* Samples since the start that could not be recorded. */
uint64_t sampler__lost(const struct sampler *s, enum nio_sample_owner owner);

#endif
