/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from files must not control a terminal nor break a picture. */
#include <string.h>

#include "base/printable.h"
#include "support/test.h"

static void check(const char *text, const char *expected)
{
	char buf[64];

	assert_string_equal(printable(buf, sizeof(buf), text), expected);
}

TEST(printable_text_is_kept)
{
	check("", "");
	check("Linux 6.18, 64 KiB", "Linux 6.18, 64 KiB");
	check("\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	      "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
}

/* The first character of each encoded length: an off-by-one limit would call it overlong. */
TEST(each_encoded_length_begins_at_its_first_character)
{
	check("\xc2\xa0", "\xc2\xa0");
	check("\xe0\xa0\x80", "\xe0\xa0\x80");
	check("\xf0\x90\x80\x80", "\xf0\x90\x80\x80");
	check("\xed\x9f\xbf", "\xed\x9f\xbf"); /* before and after the surrogates */
	check("\xee\x80\x80", "\xee\x80\x80");
	check("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"); /* the last character */
	check("\xc2\x9f", "??");
	check("\xe0\x9f\xbf", "???");
	check("\xf0\x8f\xbf\xbf", "????");
	check("\xed\xa0\x80", "???");
	check("\xed\xbf\xbf", "???");
}

TEST(control_characters_become_question_marks)
{
	check("6.1\x1b[2J\x1b]0;owned\x07", "6.1?[2J?]0;owned?");
	check("a\nb\rc\td\x7f", "a?b?c?d?");
	check("\xc2\x9b"
	      "2J",
	      "??2J"); /* CSI as a single character */
}

/* "gpj.exe" would show as "exe.jpg". */
TEST(direction_marks_become_question_marks)
{
	check("a\xe2\x80\xaegpj.exe", "a???gpj.exe");  /* U+202E */
	check("\xe2\x80\xaa\xe2\x80\x8e", "??????");   /* U+202A, U+200E */
	check("\xe2\x81\xa6x\xe2\x81\xa9", "???x???"); /* U+2066, U+2069 */
	check("\xd8\x9c", "??");                       /* U+061C */
	check("\xe2\x80\xa8", "???");                  /* U+2028 */
	check("\xef\xbb\xbfx", "???x");
	check("\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	      "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"); /* their neighbours */
}

TEST(printable_lines_keep_newlines_and_tabs)
{
	char text[] = "one\n\ttwo\x1b[31m\r\xc2\x9b";

	assert_string_equal(printable__lines(text), "one\n\ttwo?[31m???");
}

TEST(invalid_UTF8_becomes_question_marks)
{
	check("\xff\xfe", "??");
	check("\xc0\xaf", "??");      /* an overlong slash */
	check("\xed\xa0\x80", "???"); /* a surrogate */
	check("\xf4\x90\x80\x80", "????");
	check("\xe2\x82", "??"); /* truncated */
}

TEST(short_buffers_are_cut_between_characters)
{
	char buf[8], two[2], text[] = "x\x1by\xe2";

	assert_string_equal(printable(buf, 4, "\xe2\x82\xac\xe2\x82\xac"), "\xe2\x82\xac");
	assert_string_equal(printable(buf, 6, "\xe2\x82\xac\xe2\x82\xac"), "\xe2\x82\xac");
	assert_string_equal(printable(buf, 7, "\xe2\x82\xac\xe2\x82\xac"),
			    "\xe2\x82\xac\xe2\x82\xac");
	assert_string_equal(printable(buf, 1, "abc"), "");
	/* A replaced character also uses space. */
	assert_string_equal(printable(two, sizeof(two), "a\x1b"), "a");
	assert_string_equal(printable(two, sizeof(two), "\x1b\x1b"), "?");
	assert_string_equal(printable__in_place(text), "x?y?");
}
