/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exact times: after each round a short one of its own, in which the programs that take the time of
 * each part of a send call are attached besides the others. Only times come from it.
 */
#ifndef NETIOTRACE_TIMING_H
#define NETIOTRACE_TIMING_H

#include "engine.h"

/* Of a sweep's rounds one of so many has a timed one after it, beginning with the first. */
#define TIMING_SWEEP_EVERY 3

/* How long the timed round after each round of these settings is, if there is one; 0: there is
 * none. */
uint64_t timing__round_ns(const struct options *o);

/*
 * Makes the timed round of a mode, if that could tell any time, and puts what it found into out,
 * whose measured phase is over. Never fails: times that could not be taken are unknown, with the
 * reason in out->times.
 */
void timing__round(struct engine *e, struct run_result *out);

#endif
