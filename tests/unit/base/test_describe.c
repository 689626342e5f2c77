/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of completion and manual pages: one for each item of a command's help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_command.h"
#include "common/xalloc.h"
#include "support/test.h"

/* The text printed to stdout. The caller frees it. */
static char *printed(const struct option_command *c)
{
	FILE *before = stdout;
	char *text = NULL;
	size_t len;

	stdout = open_memstream(&text, &len);
	assert_non_null(stdout);
	option_command__describe(c);
	fclose(stdout);
	stdout = before;
	return text;
}

#define COMMON                                         \
	"option\t-?\t--help\t\tthis list\n"            \
	"option\t\t--usage\t\ta short usage message\n" \
	"option\t-V\t--version\t\t"                    \
	"the version\n"

static char *list(void)
{
	return xstrdup("A\tlist.");
}

TEST(every_item_of_the_help_has_a_line)
{
	static const struct option_row options[] = {
		OPTION_TITLE_ROW("Output:"),
		{"quiet", NULL, "say nothing", OPTION_FLAG, .letter = 'q'},
		{"json", "FILE", "write it\there", OPTION_STRING, .offset = 0},
	};
	struct option_command c = {.args_doc = "DIR",
				   .doc = "What it\nsays.\n---\nWhat\tbesides.\n",
				   .option_rows = options,
				   .nr = ARRAY_LEN(options)};
	char *text = printed(&c);

	assert_string_equal(text, "usage\tDIR\n"
				  "doc\tWhat it\\nsays.\n"
				  "group\tOutput:\n"
				  "option\t-q\t--quiet\t\tsay nothing\n"
				  "option\t\t--json\tFILE\twrite it\there\n" COMMON
				  "after\tWhat besides.\n");
	free(text);
	c.list = list;
	text = printed(&c);
	assert_non_null(strstr(text, "\nafter\tA list.\\n\\nWhat besides.\n"));
	free(text);
}

TEST(missing_parts_of_the_help_have_no_line)
{
	const struct option_command bare = {0}, one = {.doc = "Only this."};
	char *text = printed(&bare);

	assert_string_equal(text, COMMON);
	free(text);
	text = printed(&one);
	assert_string_equal(text, "doc\tOnly this.\n" COMMON);
	free(text);
}
