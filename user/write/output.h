/* SPDX-License-Identifier: GPL-2.0-only */
/* The written forms of a result: JSON document, CSV rows, the text at the end of a run. */
#ifndef NETIOTRACE_OUTPUT_H
#define NETIOTRACE_OUTPUT_H

#include <stdio.h>

#include "model/result.h"

/* The document of docs/OUTPUT.md, pretty-printed, newline at the end. 0 or -errno. */
int output__json(const struct result *r, FILE *f);

/* Header and a row per run; an unknown value is an empty cell. 0 or -errno. */
int output__csv(const struct result *r, FILE *f);

/* The final text. columns: width to wrap at (at least 60). 0 or -errno. */
int output__text(const struct result *r, FILE *f, unsigned int columns);

#endif
