/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a report says first: whether zero-copy was zero-copy, which mode is fastest, which cheapest,
 * and what else than copying shapes the figures. Pure.
 */
#ifndef STUDY_FIRST_SCREEN_H
#define STUDY_FIRST_SCREEN_H

#include "analysis.h"
#include "dataset.h"

/* "No. The kernel copied all 1 204 113 sends after all: ..."; owned by the caller. */
char *first_screen__zerocopy(const struct analysis *a);

/*
 * The best mode by size, over all thread counts, with its lead over the next best: "two-copy at
 * 1 KiB (+5.0 %), 4 KiB (+3.1 %); no difference at 16 KiB." m: METRIC_GBPS or a CPU time. Owned by
 * the caller.
 */
char *first_screen__best(const struct analysis *a, enum metric m);

/*
 * What else than copying shapes the figures: first whether the senders pace, then the congestion
 * control, the CPUs, and other load, as far as the data says. Empty where it says nothing; owned by
 * the caller.
 */
char *first_screen__conditions(const struct dataset *d);

/*
 * The number of CPUs available to the senders: they were pinned to them (*pinned), or share all
 * CPUs of the machine with the receivers. 0: unknown.
 */
unsigned int first_screen__sender_cpus(const struct dataset *d, bool *pinned);

#endif
