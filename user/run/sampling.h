/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where CPU time goes: after each round a short one of its own, in which nothing is watched but
 * samples are taken. Throughput, bytes and times never come from it.
 */
#ifndef NETIOTRACE_SAMPLING_H
#define NETIOTRACE_SAMPLING_H

#include "engine.h"

struct round;

/* Of a sweep's rounds one of so many has a sampled one after it: they are short and many. */
#define SAMPLING_SWEEP_EVERY 3

void sampling__close(struct engine *e);

/* How long the sampled round after each round of these settings is; 0: there is none. */
uint64_t sampling__round_ns(const struct options *o);

/*
 * Makes the sampled round of a mode, the first time after loading what that takes, and puts what it
 * found into out, whose measured phase is over. Never fails: what could not be sampled is unknown
 * in out->cpu, with the reason.
 */
void sampling__round(struct engine *e, struct run_result *out);

/* Called by the round when all is set for its measured phase, and when that is over. */
void sampling__begin(struct round *r);
void sampling__end(struct round *r);

#endif
