/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The phases of one round of one mode: starts both sides of the load generator, watches their
 * sockets, measures, and ends.
 */
#ifndef RUN_ROUND_PHASES_H
#define RUN_ROUND_PHASES_H

#include "round.h"

/*
 * Makes the round and fills out (initialised by the caller). An interrupted round is no error: out
 * then holds the measurements so far, with duration_ns 0 if there are none. 0 or -errno with the
 * reason in runner->reason.
 */
int round_phases__run(struct runner *runner, enum mode mode, unsigned int index,
		      struct run_result *out);

/* The beginning and the end of a sampled phase, with the sampler loaded: samples go to r->out. */
void round_phases__start_samples(struct round *r);
void round_phases__stop_samples(struct round *r);

#endif
