/* SPDX-License-Identifier: GPL-2.0-only */
/* A number of bytes with its bounds, and the reason of its doubt. Pure. */
#ifndef MODEL_AMOUNT_H
#define MODEL_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/units.h"
#include "probes/plan_row.h"

/* What is said of the figure besides it. Several may be true. */
enum doubt {
	DOUBT_UNKNOWN = 1,   /* the figure is not known: it may be anything from least to most */
	DOUBT_LEAST = 2,     /* the figure is a minimum, by more than a text rounds away */
	DOUBT_ESTIMATE = 4,  /* estimated from a part of the events */
	DOUBT_UNBOUNDED = 8, /* least and most are not known either */
	DOUBT_PIECES = 16,   /* events are pieces of calls: at most as many calls, at least one */
	DOUBT_WIDE = 32, /* an estimate whose interval is too wide for a figure: the least of it */
};

struct amount {
	uint64_t value;  /* bytes: the best figure */
	uint64_t events; /* calls, copies or records that moved them */
	uint64_t least, most;
	enum quality quality;
	const char *reason; /* why less than exact: a static string, or NULL */
	unsigned int doubt; /* enum doubt, or-ed */
};

static inline bool amount__is_known(const struct amount *a)
{
	return !(a->doubt & DOUBT_UNKNOWN);
}

/* ">=", "~" or "". A minimum that is also an estimate has ">=". */
const char *amount__mark(const struct amount *a);

/* "1.5 MB", ">=1.5 MB", "~1.5 MB", "unknown". Fills buf. */
char *amount__bytes(char buf[UNITS_BUF], const struct amount *a);

#endif
