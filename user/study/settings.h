/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What shaped the traffic of a run, and where: members with a name and a value each, so that runs
 * made otherwise are neither pooled nor compared in silence, and what differs has a name. Pure.
 *
 * Read from a document's "settings" where it has them; without, from what it says elsewhere: the
 * fields of a run, and of the environment what changes results (path, mtu, congestion control,
 * kernel...). Mode, size, threads and rounds are what a data set varies, and are not in it.
 */
#ifndef STUDY_SETTINGS_H
#define STUDY_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * settings, environment and run may be NULL. Values are text, as a CSV file has no others; what is
 * null is left out. New reference.
 */
json_t *settings__of(const json_t *settings, const json_t *environment, const json_t *fields);

/*
 * The first member in which two differ, that both have: its name; NULL: none. ignored: names with
 * commas between them that do not count; NULL: none. The name is of a's.
 */
const char *settings__difference(const json_t *a, const json_t *b, const char *ignored);

/* Does b have another value of this name, and is it none of those ignored? */
bool settings__differs(const char *name, const json_t *value, const json_t *b, const char *ignored);

/* Of the machine rather than of the traffic: two sweeps may be compared for just this. */
bool settings__is_of_machine(const char *name);

#endif
