/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of times and of what goes with them: how long stages and the parts of a send call
 * took, zero-copy sends from call to completion, where deferred copies ran, who made the copies
 * unexpected. Pure.
 */
#ifndef NETIOTRACE_LEDGER_TIME_H
#define NETIOTRACE_LEDGER_TIME_H

#include "plan.h"
#include "snapshot.h"

/*
 * Fills the times of r from what was counted between two snapshots under plan, or the reason why
 * there are none. The stages' bytes are ledger__book()'s. 0 or -ENOMEM.
 */
int ledger_time__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		      const struct snapshot *now);

/* Adds the times of src to those of dst, which has some already. 0 or -ENOMEM. */
int ledger_time__add(struct run_result *dst, const struct run_result *src);

/* After a plain copy of src to dst: gives dst its own histograms. 0 or -ENOMEM. */
int ledger_time__own(struct run_result *dst, const struct run_result *src);

/*
 * Bucket counts of now minus base, as a histogram of the layout both sides share, whose sum is
 * given. Where one bucket holds every event they are taken to be of one value, the mean, which for
 * equal messages they are. NULL: out of memory.
 */
struct hist *ledger__hist(const __u64 *base, const __u64 *now, uint64_t sum);

#endif
