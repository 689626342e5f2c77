/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender threads and their phases. Connection i belongs to thread i modulo their number. */
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
	uint8_t *inbox;         /* --request-response: buffer for replies */
	int epoll_fd, timer_fd; /* used by pump.c; -1: the thread blocks on one connection */
	struct tally tally;
	struct board board;
	pthread_t thread;
	bool started;
	int err; /* protected by crew.lock */
};

struct crew {
	const struct settings *settings;
	struct crew_member *members;
	unsigned int members_nr;
	unsigned int nr; /* connections */
	int *fds;        /* connections that no thread owns yet */
	int wake_fd;     /* readable: all threads finished a phase, or one failed */
	_Alignas(64) atomic_bool stop;
	atomic_bool closing;
	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t go, up;
	unsigned int up_nr; /* threads whose setup succeeded or failed */
	uint32_t phase;     /* 0: none yet; CREW_EXIT: exit */
	uint64_t begin;     /* begin of the phase, ns */
	uint64_t deadline;  /* ns; UINT64_MAX: none */
	unsigned int busy;
};

#define CREW_EXIT UINT32_MAX

/* *c must be zeroed. crew__close() also accepts a crew that is zeroed or partly open. */
int crew__open(struct crew *c, const struct settings *s);
void crew__close(struct crew *c); /* ends blocked threads, too */

/* Takes ownership of fd as connection `index`. */
void crew__add(struct crew *c, uint32_t index, int fd);

/* Starts the threads; returns when each has set up its connections. 0 or -errno. */
int crew__start(struct crew *c);

/* Connection `index`. The crew must be idle. */
const struct flow *crew__flow(const struct crew *c, uint32_t index);

/*
 * Begins a phase. messages: the sum over all connections; UINT64_MAX: until crew__stop(). Sending
 * threads check the deadline themselves: TCP_INFO takes the socket lock and may delay the main
 * thread. Waiting threads need crew__stop().
 */
void crew__begin(struct crew *c, uint32_t phase, uint64_t messages, uint64_t deadline);
void crew__stop(struct crew *c);

/* True when all threads have finished the phase. *err: the first error of a thread, or 0. */
bool crew__idle(struct crew *c, int *err);

/* Whether a reply of the last phase had a wrong byte or number. The crew must be idle. */
bool crew__wrong(const struct crew *c);

/* Whether a thread has published a message. Each publishes its first message of a phase at once. */
bool crew__has_sent(struct crew *c);

/* Adds the published counters of all threads to *sum. */
void crew__read(struct crew *c, struct tally *sum);

/* Publishes counters every BOARD_INTERVAL_NS and checks the deadline. *shown: last time or 0. */
void crew_member__show(struct crew_member *m, uint64_t *shown);

#endif
