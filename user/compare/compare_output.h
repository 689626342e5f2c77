/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as text and as JSON. Pure. */
#ifndef COMPARE_COMPARE_OUTPUT_H
#define COMPARE_COMPARE_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "changes.h"

/* The names of the two data sets. */
struct compared {
	const char *before, *after;
	const char *across; /* settings that may differ, with commas; NULL: none */
};

/* limit: of --fail-on-regression; NaN: none. all: also what does not differ. */
void compare_output__text(const struct changes *c, const struct compared *names, double limit,
			  bool all, FILE *f);

/* limit as above. New reference. */
json_t *compare_output__json(const struct changes *c, const struct compared *names, double limit);

#endif
