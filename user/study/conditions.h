/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What else than the copying shapes the figures of a data set, in sentences: said before anything
 * is answered. Pure.
 */
#ifndef NETIOTRACE_CONDITIONS_H
#define NETIOTRACE_CONDITIONS_H

#include "dataset.h"

/*
 * Whether the senders pace, first of all; then the congestion control, the CPUs, and what other
 * load there was, as far as the data says. One text, empty where it says nothing; owned by the
 * caller. NULL: out of memory.
 */
char *conditions__text(const struct dataset *d);

/*
 * How many CPUs the senders could use: those they were pinned to (*pinned), else those of the
 * machine, which the receivers use as well. 0: the data set does not say it.
 */
unsigned int conditions__sender_cpus(const struct dataset *d, bool *pinned);

#endif
