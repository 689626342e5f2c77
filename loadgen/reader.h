/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of one receiving thread; for readers.c only. */
#ifndef LOADGEN_READER_H
#define LOADGEN_READER_H

#include "readers.h"

/* The thread. Sets itself up, says so to its readers, reads until all connections are at their end.
 */
void *reader__main(void *arg);

/* Under the lock: judges a connection whose bytes, expectation or end have changed. */
void reader__check(struct reader *r, struct inflow *f);

/* Frees what the thread allocated, after its end. */
void reader__clear(struct reader *r);

#endif
