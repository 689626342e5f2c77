/* SPDX-License-Identifier: GPL-2.0-only */
/* The word that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/choice.h"
#include "common/word.h"

static const char *const names[] = {"run", "attach", "sweep", "report", "compare", "serve"};

#define NAMES_NR (sizeof(names) / sizeof(names[0]))

static void one_mistake_in_three_letters_is_near(void **state)
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

	(void)state;
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

static void equally_near_names_are_not_guessed(void **state)
{
	static const char *const two[] = {"abcd", "abce"};

	(void)state;
	assert_null(choice__nearest("abcx", two, 2));
}

static void a_word_is_the_same_with_other_separators_and_case(void **state)
{
	(void)state;
	assert_true(same_word("zero-copy", "zerocopy"));
	assert_true(same_word("Zero_Copy-", "zerocopy"));
	assert_true(same_word("", "-"));
	assert_false(same_word("zerocop", "zerocopy"));
	assert_false(same_word("zero copy", "zerocopy"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_mistake_in_three_letters_is_near),
		cmocka_unit_test(equally_near_names_are_not_guessed),
		cmocka_unit_test(a_word_is_the_same_with_other_separators_and_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
