/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sender's threads, one connection each: starts phases on all of them at once, stops them,
 * and tells by a file descriptor when all have finished. Knows nothing of the control connection.
 */
#ifndef LOADGEN_CREW_H
#define LOADGEN_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "flow.h"
#include "tally.h"

struct crew;

struct crew_member {
	_Alignas(64) struct flow flow;
	struct board board;
	struct crew *crew;
	pthread_t thread;
	bool started;
	uint64_t quota; /* messages of this phase; UINT64_MAX: until stopped */
	int err;        /* read only when the crew is idle */
};

struct crew {
	const struct settings *settings;
	struct crew_member *members;
	unsigned int nr;
	int wake_fd; /* readable when all have finished a phase, or one failed */
	_Alignas(64) atomic_bool stop;
	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t go;
	uint32_t phase;    /* 0: none yet; CREW_EXIT: end */
	uint64_t deadline; /* of the phase, CLOCK_MONOTONIC; UINT64_MAX: none */
	unsigned int busy;
};

#define CREW_EXIT UINT32_MAX

/* Both take a zeroed crew, and crew__close() a half-open one. */
int crew__open(struct crew *c, const struct settings *s);
void crew__close(struct crew *c); /* also of threads that are blocked */

/* Gives connection index to the crew, then starts its thread. Takes over fd in any case. */
int crew__add(struct crew *c, uint32_t index, int fd);

/*
 * Begins phase number `phase`: messages over all threads, UINT64_MAX: until crew__stop(). Threads
 * that are sending stop at the deadline by themselves: whoever reads TCP_INFO of their sockets
 * meanwhile waits for the sockets' locks, for seconds where CPUs are scarce. Those that wait have
 * to be stopped.
 */
void crew__begin(struct crew *c, uint32_t phase, uint64_t messages, uint64_t deadline);
void crew__stop(struct crew *c);

/* True when all threads have finished the phase. err: of the first that failed, or 0. */
bool crew__idle(struct crew *c, int *err);

/* Sums what the threads have shown; each thread's own messages when it is idle: member->board. */
void crew__read(struct crew *c, struct tally *sum);

#endif
