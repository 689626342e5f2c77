/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock of the load generator. */
#ifndef LOADGEN_CLOCK_H
#define LOADGEN_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS  1000000ULL
#define NS_PER_SEC 1000000000ULL

/* CLOCK_MONOTONIC, ns: the same in all processes of one machine and time namespace. */
static inline uint64_t clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

#endif
