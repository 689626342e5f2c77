/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the short extra rounds after a compared round: one samples CPU time, one measures the parts
 * of send calls. Both would cost a compared round throughput. Bytes and throughput of an extra
 * round are not used.
 */
#ifndef RUN_AUX_ROUND_H
#define RUN_AUX_ROUND_H

#include "round.h"

/* In a sweep, one round of this many has extra rounds, starting with the first. */
#define AUX_ROUND_SWEEP_EVERY 3

/* Duration of each extra round for these options; 0: there is none. */
uint64_t aux_round__sampled_ns(const struct options *o);
uint64_t aux_round__timed_ns(const struct options *o);

/*
 * Run the extra round of a mode after its measured phase and store the result in out->cpu or
 * out->times. They never fail: a number that could not be measured is unknown, with the reason.
 */
void aux_round__sample(struct runner *runner, struct run_result *out);
void aux_round__time(struct runner *runner, struct run_result *out);

/* With --follow, after the first round of a mode: adds a row to the result's followed modes. */
void aux_round__follow(struct runner *runner, const struct run_result *of);

/* Loads the sampler, once. 0, or -errno with the reason in runner->sampling.none. */
int aux_round__load(struct runner *runner);

/* Frees the sampler and the symbols. */
void aux_round__close(struct runner *runner);

#endif
