/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of a round of their own, since timing would slow the compared round. Pure. */
#ifndef RUN_TIMED_ROUND_H
#define RUN_TIMED_ROUND_H

#include "model/result.h"

/*
 * Moves to run the times of `timed`, whose measured phase is over: of stages without a time in
 * run, the send call and its parts, zero-copy sends until completion, counters inside the stages.
 * Times of run itself stay.
 */
void timed_round__copy_times(struct run_result *run, struct run_result *timed);

/* The timed round of run was not made; the reason is copied. */
void timed_round__none(struct run_result *run, const char *why);

#endif
