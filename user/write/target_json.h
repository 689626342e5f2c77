/* SPDX-License-Identifier: GPL-2.0-only */
/* The targets of attach and follow in their documents. */
#ifndef WRITE_TARGET_JSON_H
#define WRITE_TARGET_JSON_H

#include <jansson.h>

#include "base/target_options.h"
#include "field.h"

/* Rows of FIELDS(); t: a pointer to struct target_options. */
/* clang-format off */
#define TARGET_FIELDS(X, t)                                                                  \
	X(json, "pids",     "list of count", target_json__pids(t))                           \
	X(json, "comms",    "list of text",  target_json__comms(t))                          \
	X(json, "ports",    "list of count", target_json__ports(t))                          \
	X(bool, "children", "true/false",    (t)->children)                                  \
	X(json, "command",  "list of text",  json_value__texts(SIZE_MAX, (t)->command))

/* q: the options, a pointer with argc and argv. */
#define OWN_TOOL_FIELDS(X, q)                                                                \
	X(text, "version", "text",         NETIOTRACE_VERSION)                               \
	X(json, "argv",    "list of text", json_value__texts((size_t)(q)->argc, (q)->argv))
/* clang-format on */

json_t *target_json__pids(const struct target_options *t);
json_t *target_json__comms(const struct target_options *t);
json_t *target_json__ports(const struct target_options *t);

/* A name of the kernel, which may have control characters. */
json_t *target_json__comm(const char comm[16]);

#endif
