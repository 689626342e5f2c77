/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over rounds: what is not known of one round is not known of all. Pure. */
#ifndef NETIOTRACE_TOTAL_H
#define NETIOTRACE_TOTAL_H

#include "base/num.h"
#include "common/hist.h"

/* Adds src to dst. Where one is not known, dst is not, with that one's reason. */
void total__add_num(struct num *dst, const struct num *src);

/*
 * The first round of a sum: *dst becomes a copy of src, and is freed by the caller. NULL where src
 * is. 0 or -ENOMEM.
 */
int total__begin_hist(struct hist **dst, const struct hist *src);

/*
 * A further round: adds src to *dst. Where either is NULL, the sum is NULL from then on. 0, or
 * -EINVAL when the two have different layouts.
 */
int total__add_hist(struct hist **dst, const struct hist *src);

#endif
