/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that are stored in fields: each kind. */
#include <string.h>

#include "base/option_command.h"
#include "support/test.h"

struct fields {
	bool flag;
	int level;
	const char *string;
	unsigned int choice, number;
	uint64_t count, size, time, others;
	const char *operand;
};

#define AT(field) .offset = offsetof(struct fields, field)

static void parse_other(void *options, const char *arg)
{
	((struct fields *)options)->others += strlen(arg);
}

/* Sees the field before it is set. */
static void check_size(void *size, const char *arg)
{
	assert_int_equal(*(uint64_t *)size, 0);
	assert_string_equal(arg, "4k");
}

static void add_operand(void *options, const char *arg)
{
	((struct fields *)options)->operand = arg;
}

static const struct option_row option_rows[] = {
	OPTION_TITLE_ROW("Title:"),
	{"flag", NULL, "a flag", OPTION_FLAG, AT(flag)},
	{"level", NULL, "a level", OPTION_LEVEL, AT(level), .letter = 'l'},
	{"string", "TEXT", "a text", OPTION_STRING, AT(string)},
	{"word", "process|connection|two-words", "a word", OPTION_CHOICE, AT(choice)},
	{"count", "N", "a count", OPTION_COUNT, AT(count), "a number from 1 to 100", 1, 100},
	{"number", "N", "a small count", OPTION_UINT, AT(number), "a number", 0, 9},
	{"size", "SIZE", "a size", OPTION_SIZE, AT(size), "a size", 1, 8192, .parse = check_size},
	{"time", "TIME", "a time", OPTION_TIME, AT(time), "a time", 1, 3600000000000},
	{"other", "X", "another", OPTION_OTHER, .parse = parse_other},
};

static struct fields parse(size_t nr, const char *const *words)
{
	static const struct option_command command = {.name = "test",
						      .doc = "",
						      .args_doc = "FILE",
						      .option_rows = option_rows,
						      .nr = ARRAY_LEN(option_rows),
						      .operand = add_operand};
	char *argv[16] = {(char *)"test"};
	struct fields f = {0};

	for (size_t i = 0; i < nr; i++)
		argv[i + 1] = (char *)words[i];
	option_command__parse(&command, (int)nr + 1, argv, &f);
	return f;
}

TEST(each_kind_of_setting_is_stored_in_its_field)
{
	static const char *const words[] = {"--flag",      "-ll",     "--string=x", "--count=100",
					    "--time=1.5s", "--other", "four",       "--number=9",
					    "--size",      "4k",      "file"};
	struct fields f = parse(ARRAY_LEN(words), words);

	assert_true(f.flag);
	assert_int_equal(f.level, 2);
	assert_string_equal(f.string, "x");
	assert_int_equal(f.count, 100);
	assert_int_equal(f.time, 1500000000);
	assert_int_equal(f.others, 4);
	assert_int_equal(f.number, 9);
	assert_int_equal(f.size, 4096);
	assert_string_equal(f.operand, "file");
}

TEST(choice_is_the_index_of_its_word)
{
	static const char *const words[] = {"--word=process", "--word=Connection",
					    "--word=two_words"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_int_equal(parse(1, &words[i]).choice, i);
}
