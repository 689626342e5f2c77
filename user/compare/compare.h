/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command: what changed between two result sets, and is it outside the noise. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "changes.h"

/* The names of the two data sets. */
struct compared {
	const char *before, *after;
	const char *across; /* settings that may differ, with commas; NULL: none */
};

struct compare_options {
	struct compared names;        /* the two data sets: directories or files */
	struct dataset_names foreign; /* of --columns, --column and --modes */
	const char *json;             /* file name; NULL: none */
	double limit;                 /* of --fail-on-regression, 0.05 for 5 %; NaN: none */
	bool metrics[METRIC_NR];
	const bool *gate; /* for --fail-on-regression; NULL: default of changes__find() */
	bool all, quiet;
};

/* Prints errors of the command line and exits with EXIT_USAGE. */
void compare_options__parse(struct compare_options *o, int argc, char **argv);

/* limit: of --fail-on-regression; NaN: none. all: also what does not differ. */
void compare_output__text(const struct changes *c, const struct compared *names, double limit,
			  bool all, FILE *f);

/* limit as above. New reference. */
json_t *compare_output__json(const struct changes *c, const struct compared *names, double limit);

#endif
