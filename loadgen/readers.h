/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's threads, one connection each. A reader's counts are under its lock, which it takes
 * once for each recv(), never while it waits for bytes: the main thread may look at any time. Knows
 * nothing of the control connection.
 */
#ifndef LOADGEN_READERS_H
#define LOADGEN_READERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "settings.h"
#include "stream.h"
#include "tally.h"

struct reader {
	_Alignas(64) int fd; /* -1: no connection yet */
	int wake_fd;
	bool started;
	pthread_t thread;
	uint8_t *buf;
	pthread_mutex_t lock; /* of all below */
	struct stream stream;
	struct tally tally;
	uint64_t expected; /* bytes of this phase; UINT64_MAX: not known yet */
	bool ended;        /* the connection is at its end */
	int err;
};

struct readers {
	struct reader *all;
	unsigned int nr;
	unsigned int connected;
	int wake_fd; /* readable when one has read what was expected, or ended */
};

/* Room for the connections of a session. Takes a zeroed one. */
int readers__open(struct readers *r, const struct wire_hello *hello, bool verify, bool same_clock);
void readers__close(struct readers *r); /* takes a zeroed or half-open one */

/* Takes over fd. -EEXIST when the index is taken: fd is then the caller's still. */
int readers__add(struct readers *r, uint32_t index, int fd);

/* turn: of the first thread in --cpus. */
int readers__start(struct readers *r, const struct cpu_list *cpus, unsigned int turn);

void readers__begin(struct readers *r); /* a phase: all counts to zero */
void readers__expect(struct readers *r, uint32_t index, uint64_t bytes);

/*
 * 1: everything expected was read; 0: not yet. -ECONNRESET: a connection ended before, -EOVERFLOW:
 * more came than was sent, else -errno of a read.
 */
int readers__settled(struct readers *r);

/* Sums the counts. */
void readers__read(struct readers *r, struct tally *sum);

#endif
