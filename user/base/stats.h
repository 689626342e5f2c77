/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics over rounds. Pure. */
#ifndef NETIOTRACE_STATS_H
#define NETIOTRACE_STATS_H

#include <stddef.h>

#include "num.h"

/*
 * Median (mean of the middle two), lowest and highest of n values, which are sorted for it, those
 * that are no numbers left out; of none the unknown spread.
 */
struct spread stats__spread(double *values, size_t n);

/* For qsort() of doubles, ascending. */
int stats__compare(const void *a, const void *b);

/*
 * Copies those of src that are numbers, to where src itself may be, and returns how many: rounds
 * whose value is none say nothing about the others.
 */
size_t stats__keep_finite(double *dst, const double *src, size_t n);

#endif
