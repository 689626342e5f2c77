/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV files read back, and compared with the JSON objects that their rows were made of. Include
 * after cmocka.
 */
#ifndef SUPPORT_CSV_TEXT_H
#define SUPPORT_CSV_TEXT_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json_value.h"

#define CSV_CELLS_MAX 1024

struct csv_text_row {
	char *cell[CSV_CELLS_MAX];
	size_t nr;
	size_t compared; /* cells before this one were compared with a value */
};

/* Ends a cell in place, without its quotes. Returns the character behind it: ',' or '\n'. */
static inline char csv_text__cell(char **cell, char **rest)
{
	char *from = *rest, *to = *rest, end;
	bool quoted = *from == '"';

	*cell = to;
	for (from += quoted; quoted ? *from != '"' || from[1] == '"' : !strchr(",\n", *from);
	     from++) {
		from += quoted && *from == '"';
		*to++ = *from;
	}
	from += quoted;
	end = *from;
	*to = '\0';
	*rest = from + 1;
	return end;
}

/* Cuts the next row off a text, which it changes. */
static inline void csv_text__row(struct csv_text_row *row, char **rest)
{
	row->nr = row->compared = 0;
	do
		assert_true(row->nr < CSV_CELLS_MAX);
	while (csv_text__cell(&row->cell[row->nr++], rest) == ',');
}

static inline void csv_text__compare_value(const char *name, const char *cell, const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	const char *expected = json_is_null(value)     ? ""
			       : json_is_string(value) ? json_string_value(value)
						       : text;

	if (strcmp(cell, expected) != 0)
		fail_msg("column %s is \"%s\", not \"%s\"", name, cell, expected);
	free(text);
}

/* Is there a column of this name, anywhere? */
static inline bool csv_text__has(const struct csv_text_row *header, const char *name)
{
	for (size_t i = 0; i < header->nr; i++)
		if (!strcmp(header->cell[i], name))
			return true;
	return false;
}

/*
 * Each number of the object, outside lists, has the column of its path, in the order of the object.
 * Columns in between, of members that this object lacks, are empty. A text has a column unless only
 * some objects have the text. prefix: of the paths, with `between` at its end, or empty.
 */
static inline void csv_text__compare(const struct csv_text_row *header, struct csv_text_row *row,
				     json_t *object, const char *prefix, const char *between)
{
	const char *key;
	json_t *value;
	char name[128];

	json_object_foreach(object, key, value) {
		if (json_is_array(value) || json_key__is_reason(key))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", prefix, key,
			 json_is_object(value) ? between : "");
		if (json_is_object(value)) {
			csv_text__compare(header, row, value, name, between);
			continue;
		}
		if (json_is_string(value) && !csv_text__has(header, name))
			continue;
		while (row->compared < row->nr && strcmp(header->cell[row->compared], name))
			assert_string_equal(row->cell[row->compared++], "");
		if (row->compared == row->nr)
			fail_msg("no column %s at this place", name);
		csv_text__compare_value(name, row->cell[row->compared++], value);
	}
}

#endif
