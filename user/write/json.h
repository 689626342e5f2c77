/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result document as jansson values: shared by what writes JSON, writes CSV and evaluates
 * assertions, so that a field has one name and one definition. Internal to the written outputs.
 *
 * The shape never depends on what could be measured: an unknown number is null. Why is beside
 * it:
 * "<name>_reason" for a number of its own, "reason" in an object that is one measurement (a stage,
 * a latency, a counter). Only reasons, and "event" of a stage, come and go.
 *
 * All functions return a new reference, NULL when memory is short.
 */
#ifndef NETIOTRACE_JSON_H
#define NETIOTRACE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/result.h"

json_t *json_document__result(const struct result *r);
json_t *json_document__run(const struct run_result *run);
json_t *json_document__sequence(const struct sequence_result *s);
json_t *json_document__kernel_zerocopy(const struct run_result *run);
json_t *json_document__perf(const struct run_result *run); /* the "perf" of a run */
json_t *json_document__cpu(const struct run_result *run);  /* the "cpu" of a run */
json_t *json_document__times(const struct run_result *run);
json_t *json_document__path(const struct run_result *run); /* the "path_ns" of a run */
/* "timed_bytes" of a stage: what its ns is the time of. */
int json_document__put_timed_bytes(json_t *o, const struct run_result *run, enum nio_stage stage);
json_t *json_document__summary(const struct mode_summary *s);
json_t *json_document__environment(const struct environment *env);
json_t *json_document__settings(const struct result *r);

/*
 * What of an environment stays as it is between two sessions on one machine: all but the time, the
 * load and who was handed the packets.
 */
json_t *json_environment__steady(const json_t *environment);
bool json_environment__passes(const char *key); /* is it one of these? */
json_t *json_document__plan_row(const struct plan_row *row);

/* Writes a document as in files: indented, a newline at the end. 0 or -errno. */
int json_document__write(FILE *f, const json_t *document);

/*
 * CSV by the row: the columns' names, and the values of a run and its environment as they are in a
 * result document. 0 or -errno.
 */
int output__csv_header(FILE *f);
int output__csv_row(FILE *f, const json_t *run, const json_t *environment);

/* "reason" or "<name>_reason": words about a number, no data. */
bool json_key__is_reason(const char *key);

/* Digits written for a real number: what is behind them is noise. */
#define JSON_REAL_DIGITS 12

/*
 * Values. Numbers past 2^63 become reals; what is not finite becomes null; text that is not UTF-8
 * keeps its ASCII.
 */
json_t *json_value__u64(uint64_t value);
json_t *json_value__real(double value);
json_t *json_value__text(const char *text); /* NULL: null */
/* "twocopy onecopy" of a mask of 1 << mode; 0 (all of them): null. */
json_t *json_value__modes(unsigned int mask);

/*
 * Members. Each returns 0 or -1 (memory), so that a function can add them up. reason is only
 * written when the value is null; NULL: "not measured".
 */
int json_put(json_t *object, const char *key, json_t *value); /* takes value, which may be NULL */
int json_put_u64(json_t *object, const char *key, uint64_t value);
int json_put_num(json_t *object, const char *key, struct num n);
int json_put_real(json_t *object, const char *key, struct real r);
int json_put_reason(json_t *object, const char *key, const char *reason);

/* err 0: the object. Else frees it, and NULL. */
json_t *json_finish(json_t *object, int err);

/*
 * As json_dumps(), which passes over a key in silence for which it finds no room. Freed by the
 * caller.
 */
char *json_text(const json_t *value, size_t flags);

/* An object of its own with the same members. */
json_t *json_copy_object(const json_t *object);

#endif
