/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that grows in a buffer, and words of a list. */
#include "base/append.h"
#include "common/word.h"
#include "support/test.h"

TEST(text_is_appended_until_the_buffer_is_full)
{
	char buf[12] = "ab";

	append__text(buf, sizeof(buf), " %d%%", 12);
	assert_string_equal(buf, "ab 12%");
	append__text(buf, sizeof(buf), "%s", "3456789");
	assert_string_equal(buf, "ab 12%34567");
	append__text(buf, sizeof(buf), "x");
	assert_string_equal(buf, "ab 12%34567");
}

TEST(only_whole_words_are_in_a_list)
{
	assert_true(has_word("reno", "reno"));
	assert_true(has_word("renovated xreno reno bbr", "reno"));
	assert_false(has_word("renovated xreno", "reno"));
	assert_false(has_word("", "reno"));
	assert_false(has_word("reno", ""));
}
