/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time limits for another process to make progress, less the time in which this process did not run
 * (Ctrl-Z, SIGSTOP, a frozen container). docs/reference/loadgen.md lists the limits.
 */
#ifndef COMMON_TIME_LIMIT_H
#define COMMON_TIME_LIMIT_H

#include <stdint.h>

/* Each wait ends within this time after SIGINT or SIGTERM: half of the promised second. */
#define TIME_LIMIT_STOP_NS 500000000ULL

/* ns / NETIO_LIMITS_DIVISOR (environment, 1 to 1000, else 1). For tests: only shorter limits. */
uint64_t time_limit__ns(uint64_t ns);

/* A loop with a deadline for each turn. Zero-initialise: the loop has not begun. */
struct awake {
	uint64_t due; /* ns: deadline of the next turn; 0: none */
};

/*
 * The loop runs at `now` (ns). Returns the ns since the deadline in which this process did not run;
 * 0 if at most a second. The caller adds this to the time when a peer was last heard.
 */
uint64_t awake__missed(struct awake *a, uint64_t now);

/* The loop will sleep, until `until` (ns) at the latest. */
void awake__sleep(struct awake *a, uint64_t until);

#endif
