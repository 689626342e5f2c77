/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of message slots of a zero-copy connection. Pure. */
#ifndef NETIOTRACE_ZC_PLAN_H
#define NETIOTRACE_ZC_PLAN_H

#include <stdint.h>

#define ZC_SLOTS_MIN 2u
#define ZC_SLOTS_MAX 1024u

/*
 * About 4 MiB of messages keeps a pipe full. All connections take at most 256 MiB, but each gets
 * two slots: one is filled while the other is sent.
 */
static inline unsigned int zc_plan__slots(uint64_t size, unsigned int connections)
{
	uint64_t budget = (256u << 20) / connections;
	uint64_t n;

	if (budget > 4u << 20)
		budget = 4u << 20;
	n = budget / size;
	if (n < ZC_SLOTS_MIN)
		return ZC_SLOTS_MIN;
	return n < ZC_SLOTS_MAX ? (unsigned int)n : ZC_SLOTS_MAX;
}

/* Sends between two reads of the error queue: frees slots in time, at low cost. */
static inline unsigned int zc_plan__batch(unsigned int slots)
{
	unsigned int n = slots / 4;

	if (n < 1)
		return 1;
	return n < 32 ? n : 32;
}

#endif
