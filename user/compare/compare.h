/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command: what changed between two result sets, and is it outside the noise. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare_output.h"

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

#endif
