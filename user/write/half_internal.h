/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that read the receiver's half share. */
#ifndef WRITE_HALF_INTERNAL_H
#define WRITE_HALF_INTERNAL_H

#include <jansson.h>

#include "model/result.h"

/* A copy of a text of the other machine that lives until the end; see there. */
const char *half__keep(const char *text);
/* "on the receiver's machine: ..." */
const char *half__keep_reason(const char *reason);

static inline const char *text_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Printable text into an array; empty: there is none. */
#define HALF_TEXT(to, o, key) printable(to, sizeof(to), text_at(o, key) ? text_at(o, key) : "")

void half_environment__read(const json_t *o, struct environment *env);

#endif
