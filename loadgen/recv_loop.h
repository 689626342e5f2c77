/* SPDX-License-Identifier: GPL-2.0-only */
/* One receiver thread, for receiver_pool.c only. */
#ifndef LOADGEN_RECV_LOOP_H
#define LOADGEN_RECV_LOOP_H

#include "receiver_pool.h"

/* The thread function: signals receiver_pool.up, then reads until every connection has ended. */
void *recv_loop__main(void *arg);

/* Caller holds r->lock. Updates pending and err after f's bytes, expected or ended changed. */
void recv_loop__check(struct recv_loop *r, struct receiver_conn *f);

/* Frees the thread's allocations, after the thread has ended. */
void recv_loop__clear(struct recv_loop *r);

#endif
