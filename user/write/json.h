/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Documents as jansson values. JSON, CSV and assertions are made of the same values, so that a
 * field has one name and one definition (field.h).
 *
 * The shape of a document does not depend on what could be measured: an unknown number is null, and
 * the reason is beside it: "<name>_reason" for a number of its own, "reason" in an object that is
 * one measurement (a stage, a latency, a counter). Only reasons, and "event" of a stage, come and
 * go.
 *
 * Functions that return json_t * return a new reference.
 */
#ifndef WRITE_JSON_H
#define WRITE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "json_value.h"
#include "model/result.h"

/* The keys and units of what the functions below write. */
extern const struct field result_fields[], run_fields[], summary_fields[], perf_fields[],
	cpu_fields[], environment_fields[], settings_fields[], plan_row_fields[];

json_t *json_document__result(const struct result *r);
json_t *json_document__run(const struct run_result *run);
json_t *json_document__summary(const struct mode_summary *s);
json_t *json_document__environment(const struct environment *e);
json_t *json_document__plan_row(const struct plan_row *row);
/* Parts of a run and of a result. c is the run's, t the result's. */
json_t *json_document__perf(const struct run_result *run);
json_t *json_document__cpu(const struct run_result *run, const struct cpu_result *c);
json_t *json_document__settings(const struct result *r, const struct workload *t);

/*
 * The part of an environment that does not change between two sessions on one machine: all but the
 * time, the load, the memory and the packet taps.
 */
json_t *json_environment__steady(const json_t *environment);

/* Writes a document as in files: indented, a newline at the end. 0 or -errno. */
int json_document__write(FILE *f, const json_t *document);

/* Reads a document of at most 16 MiB without duplicate keys. NULL: it is none. */
json_t *json_document__read(int fd);

/* Writes it on one line. The caller frees the text. */
char *json_document__line(const json_t *document);

#endif
