/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings that shape the traffic of a run, and its machine: members with a name and a value
 * each, so that different runs are not pooled or compared without a message, and differences have a
 * name. Pure.
 *
 * Read from a document's "settings"; without it, from other members: the fields of a run, and those
 * of the environment that change results (path, mtu, congestion control, kernel...). Mode, size,
 * threads and rounds vary within a data set and are not settings.
 */
#ifndef STUDY_RUN_CONDITIONS_H
#define STUDY_RUN_CONDITIONS_H

#include <jansson.h>
#include <stdbool.h>

/*
 * settings, environment and run may be NULL. Values are text, as in a CSV file; null members are
 * left out. New reference.
 */
json_t *run_conditions__of(const json_t *conditions, const json_t *environment,
			   const json_t *fields);

/* A value as text; NULL: there is nothing to compare (null, or empty). New reference. */
json_t *run_conditions__text(const json_t *value);

/*
 * The first member of a that b has with another value: its name, of a; NULL: none. ignored: names
 * with commas between them that do not count; NULL: none. of_traffic: nor does what describes the
 * machine, across which sweeps may be compared.
 */
const char *run_conditions__difference(const json_t *a, const json_t *b, const char *ignored,
				       bool of_traffic);

#endif
