/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of snapshots; see snapshot.h. Pure. */
#include <string.h>

#include "snapshot.h"

/* The counters at the beginning of a snapshot, as an array. */
#define COUNTERS (offsetof(struct snapshot, places) / sizeof(uint64_t))

_Static_assert(offsetof(struct snapshot, places) % sizeof(uint64_t) == 0, "counters of 64 bits");

static void subtract(struct nio_sum *sum, const struct nio_sum *base)
{
	sum->bytes -= base->bytes;
	sum->events -= base->events;
	sum->ns -= base->ns;
}

void snapshot__forget(struct snapshot *s)
{
	memset(s, 0, offsetof(struct snapshot, places));
	memset(s->unknown_of, 0, sizeof(s->unknown_of));
	memset(s->no_perf, 0, sizeof(s->no_perf));
	s->missed_unknown = false;
}

void snapshot__since(struct snapshot *since, const struct snapshot *base,
		     const struct snapshot *now)
{
	const uint64_t *before = (const uint64_t *)base;
	uint64_t *counters = (uint64_t *)since;

	*since = *now;
	for (size_t i = 0; i < COUNTERS; i++)
		counters[i] -= before[i];
	for (size_t i = 0; i < now->places_nr; i++)
		for (size_t b = 0; b < base->places_nr; b++)
			if (!memcmp(&since->places[i].place, &base->places[b].place,
				    sizeof(struct nio_place)))
				subtract(&since->places[i].sum, &base->places[b].sum);
	for (size_t i = 0; i < now->others_nr; i++)
		for (size_t b = 0; b < base->others_nr; b++)
			if (!memcmp(&since->others[i].other, &base->others[b].other,
				    sizeof(struct nio_other)))
				subtract(&since->others[i].sum, &base->others[b].sum);
}
