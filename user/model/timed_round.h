/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times that are taken in a round of their own: how they come into the run whose bytes, throughput
 * and counters are not to bear what taking them costs. Pure.
 */
#ifndef MODEL_TIMED_ROUND_H
#define MODEL_TIMED_ROUND_H

#include "result.h"

/*
 * Moves to run what only timed, whose measured phase is over, knows of times: stages that run has
 * no time of, the send call and its parts, zero-copy sends from call to completion, counters inside
 * the stages. What run knows itself stays.
 */
void timed_round__take(struct run_result *run, struct run_result *timed);

/* The times of run would be of a round of their own, but that was not made; why is copied. */
void timed_round__none(struct run_result *run, const char *why);

#endif
