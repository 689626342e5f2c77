/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of report and compare on how CSV files of other tools are read. */
#ifndef STUDY_CSV_OPTIONS_H
#define STUDY_CSV_OPTIONS_H

#include "dataset.h"

#define CSV_COLUMNS_MAX 64

enum csv_option {
	CSV_OPTION_COLUMNS = 512,
	CSV_OPTION_COLUMN,
	CSV_OPTION_MODES,
	CSV_OPTION_CONGESTION,
	CSV_OPTION_ROUNDS,
};

/* Rows of a table of options. congestion: the command's text for --congestion. */
/* clang-format off */
#define CSV_OPTIONS(congestion)                                                             \
	{"columns", CSV_OPTION_COLUMNS, "LIST", 0,                                          \
	 "names of the columns in a CSV file: mode=impl,size=msg_size,...", 0},             \
	{"column", CSV_OPTION_COLUMN, "NAME=FIELD", 0,                                      \
	 "read column NAME of a CSV file as FIELD (threads, latency_ms, ...; "              \
	 "ignore: not at all)", 0},                                                         \
	{"modes", CSV_OPTION_MODES, "LIST", 0,                                              \
	 "names of the modes in a CSV file: A1=twocopy,A2=onecopy,...", 0},                 \
	{"congestion", CSV_OPTION_CONGESTION, "NAME", 0, congestion, 0},                    \
	{"rounds-from-repeats", CSV_OPTION_ROUNDS, 0, 0,                                    \
	 "rows of a CSV file with equal mode, size and threads are rounds", 0}
/* clang-format on */

/*
 * Takes an option of these into names, which keeps arg. 0 or ARGP_ERR_UNKNOWN; a wrong argument is
 * a usage error. One command line per process.
 */
int csv_options__parse(struct dataset_names *names, int key, const char *arg);

#endif
