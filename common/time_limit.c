/* SPDX-License-Identifier: GPL-2.0-only */
/* Time limits of waits. */
#include <stdlib.h>

#include "time_limit.h"
#include "units.h"

/* A busy machine can delay a loop by this much. */
#define LATE_NS 1000000000ULL

uint64_t time_limit__ns(uint64_t ns)
{
	const char *text = getenv("NETIO_LIMITS_DIVISOR");
	uint64_t divisor;

	if (!text || parse_count(text, 1, 1000, &divisor))
		return ns;
	return ns / divisor;
}

uint64_t awake__missed(struct awake *a, uint64_t now)
{
	uint64_t due = a->due;

	a->due = now;
	return due && now > due && now - due > time_limit__ns(LATE_NS) ? now - due : 0;
}

void awake__sleep(struct awake *a, uint64_t until)
{
	a->due = until;
}
