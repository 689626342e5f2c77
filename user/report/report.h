/* SPDX-License-Identifier: GPL-2.0-only */
/* netiotrace report: pictures and answers from results. No root, no kernel: files in, files out. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>

#include "study/dataset.h"

#define REPORT_INPUTS_MAX 16

struct report_options {
	const char *inputs[REPORT_INPUTS_MAX]; /* several: CSV files of one experiment */
	size_t inputs_nr;
	bool explain;      /* print how the columns are understood, no more */
	char *output;      /* directory; made up from input when not given */
	bool is_in_input;  /* the output is in the input, a directory */
	double duration_s; /* of runs that do not say; NaN: none */
	bool quiet;
	struct dataset_names names; /* of --columns, --column and --modes */
	char **argv;                /* of main() */
	int argc;
	bool is_one_of_several; /* reports, one for each congestion control */
};

/* Parses and checks; prints errors and exits. argv is kept. */
void report_options__parse(struct report_options *o, int argc, char **argv);
void report_options__clear(struct report_options *o);

#endif
