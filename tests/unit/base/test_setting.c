/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that are stored in fields: each kind, and keys without a setting. */
#include <string.h>

#include "base/setting.h"
#include "support/test.h"

struct fields {
	bool flag;
	int level;
	const char *string;
	unsigned int choice;
	uint64_t count, time;
};

#define AT(field) .offset = offsetof(struct fields, field)

static const struct setting settings[] = {
	{'f', SETTING_FLAG, AT(flag)},
	{'l', SETTING_LEVEL, AT(level)},
	{'s', SETTING_STRING, AT(string)},
	{'w', SETTING_CHOICE, AT(choice), "--word", "process|connection|two-words"},
	{'c', SETTING_COUNT, AT(count), "--count", "a number from 1 to 100", 1, 100},
	{'t', SETTING_TIME, AT(time), "--time", "a time", 1, 3600000000000},
};

static bool take(int key, const char *arg, struct fields *f)
{
	return setting__take(settings, ARRAY_LEN(settings), key, arg, f);
}

TEST(each_kind_of_setting_is_stored_in_its_field)
{
	static const struct {
		const char *word;
		unsigned int index;
	} words[] = {{"process", 0}, {"Connection", 1}, {"two_words", 2}, {"twowords", 2}};
	struct fields f = {0};

	assert_true(take('f', NULL, &f) && take('l', NULL, &f) && take('l', NULL, &f));
	assert_true(take('s', "x", &f) && take('c', "100", &f) && take('t', "1.5s", &f));
	assert_true(f.flag);
	assert_int_equal(f.level, 2);
	assert_string_equal(f.string, "x");
	assert_int_equal(f.count, 100);
	assert_int_equal(f.time, 1500000000);
	for_each_case(c, words) {
		assert_true(take('w', c->word, &f));
		assert_int_equal(f.choice, c->index);
	}
}

TEST(key_without_a_setting_is_not_taken)
{
	struct fields f = {0};

	assert_false(take('x', "1", &f));
	assert_false(f.flag || f.level || f.string || f.choice || f.count || f.time);
}
