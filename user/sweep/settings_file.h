/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sweep was asked for, as it stands in its sweep.json: every option that changes a result.
 * Two sweeps with equal settings, environment and version make the same runs, so that one can
 * continue the other. Pure.
 */
#ifndef NETIOTRACE_SWEEP_SETTINGS_H
#define NETIOTRACE_SWEEP_SETTINGS_H

#include <jansson.h>
#include <stddef.h>

#include "sweep_options.h"

#define SWEEP_SCHEMA       "netiotrace.sweep/1"
#define ENVIRONMENT_SCHEMA "netiotrace.environment/1" /* of environment.json */

/* "settings" of sweep.json. New reference; NULL: out of memory. */
json_t *sweep_settings__json(const struct sweep_options *o);

/*
 * 1: two objects differ, first in this member, as "sizes [1024], now [4096]" in buf. 0: they are
 * equal. -ENOMEM. A member that only one has differs; reasons are words and do not.
 */
int sweep_settings__differ(const json_t *before, const json_t *now, char *buf, size_t len);

/*
 * The command line that makes this sweep, shell-quoted, without a newline: every option that does
 * not have the value it has by itself, and those whose defaults may change. Owned by the caller;
 * NULL: out of memory.
 */
char *sweep_settings__command(const struct sweep_options *o);

#endif
