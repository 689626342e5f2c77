/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document sweep.json: settings, environment and probes of a sweep. If settings, environment
 * and version are equal, a sweep can resume the other.
 */
#ifndef SWEEP_SWEEP_DOCUMENT_H
#define SWEEP_SWEEP_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sweep_options.h"

#define SWEEP_SCHEMA       "netiotrace.sweep/1"
#define ENVIRONMENT_SCHEMA "netiotrace.environment/1" /* of environment.json */

/* "settings" of sweep.json: every option that changes a result. New reference. */
json_t *sweep_document__settings(const struct sweep_options *o);

/*
 * The command line that makes this sweep, quoted for a shell, without a newline. It has every
 * option whose default may change. The caller frees it.
 */
char *sweep_document__command(const struct sweep_options *o);

/*
 * Do two objects differ? buf then has the first difference: "sizes [1024], now [4096]". A member of
 * one object only is a difference; members with reasons are ignored.
 */
bool sweep_document__differ(const json_t *before, const json_t *now, char *buf, size_t len);

/*
 * May this sweep resume the one whose document is `before`? NULL: there is none, so it may. The
 * settings are checked before anything starts; version and environment once `now` is known. Return
 * exit codes; print the refusal.
 */
int sweep_document__check_settings(const char *directory, const json_t *before,
				   const struct sweep_options *o);
int sweep_document__check_surroundings(const char *directory, const json_t *before,
				       const json_t *now);

#endif
