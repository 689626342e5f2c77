/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that grows in a buffer, and words of a list. */
#include "base/printable.h"
#include "common/word.h"
#include "support/test.h"

TEST(text_that_does_not_fit_is_cut_with_a_mark)
{
	char buf[12] = "ab", exact[6] = "", accents[8] = "";

	append__text(buf, sizeof(buf), " %d%%", 12);
	assert_string_equal(buf, "ab 12%");
	append__text(buf, sizeof(buf), "%s", "3456789");
	assert_string_equal(buf, "ab 12%34...");
	append__text(buf, sizeof(buf), "x");
	assert_string_equal(buf, "ab 12%34...");
	append__text(exact, sizeof(exact), "12345");
	assert_string_equal(exact, "12345");
	/* The third character would be cut in its middle. */
	append__text(accents, sizeof(accents), "a\xc3\xa9\xe2\x82\xac b");
	assert_string_equal(accents, "a\xc3\xa9...");
}

TEST(only_whole_words_are_in_a_list)
{
	assert_true(has_word("reno", "reno"));
	assert_true(has_word("renovated xreno reno bbr", "reno"));
	assert_false(has_word("renovated xreno", "reno"));
	assert_false(has_word("", "reno"));
	assert_false(has_word("reno", ""));
}
