/* SPDX-License-Identifier: GPL-2.0-only */
/* One cell of a CSV file. Pure. */
#ifndef NETIOTRACE_CSV_CELL_H
#define NETIOTRACE_CSV_CELL_H

#include <stdio.h>

/*
 * Writes text as a cell (RFC 4180): in quotes if it holds a comma, a quote or a newline; quotes
 * doubled. Other characters that must not be printed (printable.h) become '?'. Errors are the
 * stream's (ferror).
 */
void csv_cell__put(FILE *f, const char *text);

#endif
