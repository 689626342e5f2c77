/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the description of the machine and kernel behind a result, from /proc and /sys. */
#ifndef HOST_ENVIRONMENT_H
#define HOST_ENVIRONMENT_H

#include "netpath.h"
#include "model/result.h"

/*
 * Fills env; path may be NULL (doctor). Unreadable values are empty, or unknown with a reason.
 * irq_time: as for machine__read(). Taps are for tap__begin(), which looks into other processes.
 */
void environment__read(struct environment *env, const struct netpath *path, struct flag irq_time);

/* Reads the path, its device and the settings of the device again, which may have changed. */
void environment__read_path(struct environment *env, const struct netpath *path);

/* Reads the congestion controls of the caller's network namespace. 0 or -errno. */
int environment__own_congestion(struct congestion *c);

/* Is it a virtual machine, by the hypervisor flag of the CPU? */
bool environment__is_virtual(const struct environment *env);

#endif
