/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a report says first: whether zero-copy was zero-copy, and what else than copying shapes the
 * figures (leaders.h has which mode is fastest). Pure.
 */
#ifndef STUDY_FIRST_SCREEN_H
#define STUDY_FIRST_SCREEN_H

#include "analysis.h"
#include "dataset.h"

/* "No. The kernel copied all 1 204 113 sends after all: ..."; owned by the caller. */
char *first_screen__zerocopy(const struct analysis *a);

/*
 * What else than copying shapes the figures: first whether the senders pace, then the congestion
 * control, the CPUs, and other load, as far as the data says. Empty where it says nothing; owned by
 * the caller.
 */
char *first_screen__conditions(const struct dataset *d);

/* When, by which version and seed, and the machine's caches and memory. The caller frees it; "":
 * unknown. */
char *first_screen__origin(const struct dataset *d);

/*
 * The number of CPUs available to the senders: they were pinned to them (*pinned), or share all
 * CPUs of the machine with the receivers. 0: unknown.
 */
unsigned int first_screen__sender_cpus(const struct dataset *d, bool *pinned);

#endif
