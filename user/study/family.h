/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many comparisons of a data set are made together, and so share the level of
 * base/rank_test.h: all of one kind, by one number. Pure.
 */
#ifndef NETIOTRACE_FAMILY_H
#define NETIOTRACE_FAMILY_H

#include "analysis.h"

enum family_kind {
	FAMILY_MODES,         /* two modes, at one size and thread count */
	FAMILY_MODES_OF_SIZE, /* two modes at one size, over all thread counts */
	FAMILY_THREADS,       /* a thread count against the fewest */
	FAMILY_SIZES,         /* a size against the next smaller one */
	FAMILY_KINDS,
	FAMILY_ALONE = FAMILY_KINDS, /* any other two cells: a comparison on its own */
};

/* What kind of comparison it is, whichever way round. */
enum family_kind family__kind(const struct analysis *a, const struct cell *x, const struct cell *y);

/* How many there are of this kind, both sides of which have two rounds and more; at least 1. */
size_t family__tests(const struct analysis *a, enum family_kind kind, enum metric m);

/* The counts that are known already; of an analysis. NULL: out of memory. */
struct family *family__new(void);

#endif
