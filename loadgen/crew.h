/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sender's threads and their connections, connection i with thread i modulo their number:
 * starts phases on all of them at once, stops them, and tells by a file descriptor when all have
 * finished. Knows nothing of the control connection.
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
	_Alignas(64) struct crew *crew;
	unsigned int index;
	struct flow *flows;
	unsigned int nr;
	uint8_t *inbox;         /* with --request-response: where answers are read to */
	int epoll_fd, timer_fd; /* of pump.c; -1: it blocks on its one connection */
	struct tally tally;
	struct board board;
	pthread_t thread;
	bool started;
	int err; /* under the crew's lock */
};

struct crew {
	const struct settings *settings;
	struct crew_member *members;
	unsigned int members_nr;
	unsigned int nr; /* connections */
	int *fds;        /* of those not yet taken over by their thread */
	int wake_fd;     /* readable when all have finished a phase, or one failed */
	_Alignas(64) atomic_bool stop;
	atomic_bool closing;
	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t go, up;
	unsigned int up_nr; /* threads that are set up, or failed to be */
	uint32_t phase;     /* 0: none yet; CREW_EXIT: end */
	uint64_t begin;     /* of the phase, CLOCK_MONOTONIC */
	uint64_t deadline;  /* UINT64_MAX: none */
	unsigned int busy;
};

#define CREW_EXIT UINT32_MAX

/* Both take a zeroed crew, and crew__close() a half-open one. */
int crew__open(struct crew *c, const struct settings *s);
void crew__close(struct crew *c); /* also of threads that are blocked */

/* Gives connection index to the crew. Takes over fd. */
void crew__add(struct crew *c, uint32_t index, int fd);

/* Starts the threads on the connections given: all are set up when it returns. 0 or -errno. */
int crew__start(struct crew *c);

/* Connection index, of a crew that is idle. */
const struct flow *crew__flow(const struct crew *c, uint32_t index);

/*
 * Begins phase number `phase`: messages over all connections, UINT64_MAX: until crew__stop().
 * Threads that are sending stop at the deadline by themselves: whoever reads TCP_INFO of their
 * sockets meanwhile waits for the sockets' locks, for seconds where CPUs are scarce. Those that
 * wait have to be stopped.
 */
void crew__begin(struct crew *c, uint32_t phase, uint64_t messages, uint64_t deadline);
void crew__stop(struct crew *c);

/* True when all threads have finished the phase. err: of the first that failed, or 0. */
bool crew__idle(struct crew *c, int *err);

/* Whether an answer differed from what it should be, in the phase over; of a crew that is idle. */
bool crew__wrong(const struct crew *c);

/* Whether any thread has shown a message in this phase; each shows its first at once. */
bool crew__has_sent(struct crew *c);

/* Sums what the threads have shown. */
void crew__read(struct crew *c, struct tally *sum);

/* Takes what a thread has counted, for crew__read(), when it is time again. */
void crew_member__show(struct crew_member *m, uint64_t *shown);

#endif
