/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes of one session, compared by the rule of base/rank_test.h. Pure. */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include "base/rank_test.h"
#include "result.h"

/*
 * Compares the throughput of all rounds of first and second, as a single comparison.
 * DIFFERENCE_UNKNOWN if a mode has no throughput.
 */
void comparison__of(struct rank_test *t, const struct result *r, enum mode first, enum mode second);

#endif
