/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on a terminal are wrapped at words, and nowhere else. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "common/xalloc.h"
#include "support/test.h"

static void check_message(unsigned int columns, const char *text, const char *expected)
{
	FILE *saved = stderr;
	char *printed;
	size_t len;

	stderr = xopen_memstream(&printed, &len);
	log_set_columns(columns);
	log_error("%s", text);
	xclose_memstream(stderr);
	stderr = saved;
	log_set_columns(0);
	assert_string_equal(printed, expected);
	free(printed);
}

TEST(message_is_wrapped_at_words_on_a_terminal)
{
	check_message(0, "one two three four five", "netiotrace: one two three four five\n");
	check_message(40, "one two three four five", "netiotrace: one two three four five\n");
	check_message(24, "one two three four five", "netiotrace: one two\n  three four five\n");
	check_message(22, "one two three four five six",
		      "netiotrace: one two\n  three four five six\n");
}

TEST(message_of_several_lines_and_a_narrow_terminal_are_left_alone)
{
	check_message(24, "a table:\n  1  2  3  4  5  6  7",
		      "netiotrace: a table:\n  1  2  3  4  5  6  7\n");
	check_message(10, "one two three", "netiotrace: one two three\n");
}
