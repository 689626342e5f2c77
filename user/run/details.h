/* SPDX-License-Identifier: GPL-2.0-only */
/* The details after the end of a run (--details). */
#ifndef RUN_DETAILS_H
#define RUN_DETAILS_H

#include <stdio.h>

#include "model/result.h"

/*
 * Prints every field of the result document except its plan, its rounds and its histograms, with a
 * column for each mode; then each reason and the fields that have it. Names and units are those of
 * docs/reference/run.md. columns: width of the terminal, of which at least 60 are used.
 */
void details__print(const struct result *r, FILE *f, unsigned int columns);

#endif
