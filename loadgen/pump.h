/* SPDX-License-Identifier: GPL-2.0-only */
/* A sender thread with several connections or with --rate, for crew.c only. */
#ifndef LOADGEN_PUMP_H
#define LOADGEN_PUMP_H

#include "crew.h"

int pump__open(struct crew_member *m); /* 0 or -errno */
void pump__close(struct crew_member *m);

/* Runs one phase; returns when the kernel has taken every message that was begun. 0 or -errno. */
int pump__run(struct crew_member *m);

/* When message k of a thread is due, ns. `nr` of `all` connections send nr / all of the rate. */
uint64_t pump__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all);

#endif
