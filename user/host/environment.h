/* SPDX-License-Identifier: GPL-2.0-only */
/* What machine and kernel a result was made on, read from /proc and /sys. */
#ifndef NETIOTRACE_ENVIRONMENT_H
#define NETIOTRACE_ENVIRONMENT_H

#include "netpath.h"
#include "model/result.h"

/*
 * Fills env. path may be NULL (doctor). What cannot be read is an empty string or an unknown number
 * with its reason; nothing here fails. tap_per_netns: see struct taps.
 */
void environment__read(struct environment *env, const struct netpath *path,
		       struct flag tap_per_netns);

/* The congestion controls of the caller's own network namespace, none chosen. 0 or -errno. */
int environment__own_congestion(struct congestion *c);

/* A virtual machine, as far as the processor tells. */
bool environment__is_virtual(const struct environment *env);

#endif
