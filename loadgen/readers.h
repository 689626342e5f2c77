/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's threads. Connection i belongs to thread i modulo the number of threads; a thread
 * with one connection blocks in recv(), one with several waits for them by epoll. A thread's counts
 * are under its lock, which it takes once for each recv(), never while it waits for bytes: the main
 * thread may look at any time. Knows nothing of the control connection.
 */
#ifndef LOADGEN_READERS_H
#define LOADGEN_READERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reply.h"
#include "settings.h"
#include "stream.h"
#include "tally.h"

/* One connection. */
struct inflow {
	int fd;
	bool ended;
	uint64_t bytes;    /* of this phase */
	uint64_t expected; /* UINT64_MAX: not known yet */
	struct stream stream;
	struct reply reply; /* its thread's alone */
};

struct reader {
	_Alignas(64) struct readers *all;
	pthread_t thread;
	bool started;
	int epoll_fd; /* -1: one connection, which it blocks on */
	uint8_t *buf;
	unsigned int nr;
	struct inflow *flows;
	pthread_mutex_t lock; /* of all below, and of flows */
	struct tally tally;
	unsigned int pending; /* connections that have not read what is expected of them */
	unsigned int owing;   /* and that have answers to send, or to count */
	int err;
};

struct readers {
	const struct settings *settings;
	bool replies; /* each message is answered */
	struct reader *threads;
	unsigned int threads_nr;
	unsigned int nr; /* connections */
	int wake_fd;     /* readable when a thread has read what was expected, or failed */
	pthread_mutex_t lock;
	pthread_cond_t up;
	unsigned int up_nr; /* threads that are set up, or failed to be */
	int up_err;
};

struct readers_plan {
	const struct wire_hello *hello;
	bool verify, same_clock;
	unsigned int turn; /* of the first thread in --cpus */
};

/*
 * Takes over the data connections fds[hello->connections], in any case, and starts the threads: all
 * are set up when it returns. Takes a zeroed one. 0 or -errno; then readers__close().
 */
int readers__open(struct readers *r, const struct settings *s, const struct readers_plan *p,
		  const int *fds);
void readers__close(struct readers *r); /* takes a zeroed or half-open one */

int readers__fd(const struct readers *r, uint32_t index);

void readers__begin(struct readers *r); /* a phase: all counts to zero */
void readers__expect(struct readers *r, uint32_t index, uint64_t bytes);

/* Bytes read so far on one connection; and on all. */
uint64_t readers__bytes(struct readers *r, uint32_t index);
uint64_t readers__progress(struct readers *r);

/*
 * 1: everything expected was read; 0: not yet. -ECONNRESET: a connection ended before, -EOVERFLOW:
 * more came than was sent, else -errno of a read.
 */
int readers__settled(struct readers *r);

/* Sums the counts. */
void readers__read(struct readers *r, struct tally *sum);

#endif
