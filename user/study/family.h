/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family of a report: every comparison that its answers may claim, tested together. Modes
 * against each other in each cell and, over all thread counts, at each size; thread counts against
 * the fewest; sizes against the next smaller one. By throughput, CPU time per KiB and cache misses.
 * Pure.
 */
#ifndef NETIOTRACE_FAMILY_H
#define NETIOTRACE_FAMILY_H

#include "analysis.h"

/* Tests the family; a's cells and blocks are there. 0 or -ENOMEM. */
int family__find(struct analysis *a);
void family__clear(struct analysis *a);

/* Adjusted p of a cell against another, whichever way round; NaN: not in the family. */
double family__p(const struct analysis *a, const struct cell *x, const struct cell *y,
		 enum metric m);

/* Of a mode against another at a size, over all thread counts. */
double family__p_of_size(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
			 enum metric m);

/*
 * Fills apart[a->blocks_nr] with claim__apart() of x and y in each block; of a size: its mean over
 * the thread counts that have both.
 */
void family__pair(const struct analysis *a, const struct cell *x, const struct cell *y,
		  enum metric m, double *apart);
int family__pair_sizes(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
		       enum metric m, double *apart);

#endif
