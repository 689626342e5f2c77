/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU time of this process. */
#ifndef LOADGEN_CPU_TIME_H
#define LOADGEN_CPU_TIME_H

#include <stdint.h>
#include <time.h>

/* User and system time of all threads, ns. */
static inline uint64_t cpu_time__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

#endif
