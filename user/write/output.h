/* SPDX-License-Identifier: GPL-2.0-only */
/* The written forms of a result: JSON document and CSV rows. */
#ifndef NETIOTRACE_OUTPUT_H
#define NETIOTRACE_OUTPUT_H

#include <stdio.h>

#include "model/result.h"

/* The document of docs/OUTPUT.md, pretty-printed, newline at the end. 0 or -errno. */
int output__json(const struct result *r, FILE *f);

/* Header and a row per run; an unknown value is an empty cell. 0 or -errno. */
int output__csv(const struct result *r, FILE *f);

#endif
