/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV text (RFC 4180; the separator may also be ';' or a tab) as records of unquoted cells. Knows
 * nothing of their meaning. No I/O: the text is in memory.
 */
#ifndef NETIOTRACE_CSV_TEXT_H
#define NETIOTRACE_CSV_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bounds of one record. A file beyond them is damaged or hostile. */
#define CSV_CELLS_MAX 16384
#define CSV_CELL_MAX  (1 << 20) /* bytes */

struct csv_text {
	const char *pos, *end;
	char separator;
	bool comments;      /* skip lines that begin with '#' */
	unsigned long line; /* where the record at hand begins */
	unsigned long next_line;
	/* The record: its cells one behind the other, in memory that the next one uses again. */
	char *text;
	size_t text_len, text_room;
	size_t *cell; /* offset in text of each */
	size_t cells_nr, cells_room;
};

/* The text must outlive it. The separator is a comma, and comments are not skipped. */
void csv_text__init(struct csv_text *t, const char *text, size_t len);
void csv_text__clear(struct csv_text *t);

/*
 * To the next record: 1, 0 at the end, -EBADMSG where a quoted cell never ends, -E2BIG beyond the
 * bounds above, or -ENOMEM.
 */
int csv_text__next(struct csv_text *t);
const char *csv_text__cell(const struct csv_text *t, size_t i); /* i < cells_nr */

/* The next record begins at pos, which is in the text, in this line. */
void csv_text__seek(struct csv_text *t, const char *pos, unsigned long line);
/* Passes over the rest of the line, whatever it holds. */
void csv_text__skip_line(struct csv_text *t);

#endif
