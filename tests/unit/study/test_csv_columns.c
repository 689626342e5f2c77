/* SPDX-License-Identifier: GPL-2.0-only */
/* The lists of --columns and --modes: looking up either side of a pair. */
#include <stdlib.h>
#include <string.h>

#include "study/csv_reader.h"
#include "support/test.h"

struct pair_case {
	const char *list;
	bool left;
	const char *word, *other; /* NULL: not found */
};

static const struct pair_case cases[] = {
	{"mode=impl,size=msg_size", true, "mode", "impl"},
	{"mode=impl,size=msg_size", true, "size", "msg_size"},
	{"mode=impl,size=msg_size", false, "impl", "mode"},
	{"mode=impl,size=msg_size", false, "msg_size", "size"},
	{"mode=impl,size=msg_size", true, "impl", NULL},
	{"mode=impl,size=msg_size", false, "mode", NULL},
	{"mode=impl,size=msg_size", true, "mod", NULL},
	{"mode=impl,size=msg_size", true, "modes", NULL},
	{"mode=impl,size=msg_size", false, "impl,", NULL},
	{"mode=impl,size=msg_size", false, "size", NULL},
	{"mode=impl,mode=other", true, "mode", "impl"},
	{"a=,b=c", true, "a", ""},
	{"=a,b=c", false, "a", ""},
	{"a,b=c", true, "b", "c"},
	{"a,b=c", true, "a", NULL},
	{",,b=c,", true, "b", "c"},
	{"a=b=c", true, "a", "b=c"},
	{"a=b=c", false, "b=c", "a"},
	{"", true, "", NULL},
	{NULL, true, "a", NULL},
};

TEST(word_is_looked_up_on_either_side)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pair_case *c = &cases[i];
		char *list = c->list ? strdup(c->list) : NULL, other[NAME_LEN] = "untouched";
		bool found = csv_reader__look_up(list, c->left, c->word, other);

		if (found != (c->other != NULL))
			fail_msg("'%s' in '%s'", c->word, c->list ? c->list : "");
		assert_string_equal(other, c->other ? c->other : "untouched");
		free(list);
	}
}

/* The user's list may hold a name that is too long: it is cut. */
TEST(name_that_is_too_long_is_cut)
{
	char list[2 * NAME_LEN + 3] = "a=", other[NAME_LEN];

	memset(list + 2, 'x', 2 * NAME_LEN);
	list[2 + 2 * NAME_LEN] = '\0';
	assert_true(csv_reader__look_up(list, true, "a", other));
	assert_int_equal(strlen(other), NAME_LEN - 1);
}

TEST(refusal_has_file_and_line)
{
	char message[DATASET_MESSAGE_MAX], name[2 * DATASET_MESSAGE_MAX];
	struct csv_reader r = {.name = "x.csv", .message = message, .text = {.line = 12}};

	assert_int_equal(csv_reader__refuse(&r, "%s of %d", "this", 3), -22);
	assert_string_equal(message, "x.csv, line 12: this of 3");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	r.name = name;
	assert_int_equal(csv_reader__refuse(&r, "too much"), -22);
	assert_int_equal(strlen(message), DATASET_MESSAGE_MAX - 1);
}
