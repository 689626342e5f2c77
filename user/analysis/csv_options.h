/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of report and compare on how CSV files of other tools are read. */
#ifndef ANALYSIS_CSV_OPTIONS_H
#define ANALYSIS_CSV_OPTIONS_H

#include "analysis.h"

#define CSV_COLUMNS_MAX 64

/* The arguments, which analysis/ checks. */
struct csv_names {
	const char *columns, *modes, *congestion; /* NULL: not given */
	const char *column[CSV_COLUMNS_MAX];      /* each from one --column */
	size_t column_nr;
	bool rounds_from_repeats;
};

/*
 * Rows of a command line. type, names: its options, and their struct csv_names. congestion: the
 * command's text for --congestion.
 */
/* clang-format off */
#define CSV_OPTIONS(type, names, congestion_text)                                           \
	{"columns", "LIST", "names of the columns in a CSV file: mode=impl,size=msg_size,...", \
	 OPTION_STRING, .offset = offsetof(type, names.columns)},                                    \
	{"column", "NAME=FIELD", "read column NAME of a CSV file as FIELD (threads, latency_ms, ...; " \
	 "ignore: not at all)", OPTION_OTHER, .offset = offsetof(type, names), .parse = csv_options__column}, \
	{"modes", "LIST", "names of the modes in a CSV file: A1=twocopy,A2=onecopy,...",    \
	 OPTION_STRING, .offset = offsetof(type, names.modes)},                                      \
	{"congestion", "NAME", congestion_text, OPTION_STRING, .offset = offsetof(type, names.congestion)}, \
	{"rounds-from-repeats", NULL, "rows of a CSV file with equal mode, size and threads are rounds", \
	 OPTION_FLAG, .offset = offsetof(type, names.rounds_from_repeats)}
/* clang-format on */

/* Takes a --column into names (struct csv_names), which keeps arg. Too many are a usage error. */
void csv_options__column(void *names, const char *arg);

/* The words that words__add_options() leaves out. */
void csv_options__add_words(struct words *w, const struct csv_names *names);

#endif
