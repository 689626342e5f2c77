/* SPDX-License-Identifier: GPL-2.0-only */
/* Which round the times of stages and send calls are of, and what that round was. Plain data. */
#ifndef NETIOTRACE_TIMES_RESULT_H
#define NETIOTRACE_TIMES_RESULT_H

#include <stdint.h>

#include "base/num.h"

enum times_source {
	TIMES_OF_ROUND,   /* the round that everything else is of; those that are unknown say why */
	TIMES_OF_ITS_OWN, /* a short one after it, in which nothing else was measured */
	TIMES_NOT_TAKEN,  /* of such a one, which was not made, or not yet */
};

struct times_result {
	enum times_source source;
	char reason[192]; /* TIMES_NOT_TAKEN: why */
	/* Of TIMES_OF_ITS_OWN, added up over the rounds: */
	uint64_t duration_ns, payload, messages;
	uint64_t calls;                         /* send calls, by the load generator's clock */
	struct num missed, map_full, unmatched; /* as of struct health */
};

#endif
