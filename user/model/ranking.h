/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mode is best, by the rule of base/rank_test.h over the rounds of each. Pure. */
#ifndef MODEL_RANKING_H
#define MODEL_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/mode.h"

/* A mode and its value in each round. */
struct ranked_mode {
	enum mode mode;
	const double *values;
	size_t n; /* 0: unknown, the mode is ignored */
};

struct ranking {
	size_t known;        /* modes with a value; the rest means nothing below 2 */
	bool early;          /* too few rounds to name a best mode */
	enum mode best;      /* by the median */
	size_t rounds;       /* fewest of a mode with a value */
	unsigned int needed; /* rounds of each mode with which the test can name a best mode */
	bool ties[MODE_NR];  /* of modes that no mode is ahead of, without best itself */
	bool all_tie;        /* no mode is ahead of any other */
};

/*
 * tests: how many comparisons share the level of the test, these among them. 0: the time for tests
 * has not come, `early` is set.
 */
struct ranking ranking__of(const struct ranked_mode *modes, size_t n, bool higher_is_better,
			   size_t tests);

#endif
