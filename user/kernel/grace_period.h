/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for BPF programs that are at work. */
#ifndef NETIOTRACE_GRACE_PERIOD_H
#define NETIOTRACE_GRACE_PERIOD_H

/*
 * Returns when no BPF program is at work any more that was when it was called, on any CPU,
 * preempted or not; all that begin later see what the caller wrote before. Of programs that may
 * sleep nothing is said. Takes a grace period of RCU: some 10 ms. 0 or -errno.
 */
int grace_period__pass(void);

#endif
