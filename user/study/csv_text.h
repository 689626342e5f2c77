/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV text (RFC 4180; the separator may also be ';' or a tab) as records of unquoted cells, and
 * cells as numbers. Independent of their meaning. Pure.
 */
#ifndef STUDY_CSV_TEXT_H
#define STUDY_CSV_TEXT_H

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
	/* The record: its cells one after another, in memory that the next record reuses. */
	char *text;
	size_t text_len;
	size_t *cell; /* offset in text of each */
	size_t cells_nr;
};

/* The text must outlive it. The separator is a comma, and comments are not skipped. */
void csv_text__init(struct csv_text *t, const char *text, size_t len);
void csv_text__clear(struct csv_text *t);

/*
 * To the next record: 1, 0 at the end, -EBADMSG where a quoted cell never ends, or -E2BIG
 * beyond the bounds above.
 */
int csv_text__next(struct csv_text *t);
const char *csv_text__cell(const struct csv_text *t, size_t i); /* i < cells_nr */

/* The next record begins at pos, which is in the text, in this line. */
void csv_text__seek(struct csv_text *t, const char *pos, unsigned long line);
/* Skips the rest of the line. */
void csv_text__skip_line(struct csv_text *t);

/* The meaning of a comma within a number. */
enum csv_comma {
	COMMA_NONE,      /* no comma in the number */
	COMMA_UNCLEAR,   /* "1,234" */
	COMMA_THOUSANDS, /* "1,234,567", "1,234.5" */
	COMMA_DECIMAL,   /* "0,65", "1.234,5" */
};

/* Which of them the number shows that text begins with. */
enum csv_comma csv_text__comma(const char *text);

/* Empty, n/a, nan, null, none, -, and perf's "<not supported>" and "<not counted>". */
bool csv_text__missing(const char *text);

/*
 * The decimal number at the start of text, with blanks around it skipped; digits may be grouped by
 * threes. rest is the text after it: a unit, or nothing. Missing text leaves *value unchanged. 0,
 * or -EINVAL: text begins with no finite number.
 */
int csv_text__parse(const char *text, enum csv_comma comma, double *value, const char **rest);

#endif
