/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over rounds: what is not known of one round is not known of all. Pure. */
#ifndef NETIOTRACE_TOTAL_H
#define NETIOTRACE_TOTAL_H

#include "base/num.h"
#include "common/hist.h"

/* Adds src to dst. Where one is not known, dst is not, with that one's reason. */
void total__add_num(struct num *dst, const struct num *src);

/*
 * Adds src to *dst, which owns its histogram and is NULL before the first. Without src the sum is
 * none, and *dst is freed. 0, -ENOMEM, or -EINVAL when the two are laid out differently.
 */
int total__add_hist(struct hist **dst, const struct hist *src);

#endif
