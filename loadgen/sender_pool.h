/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender threads and their phases. Connection i belongs to thread i modulo their number. */
#ifndef LOADGEN_SENDER_POOL_H
#define LOADGEN_SENDER_POOL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sender_conn.h"
#include "counters.h"

struct sender_pool;

struct sender_thread {
	_Alignas(64) struct sender_pool *pool;
	unsigned int index;
	struct sender_conn *conns;
	unsigned int nr;
	uint8_t *inbox;         /* --request-response: buffer for replies */
	int epoll_fd, timer_fd; /* -1: the thread blocks on one connection */
	struct counters counters;
	struct shared_counters shared;
	pthread_t thread;
	bool started;
	int err; /* protected by sender_pool.lock */
};

struct sender_pool {
	const struct lg_options *options;
	struct sender_thread *threads;
	unsigned int threads_nr;
	unsigned int nr; /* connections */
	int *fds;        /* of the connections, owned; -1: not connected yet */
	int wake_fd;     /* readable: all threads finished a phase, or one failed */
	_Alignas(64) atomic_bool stop;
	atomic_bool closing;
	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t go;
	sem_t up;          /* posted by each thread when its setup succeeded or failed */
	uint32_t phase;    /* 0: none yet; SENDER_POOL_EXIT: exit */
	uint64_t begin;    /* begin of the phase, ns */
	uint64_t deadline; /* ns; UINT64_MAX: none */
	uint64_t grace_ns; /* --rate: time after the deadline for messages due before it */
	unsigned int busy;
};

#define SENDER_POOL_EXIT UINT32_MAX

/* *c must be zeroed. sender_pool__close() also accepts a pool that is zeroed or partly open. */
int sender_pool__open(struct sender_pool *c, const struct lg_options *s); /* 0 or -errno */
void sender_pool__close(struct sender_pool *c); /* also ends blocked threads */

/* Starts the threads; returns when each has set up its connections. 0 or -errno. */
int sender_pool__start(struct sender_pool *c);

/* Connection `index`. The pool must be idle. */
const struct sender_conn *sender_pool__conn(const struct sender_pool *c, uint32_t index);

/*
 * Begins a phase of duration_ns (0: without a deadline). messages: the sum over all connections;
 * UINT64_MAX: until the deadline or sender_pool__stop().
 * Sending threads check the deadline themselves: TCP_INFO takes the socket lock and may delay the
 * main thread. Waiting threads need sender_pool__stop(), but not with --rate: then a phase has the
 * messages that are due before the deadline. What a thread has not begun grace_ns after it first
 * sees that the deadline is over, or when it is stopped, counts in COUNTERS_MISSED.
 */
void sender_pool__begin(struct sender_pool *c, uint32_t phase, uint64_t messages,
			uint64_t duration_ns, uint64_t grace_ns);
void sender_pool__stop(struct sender_pool *c);

/* True when all threads have finished the phase. *err: the first error of a thread, or 0. */
bool sender_pool__idle(struct sender_pool *c, int *err);

/* Whether a thread has published a message. Each publishes its first message of a phase at once. */
bool sender_pool__has_sent(struct sender_pool *c);

/* Adds the published counters of all threads to *sum. */
void sender_pool__read(struct sender_pool *c, struct counters *sum);

/* When message k of a thread is due, ns. `nr` of `all` connections send nr / all of the rate. */
uint64_t sender_pool__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all);

/* How many messages of that thread are due within the first `ns` of a phase. */
uint64_t sender_pool__due_nr(uint64_t ns, uint64_t rate, uint64_t nr, uint64_t all);

/* Counts the messages of a connection that are due by now and were not begun. */
void sender_thread__count_missed(struct sender_thread *m, const struct sender_conn *conn,
				 uint64_t now);

#endif
