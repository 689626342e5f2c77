/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time limits of waits, shared by both programs: how long another process may make no progress, and
 * how much of that time this process did not run itself (Ctrl-Z, SIGSTOP, a frozen container). The
 * limits are listed in docs/LOADGEN.md. Pure but for one environment variable.
 */
#ifndef NETIOTRACE_TIME_LIMIT_H
#define NETIOTRACE_TIME_LIMIT_H

#include <stdint.h>

/* After SIGINT or SIGTERM each wait ends within this time: half of the second that is promised. */
#define TIME_LIMIT_STOP_NS 500000000ULL

/*
 * A limit of `ns` nanoseconds, divided by NETIO_LIMITS_DIVISOR (1 to 1000; anything else: 1). For
 * tests: limits can be made shorter, never longer.
 */
uint64_t time_limit__ns(uint64_t ns);

/* A loop that is to come round in time; see below. Zero: it has not begun. */
struct awake {
	uint64_t due; /* ns: the loop comes round by then, if it runs */
};

/*
 * The loop comes round at `now`. Returns for how many ns it could have come round but did not,
 * because this process did not run: 0 for less than a second. Who limits the silence of others adds
 * this to the time at which they were last heard.
 */
uint64_t awake__missed(struct awake *a, uint64_t now);

/* The loop sleeps next, until `until` at most. */
void awake__sleep(struct awake *a, uint64_t until);

#endif
