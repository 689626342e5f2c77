/* SPDX-License-Identifier: GPL-2.0-only */
/* Performance counters in doctor: the available ones, and one reason for the missing ones. */
#ifndef DOCTOR_COUNTERS_H
#define DOCTOR_COUNTERS_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* Tries every counter on this process; prints a section, wrapped at width columns. */
void doctor_perf__print(FILE *f, unsigned int width, const struct environment *env);

/*
 * The same as an object: {"registers", "hardware_groups", "paranoid", "counters": [{"counter",
 * "counted", "user", "kernel", "reason"}]}. A new reference.
 */
json_t *doctor_perf__json(const struct environment *env);

#endif
