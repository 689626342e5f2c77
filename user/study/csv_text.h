/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV text (RFC 4180) as records of unquoted cells. Knows nothing of what is in them. No I/O: the
 * text is in memory.
 */
#ifndef NETIOTRACE_CSV_TEXT_H
#define NETIOTRACE_CSV_TEXT_H

#include <stddef.h>

struct csv_text {
	const char *pos, *end;
	unsigned long line; /* where the record at hand begins */
	unsigned long next_line;
	/* The record: its cells one behind the other, in memory that the next one uses again. */
	char *text;
	size_t text_len, text_room;
	size_t *cell; /* offset in text of each */
	size_t cells_nr, cells_room;
};

/* The text must outlive it. */
void csv_text__init(struct csv_text *t, const char *text, size_t len);
void csv_text__clear(struct csv_text *t);

/* To the next record: 1, 0 at the end, -EBADMSG where a quoted cell never ends, or -ENOMEM. */
int csv_text__next(struct csv_text *t);
const char *csv_text__cell(const struct csv_text *t, size_t i); /* i < cells_nr */

#endif
