/* SPDX-License-Identifier: GPL-2.0-only */
/* Suggestions for a misspelt word; options that name the same file. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/exit_code.h"
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

/* Checks them in a child. Returns what it wrote on stderr; "" if they can be written. */
static const char *refusal_of(const struct output_option *outputs, size_t nr, char *text,
			      size_t len)
{
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_false(pipe(fd));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fd[1], STDERR_FILENO);
		command_line__check_outputs(outputs, nr);
		_exit(0);
	}
	close(fd[1]);
	n = read(fd[0], text, len - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), *text ? EXIT_USAGE : 0);
	return text;
}

TEST(two_outputs_to_one_file_or_to_stdout_are_refused)
{
	static const struct output_option fine[] = {
		{"--a", "/a"}, {"--b", NULL}, {"--c", "-"}, {"--d", NULL}, {"--e", "/b"}};
	static const struct output_option one[] = {{"--a", "/a"}, {"--b", NULL}, {"--c", "/./a"}};
	static const struct output_option both[] = {{"--a", "-"}, {"--b", "/b"}, {"--c", "-"}};
	char text[256];

	assert_string_equal(refusal_of(fine, 5, text, sizeof(text)), "");
	assert_string_equal(refusal_of(one, 3, text, sizeof(text)),
			    "netiotrace: --a and --c cannot both write to /./a.\n");
	assert_string_equal(refusal_of(both, 3, text, sizeof(text)),
			    "netiotrace: --a and --c cannot both write to stdout.\n");
}
