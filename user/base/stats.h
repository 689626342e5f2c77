/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics: sorted values, medians, spreads. Pure. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>

#include "num.h"

/* Below 0, 0 or above 0, for numbers or pointers into one array. Evaluates both twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The same of two values of an array, for qsort(). */
int order__u64(const void *a, const void *b);
int order__uint(const void *a, const void *b);

/* Median, minimum and maximum. Drops non-finite values, sorts in place. No value: unknown. */
struct spread stats__spread(double *values, size_t n);

/* Drops non-finite values, sorts the others in place, and returns their number. */
size_t stats__sort(double *values, size_t n);

/* The median of n sorted values; NaN: no value. */
double stats__median(const double *sorted, size_t n);

#endif
