/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram and what is said of it, as they stand in a run's object (docs/OUTPUT.md). */
#ifndef NETIOTRACE_JSON_HIST_H
#define NETIOTRACE_JSON_HIST_H

#include "json.h"

/* The buckets that are not empty, [low, high, count] each; none without a histogram. */
json_t *json_buckets(const struct hist *h);

/* Unknown for that reason when there is no value in it. */
struct num json_quantile(const struct hist *h, double q, const char *reason);

/* none: the reason when it is there, but empty. */
json_t *json_latency(const struct latency_result *l, const char *none);

/* For an object whose own "reason" covers all its nulls. 0 or -1. */
int json_put_or_null(json_t *object, const char *key, struct num n);

#endif
