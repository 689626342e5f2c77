/* SPDX-License-Identifier: GPL-2.0-only */
/* One receiver thread, for readers.c only. */
#ifndef LOADGEN_READER_H
#define LOADGEN_READER_H

#include "readers.h"

/* The thread function: signals readers.up, then reads until every connection has ended. */
void *reader__main(void *arg);

/* Caller holds r->lock. Updates pending and err after f's bytes, expected or ended changed. */
void reader__check(struct reader *r, struct inflow *f);

/* Frees the thread's allocations, after the thread has ended. */
void reader__clear(struct reader *r);

#endif
