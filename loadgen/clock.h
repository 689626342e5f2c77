/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of the load generator. */
#ifndef LOADGEN_CLOCK_H
#define LOADGEN_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS  1000000ULL
#define NS_PER_SEC 1000000000ULL

static inline uint64_t clock__read(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* CLOCK_MONOTONIC, ns: the same in all processes of one machine and time namespace. */
static inline uint64_t clock__now(void)
{
	return clock__read(CLOCK_MONOTONIC);
}

/* User and system time of all threads of this process, ns. */
static inline uint64_t clock__cpu(void)
{
	return clock__read(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
