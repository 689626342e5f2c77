/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document sweep.json: what a sweep was asked for, where, and with which probes. Two sweeps
 * with equal settings, environment and version make the same runs, so that one can continue the
 * other.
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
 * Do two objects differ? Then the first such member is in buf: "sizes [1024], now [4096]". A member
 * that only one has differs; members with reasons do not.
 */
bool sweep_document__differ(const json_t *before, const json_t *now, char *buf, size_t len);

/*
 * May a sweep go on in the directory that has the document before (NULL: none, so it may)? Asked
 * for the settings before anything starts, and for version and environment with the document now.
 * An exit code; prints the refusal.
 */
int sweep_document__check_settings(const char *directory, const json_t *before,
				   const struct sweep_options *o);
int sweep_document__check_surroundings(const char *directory, const json_t *before,
				       const json_t *now);

#endif
