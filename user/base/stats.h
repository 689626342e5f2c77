/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns order statistics over rounds. Pure. */
#ifndef NETIOTRACE_STATS_H
#define NETIOTRACE_STATS_H

#include <stddef.h>

#include "num.h"

/* Median, minimum and maximum. Drops non-finite values, sorts in place. No value: unknown. */
struct spread stats__spread(double *values, size_t n);

int stats__compare(const void *a, const void *b);

/* Copies the finite values of src to dst and returns their number. dst may be src. */
size_t stats__keep_finite(double *dst, const double *src, size_t n);

#endif
