/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV as in RFC 4180 and as programs write it: line ends, quotes, empty cells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/csv_text.h"
#include "support/test.h"

/* The records of a text: line number and cells in brackets. The memory has the exact size. */
static const char *read_all(const char *text)
{
	static char said[512];
	size_t len = strlen(text), at = 0;
	char *copy = malloc(len ? len : 1);
	struct csv_text t;
	int more;

	assert_non_null(copy);
	memcpy(copy, text, len);
	said[0] = '\0';
	csv_text__init(&t, copy, len);
	while ((more = csv_text__next(&t)) == 1) {
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%lu:", t.line);
		for (size_t i = 0; i < t.cells_nr; i++)
			at += (size_t)snprintf(said + at, sizeof(said) - at, "[%s]",
					       csv_text__cell(&t, i));
		at += (size_t)snprintf(said + at, sizeof(said) - at, " ");
	}
	if (more)
		snprintf(said + at, sizeof(said) - at, "%d at %lu", more, t.line);
	csv_text__clear(&t);
	free(copy);
	return said;
}

TEST(records_and_cells_are_split)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"a", "1:[a] "},
		{"a,b", "1:[a][b] "},
		{"a,b\n", "1:[a][b] "},
		{"a,b\r\n", "1:[a][b] "},
		{"a\nb\n", "1:[a] 2:[b] "},
		{"a\r\nb\r\n", "1:[a] 2:[b] "},
		{"a\rb", "1:[a] 2:[b] "},
		{"a\r", "1:[a] "},
		{",", "1:[][] "},
		{"a,", "1:[a][] "},
		{",a\n", "1:[][a] "},
		{"\n", "1:[] "},
		{"\n\na", "1:[] 2:[] 3:[a] "},
		{"\xef\xbb\xbf"
		 "a,b",
		 "1:[a][b] "},
		{"\xef\xbb\xbf", ""},
		{"\xef\xbb", "1:[\xef\xbb] "},
		{"\xef\xbb.", "1:[\xef\xbb.] "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(read_all(cases[i][0]), cases[i][1]);
}

/* A quoted cell may contain separators and line ends, which count; a doubled quote is one. */
TEST(quoted_cells_keep_separators_and_line_ends)
{
	static const char *const cases[][2] = {
		{"\"a\",b", "1:[a][b] "},
		{"\"\"", "1:[] "},
		{"\"\",\"\"", "1:[][] "},
		{"\"a,b\"", "1:[a,b] "},
		{"\"a\"\"b\"", "1:[a\"b] "},
		{"\"\"\"\"", "1:[\"] "},
		{"\"a\nb\nc\",d\ne", "1:[a\nb\nc][d] 4:[e] "},
		{"\"a\"b,c", "1:[ab][c] "},
		{"a\"b\"", "1:[a\"b\"] "},
		{"a\n\"b", "1:[a] -74 at 2"},
		{"\"", "-74 at 1"},
		{"a,\"b\"\"", "-74 at 1"},
		{"\"a\n\n", "-74 at 1"},
	};

	assert_int_equal(EBADMSG, 74);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(read_all(cases[i][0]), cases[i][1]);
}

/* More and longer cells than the first allocation holds; the next record reuses it. */
TEST(text_with_1500_cells_and_a_long_cell_fit)
{
	enum { CELLS = 1500, LETTERS = 3000 };
	char *text = malloc(2 * CELLS + LETTERS + 4);
	struct csv_text t;
	size_t n = 0;

	assert_non_null(text);
	for (size_t i = 0; i < CELLS; i++) {
		text[n++] = (char)('a' + i % 26);
		text[n++] = i + 1 < CELLS ? ',' : '\n';
	}
	memset(text + n, 'x', LETTERS);
	n += LETTERS;
	memcpy(text + n, ",y\n", 3);
	csv_text__init(&t, text, n + 3);
	assert_int_equal(csv_text__next(&t), 1);
	assert_int_equal(t.cells_nr, CELLS);
	for (size_t i = 0; i < CELLS; i++) {
		assert_int_equal(csv_text__cell(&t, i)[0], 'a' + i % 26);
		assert_int_equal(csv_text__cell(&t, i)[1], 0);
	}
	assert_int_equal(csv_text__next(&t), 1);
	assert_int_equal(t.cells_nr, 2);
	assert_int_equal(strlen(csv_text__cell(&t, 0)), LETTERS);
	assert_string_equal(csv_text__cell(&t, 1), "y");
	assert_int_equal(csv_text__next(&t), 0);
	assert_int_equal(csv_text__next(&t), 0);
	csv_text__clear(&t);
	free(text);
}
