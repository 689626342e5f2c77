/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Short rounds after those that are compared, for what would cost these their throughput: the same
 * traffic, of which only what they are made for is kept.
 */
#ifndef NETIOTRACE_SHORT_ROUND_H
#define NETIOTRACE_SHORT_ROUND_H

#include "engine.h"

/* How long each is, where all of a mode take mode_ns at most: a quarter of the round, at least 100
 * ms if the round is as long. */
uint64_t short_round__ns(const struct traffic *t, uint64_t mode_ns);

/*
 * Makes one, of the mode and index of a round that is over, and fills out (initialised by the
 * caller) as round__run() does. 0 or -errno, e->reason then says why.
 */
int short_round__make(struct engine *e, enum round_kind kind, uint64_t ns,
		      const struct run_result *of, struct run_result *out);

#endif
