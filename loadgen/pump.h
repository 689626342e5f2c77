/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sending thread with several connections, or with messages that are due at their times: it
 * waits for all of them by epoll. Inside of crew.c.
 */
#ifndef LOADGEN_PUMP_H
#define LOADGEN_PUMP_H

#include "crew.h"

int pump__open(struct crew_member *m); /* 0 or -errno */
void pump__close(struct crew_member *m);

/* One phase of the member's connections, up to what was begun being with the kernel. 0 or -errno.
 */
int pump__run(struct crew_member *m);

/*
 * When message k of a thread's open loop is due: `rate` a second over all connections, of which
 * the thread has the share `nr` of `all`. Its messages go round its connections. Pure, exact to
 * the nanosecond at any k.
 */
uint64_t pump__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all);

#endif
