/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver threads; connection i belongs to thread i modulo their number. A thread takes its
 * lock after each call that receives, and does not block while it holds the lock.
 */
#ifndef LOADGEN_RECEIVER_POOL_H
#define LOADGEN_RECEIVER_POOL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "receive_way.h"
#include "lg_options.h"
#include "rx_parser.h"
#include "counters.h"

/* Most bytes of one call. Measured on loopback: compared with 128 KiB, fewer calls outweigh more
 * cache misses. */
#define RECV_LOOP_CHUNK (256 << 10)

/* One connection. */
struct receiver_conn {
	int fd;
	bool ended;
	uint64_t bytes;    /* read in this phase */
	uint64_t expected; /* UINT64_MAX: not known yet */
	struct rx_parser parser;
	struct reply reply; /* used by its thread only */
};

struct recv_loop {
	_Alignas(64) struct receiver_pool *all;
	pthread_t thread;
	bool started;
	int epoll_fd; /* -1: the thread blocks on one connection */
	uint8_t *buf; /* RECV_LOOP_CHUNK; replies are built in it too */
	void *own;    /* of the way to receive */
	unsigned int nr;
	struct receiver_conn *conns;
	pthread_mutex_t lock; /* protects all members below, and conns */
	struct counters counters;
	unsigned int pending; /* connections that have not read what is expected */
	unsigned int owing;   /* connections with replies to send or to count */
	int err;
};

struct receiver_pool {
	const struct lg_options *options;
	const struct receive_way *way;
	bool replies; /* each message gets a reply */
	struct recv_loop *threads;
	unsigned int threads_nr;
	unsigned int nr;           /* connections */
	int *fds;                  /* of the connections */
	int wake_fd;               /* readable: a thread has read what is expected, or failed */
	_Atomic uint64_t begin_ns; /* begin of the phase */
	sem_t up;                  /* posted by each thread when its setup succeeded or failed */
	atomic_int up_err;         /* error of a setup */
};

struct receiver_pool_plan {
	const struct protocol_hello *hello;
	bool same_clock;
	unsigned int turn; /* index in --cpus of the first thread */
};

/* Takes ownership of the descriptors in fds[], also on error. Returns when all threads are set up.
 * 0 or -errno. */
int receiver_pool__open(struct receiver_pool *r, const struct lg_options *s,
			const struct receiver_pool_plan *p, const int *fds);
void receiver_pool__close(struct receiver_pool *r); /* also accepts a zeroed or partly open one */

void receiver_pool__begin(struct receiver_pool *r); /* begins a phase: zeroes all counters */

/* Sets the begin of the phase, before the sender may send: no recv_call begins earlier. */
void receiver_pool__set_begin(struct receiver_pool *r, uint64_t begin_ns);

void receiver_pool__expect(struct receiver_pool *r, uint32_t index, uint64_t bytes);

/* Bytes read in this phase, on one connection and on all. */
uint64_t receiver_pool__bytes(struct receiver_pool *r, uint32_t index);
uint64_t receiver_pool__progress(struct receiver_pool *r);

/* 1: all is read; 0: not yet. -ECONNRESET: early end. -EOVERFLOW: excess bytes. Other -errno. */
int receiver_pool__settled(struct receiver_pool *r);

/* Adds the counters of all threads to *sum. */
void receiver_pool__read(struct receiver_pool *r, struct counters *sum);

#endif
