/* SPDX-License-Identifier: GPL-2.0-only */
/* How many data sets a simulation makes, and bounds on what it finds in them. */
#ifndef SUPPORT_SIMULATED_H
#define SUPPORT_SIMULATED_H

/*
 * The number of data sets of a rate: 1000, or $NETIOTRACE_CLAIM_SETS. Sanitizers and mutation tests
 * use fewer: the seeds are fixed, so the result is fixed.
 */
unsigned int simulated__sets(void);

/*
 * At most, or at least, this share of n was found. With fewer sets than 1000 the bound is wider by
 * three standard deviations.
 */
void simulated__check_at_most(unsigned int found, unsigned int n, double share);
void simulated__check_at_least(unsigned int found, unsigned int n, double share);

#endif
