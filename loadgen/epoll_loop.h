/* SPDX-License-Identifier: GPL-2.0-only */
/* A sender thread with several connections or with --rate, for sender_pool.c only. */
#ifndef LOADGEN_EPOLL_LOOP_H
#define LOADGEN_EPOLL_LOOP_H

#include "sender_pool.h"

int epoll_loop__open(struct sender_thread *m); /* 0 or -errno */
void epoll_loop__close(struct sender_thread *m);

/* Runs one phase; returns when the kernel has taken every message that was begun. 0 or -errno. */
int epoll_loop__run(struct sender_thread *m);

/* When message k of a thread is due, ns. `nr` of `all` connections send nr / all of the rate. */
uint64_t epoll_loop__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all);

#endif
