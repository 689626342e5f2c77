/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of CSV (RFC 4180, lines end with a line feed) from JSON objects: a cell for each scalar
 * field. Reasons and lists are in JSON only. An unknown number is an empty cell.
 */
#ifndef WRITE_CSV_H
#define WRITE_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct csv {
	FILE *f;
	const char *between; /* the keys of a path in a column's name: "_" or "." */
	bool header;         /* write the columns' names instead of the values */
	bool continues;      /* the row has a cell */
	bool table;          /* header: lines of output__tables() instead, with units of fields */
	const struct field *fields;
};

/*
 * Adds the fields of object to the row, in the columns of shape, which has all of them. prefix is
 * the prefix of their names. object NULL: the header. Errors are the stream's (ferror).
 */
void csv__put_object(struct csv *csv, const json_t *shape, const json_t *object,
		     const char *prefix);
void csv__end_row(struct csv *csv);

/*
 * A cell of text: in quotes if it holds a comma, a quote or a newline; quotes doubled. Other
 * characters that must not be printed (printable.h) become '?'. A spreadsheet executes a cell that
 * begins with = + - or @, also in quotes: a ' is put before these.
 */
void csv__put_text(FILE *f, const char *text);

#endif
