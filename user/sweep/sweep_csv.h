/* SPDX-License-Identifier: GPL-2.0-only */
/* results.csv of a sweep: a row for each run. Pure, but for the stream. */
#ifndef SWEEP_SWEEP_CSV_H
#define SWEEP_SWEEP_CSV_H

#include <jansson.h>
#include <stdio.h>

void sweep_csv__header(FILE *f);

/* document: a result with one run. An unknown number is an empty cell. */
void sweep_csv__row(FILE *f, const json_t *document);

#endif
