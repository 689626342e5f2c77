/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace compare. */
#ifndef NETIOTRACE_COMPARE_OPTIONS_H
#define NETIOTRACE_COMPARE_OPTIONS_H

#include "study/changes.h"

struct compare_options {
	struct changes_names names;   /* the two data sets: directories or files */
	struct dataset_names foreign; /* of --columns and --modes */
	const char *json;             /* file name; NULL: none */
	double limit;                 /* of --fail-on-regression, 0.05 for 5 %; NaN: none */
	bool metrics[METRIC_NR];
	const bool *gate; /* metrics of --fail-on-regression; NULL: those of changes__find() */
	bool all, quiet;
};

/* Prints the sentence and exits with EXIT_USAGE by itself when the command line is wrong. */
void compare_options__parse(struct compare_options *o, int argc, char **argv);

#endif
