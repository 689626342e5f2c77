/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes of one session, compared by the rule of base/rank_test.h. Pure. */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include "base/rank_test.h"
#include "result.h"

/*
 * The throughput of all rounds of first against those of second: a single comparison.
 * DIFFERENCE_UNKNOWN when one of the modes has no throughput.
 */
void comparison__of(struct rank_test *t, const struct result *r, enum mode first, enum mode second);

#endif
