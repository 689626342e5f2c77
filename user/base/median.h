/* SPDX-License-Identifier: GPL-2.0-only */
/* The median of values that may be put into another order: what a permutation test asks for often.
 */
#ifndef NETIOTRACE_MEDIAN_H
#define NETIOTRACE_MEDIAN_H

#include <stddef.h>

/* The lower one of the middle two of n values, sorted in part by it; 0 of none. */
double median__lower(double *values, size_t n);

#endif
