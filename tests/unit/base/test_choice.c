/* SPDX-License-Identifier: GPL-2.0-only */
/* Suggestions for a misspelt word. */
#include <string.h>

#include "base/command_line.h"
#include "common/word.h"
#include "support/test.h"

static const char *const names[] = {"run", "attach", "sweep", "report", "compare", "serve"};

#define NAMES_NR (sizeof(names) / sizeof(names[0]))

TEST(one_mistake_per_three_letters_is_near)
{
	static const struct {
		const char *word, *nearest;
	} cases[] = {
		{"swep", "sweep"},     {"sweeep", "sweep"},  {"sewep", "sweep"},
		{"sweeP", "sweep"},    {"attqch", "attach"}, {"comprae", "compare"},
		{"att", "attach"},     {"rum", "run"},       {"repotr", "report"},
		{"xyz", NULL},         {"", NULL},           {"se", "serve"},
		{"r", NULL /* two */}, {"swxyz", NULL},
	};
	char longest[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *near = choice__nearest(cases[i].word, names, NAMES_NR);

		if (!cases[i].nearest)
			assert_null(near);
		else
			assert_string_equal(near, cases[i].nearest);
	}
	memset(longest, 's', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(choice__nearest(longest, names, NAMES_NR));
}

TEST(two_equally_near_names_give_no_suggestion)
{
	static const char *const two[] = {"abcd", "abce"};

	assert_null(choice__nearest("abcx", two, 2));
}

TEST(words_match_in_any_case_and_with_any_separators)
{
	assert_true(same_word("zero-copy", "zerocopy"));
	assert_true(same_word("Zero_Copy-", "zerocopy"));
	assert_true(same_word("", "-"));
	assert_false(same_word("zerocop", "zerocopy"));
	assert_false(same_word("zero copy", "zerocopy"));
	assert_true(same_but_for("-_ ", "zero copy", "zerocopy"));
	assert_false(same_word("cycle", "cycles"));
}
