/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of completion and manual pages: one for each item of a command's help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "support/test.h"

/* The text printed to stdout. The caller frees it. */
static char *printed(const struct argp *argp)
{
	FILE *before = stdout;
	char *text = NULL;
	size_t len;

	stdout = open_memstream(&text, &len);
	assert_non_null(stdout);
	describe__print(argp);
	fclose(stdout);
	stdout = before;
	return text;
}

#define COMMON                                         \
	"option\t-?\t--help\t\tthis list\n"            \
	"option\t\t--usage\t\ta short usage message\n" \
	"option\t-V\t--version\t\t"                    \
	"the version\n"

static char *filter(int key, const char *text, void *input)
{
	(void)text;
	(void)input;
	return key == ARGP_KEY_HELP_POST_DOC ? strdup("filtered") : NULL;
}

TEST(every_item_of_the_help_has_a_line)
{
	static const struct argp_option options[] = {
		{NULL, 0, NULL, 0, "Output:", 0},
		{"quiet", 'q', NULL, 0, "say nothing", 0},
		{"json", 0x100, "FILE", 0, "write it\there", 0},
		{"last", '~', NULL, 0, "a letter, the last", 0},
		{"none", 0x7f, NULL, 0, "no letter: nothing shows", 0},
		{"neither", 1, "N", 0, "no letter: nothing shows", 0},
		{0},
	};
	struct argp argp = {
		.options = options, .args_doc = "DIR", .doc = "What it\nsays.\vWhat\tbesides."};
	char *text = printed(&argp);

	assert_string_equal(text, "usage\tDIR\n"
				  "doc\tWhat it\\nsays.\n"
				  "group\tOutput:\n"
				  "option\t-q\t--quiet\t\tsay nothing\n"
				  "option\t\t--json\tFILE\twrite it\there\n"
				  "option\t-~\t--last\t\ta letter, the last\n"
				  "option\t\t--none\t\tno letter: nothing shows\n"
				  "option\t\t--neither\tN\tno letter: nothing shows\n" COMMON
				  "after\tWhat besides.\n");
	free(text);
	argp.help_filter = filter;
	text = printed(&argp);
	assert_non_null(strstr(text, "\nafter\tfiltered\n"));
	free(text);
}

TEST(missing_parts_of_the_help_have_no_line)
{
	static const struct argp_option options[] = {{0}};
	const struct argp bare = {.options = options};
	const struct argp one = {.options = options, .doc = "Only this."};
	char *text = printed(&bare);

	assert_string_equal(text, COMMON);
	free(text);
	text = printed(&one);
	assert_string_equal(text, "doc\tOnly this.\n" COMMON);
	free(text);
}
