/* SPDX-License-Identifier: GPL-2.0-only */
/* Line breaking, paragraphs beside a label, and quoting for a shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "screen/text_cells.h"
#include "support/test.h"

/* The lines of a text, separated by "|". */
static void check_lines(const char *text, size_t width, const char *expected)
{
	char found[256] = "";
	const char *line;
	size_t len;

	while ((len = wrap__next(&text, width, &line)))
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%.*s",
			 *found ? "|" : "", (int)len, line);
	assert_string_equal(found, expected);
}

TEST(text_is_broken_at_the_last_blank_that_fits)
{
	check_lines("", 10, "");
	check_lines("one two", 7, "one two");
	check_lines("one two", 6, "one|two");
	check_lines("one two three", 7, "one two|three");
	check_lines("one  two", 4, "one|two");
	check_lines("  one\n\n two ", 20, "one|two ");
	check_lines("one two", 0, "one two");
	/* A number stays on the line of the next word; a word that is too long is cut. */
	check_lines("sent 92 113 calls", 12, "sent|92 113 calls");
	check_lines("abcdefgh", 3, "abc|def|gh");
	check_lines("12 345", 3, "12|345");
}

static char *note(const char *text, unsigned int width)
{
	struct text_note n;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	assert_non_null(f);
	text_note__begin(&n);
	fputs(text, n.f);
	text_note__end(&n, f, width, "note");
	fclose(f);
	return out;
}

static void check_note(const char *text, unsigned int width, const char *expected)
{
	char *found = note(text, width);

	assert_string_equal(found, expected);
	free(found);
}

TEST(paragraphs_are_indented_beside_their_label)
{
	check_note("", 40, "");
	check_note("   ", 40, "");
	check_note("x", 40, "note       x\n");
	/* Narrower than label and text: 20 columns of text. */
	check_note("a sentence of more than twenty columns", 5,
		   "note       a sentence of more\n           than twenty columns\n");
	check_note("x\x1b[2J\xc2\x9b", 40, "note       x?[2J??\n");
	check_note("One sentence. Another. ", 26,
		   "note       One sentence.\n           Another.\n");
}

static void check_word(const char *word, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	shell__put_word(f, word);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

TEST(quoted_words_are_read_back_by_a_shell)
{
	check_word("--size=64k,1m", "--size=64k,1m");
	check_word("a", "a");
	check_word("", "''");
	check_word("two words", "'two words'");
	check_word("don't", "'don'\\''t'");
	check_word("$HOME", "'$HOME'");
	check_word("a*", "'a*'");
}
