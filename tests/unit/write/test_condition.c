/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions on numbers of JSON objects: parsing, lookup, and result. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "write/assertion.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct condition parsed(const char *text)
{
	char message[256] = "";
	struct condition c;

	if (condition__parse(&c, text, message, sizeof(message)))
		fail_msg("'%s': %s", text, message);
	return c;
}

static json_t *object(const char *text)
{
	json_t *o = json_loads(text, 0, NULL);

	assert_non_null(o);
	return o;
}

TEST(condition_has_path_operator_and_number)
{
	static const struct {
		const char *text, *path;
		unsigned int holds_if;
		double number;
	} cases[] = {
		{"a==1", "a", CONDITION_EQUAL, 1},
		{"a.b != -2.5", "a.b", CONDITION_BELOW | CONDITION_ABOVE, -2.5},
		{" \ta.b.c \t<= 1e3", "a.b.c", CONDITION_BELOW | CONDITION_EQUAL, 1000},
		{"a >= 0\n", "a", CONDITION_ABOVE | CONDITION_EQUAL, 0},
		{"a<12", "a", CONDITION_BELOW, 12},
		{"a > 0.25 ", "a", CONDITION_ABOVE, 0.25},
		{"\n\r\v\fa.b\n==\n1", "a.b", CONDITION_EQUAL, 1},
		{"two words == 3", "two words", CONDITION_EQUAL, 3},
		{"a\001b == 4", "a?b", CONDITION_EQUAL, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct condition c = parsed(cases[i].text);

		assert_string_equal(c.path, cases[i].path);
		assert_int_equal(c.holds_if, cases[i].holds_if);
		assert_true(c.number == cases[i].number);
		condition__clear(&c);
		assert_null(c.text);
		assert_string_equal(c.path, "");
	}
}

static void refused(const char *text, const char *expected)
{
	char message[256] = "";
	struct condition c;

	assert_int_equal(condition__parse(&c, text, message, sizeof(message)), -EINVAL);
	assert_string_equal(message, expected);
	condition__clear(&c);
}

TEST(malformed_conditions_are_refused_with_a_message)
{
	refused("a = 1", "--assert 'a = 1': no comparison: one of == != <= >= < > is needed");
	refused("a", "--assert 'a': no comparison: one of == != <= >= < > is needed");
	refused("<= 1", "--assert '<= 1': no field before the comparison");
	refused(" \t== 1", "--assert ' ?== 1': no field before the comparison");
	refused("a == ", "--assert 'a == ': ' ' is not a plain number");
	refused("a <1x", "--assert 'a <1x': '1x' is not a plain number");
	refused("a<=[1]", "--assert 'a<=[1]': '[1]' is not a plain number");
	refused("a!= \"1\"", "--assert 'a!= \"1\"': ' \"1\"' is not a plain number");
	refused("a >= 1\t2", "--assert 'a >= 1?2': ' 1?2' is not a plain number");
}

/* The longest path, including the end of the string. */
TEST(longest_path_is_accepted_and_a_longer_one_refused)
{
	char text[CONDITION_PATH_MAX + 8], message[512];
	struct condition c;

	memset(text, 'p', sizeof(text));
	memcpy(text + CONDITION_PATH_MAX - 1, "<1", 3);
	assert_int_equal(condition__parse(&c, text, message, sizeof(message)), 0);
	assert_int_equal(strlen(c.path), CONDITION_PATH_MAX - 1);
	condition__clear(&c);
	memset(text, 'p', sizeof(text));
	memcpy(text + CONDITION_PATH_MAX, "<1", 3);
	assert_int_equal(condition__parse(&c, text, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "ppp...': the name of the field is too long"));
	condition__clear(&c);
}

TEST(short_names_stand_for_paths)
{
	assert_string_equal(condition__long_name("copied_fraction"), "verdict.copied_fraction");
	assert_string_equal(condition__long_name("copies_per_byte"), "ledger.copies_per_byte");
	assert_string_equal(condition__long_name("unaccounted_tx"), "ledger.unaccounted_tx");
	assert_string_equal(condition__long_name("unaccounted_rx"), "ledger.unaccounted_rx");
	assert_string_equal(condition__long_name("copied_fractio"), "copied_fractio");
	assert_string_equal(condition__long_name("ledger.unaccounted_rx"), "ledger.unaccounted_rx");
}

static const char members[] = "{\"n\": 2, \"yes\": true, \"no\": false, \"none\": null,"
			      " \"none_reason\": \"own\", \"text\": \"2\", \"list\": [2],"
			      " \"in\": {\"x\": null, \"reason\": \"the object's\", \"y\": 0.25,"
			      "          \"deep\": {\"z\": null}}}";

TEST(paths_go_from_member_to_member)
{
	static const char *const found[] = {"n", "none", "text", "in", "in.y", "in.deep.z"};
	static const char *const absent[] = {"y",     "in.n", "in.deep.z.z", "n.n", "in..y",
					     "in.y.", ""};
	json_t *o = object(members);
	struct condition c = {.holds_if = CONDITION_EQUAL};

	for_each_case(path, found) {
		strcpy(c.path, *path);
		assert_true(condition__finds(&c, o));
	}
	for_each_case(path, absent) {
		strcpy(c.path, *path);
		assert_false(condition__finds(&c, o));
	}
	json_decref(o);
}

/* Numbers, booleans and null are allowed; text and reasons are not. */
TEST(only_numbers_booleans_and_null_can_be_compared)
{
	static const struct {
		const char *text, *refused; /* NULL: it is allowed */
	} cases[] = {
		{"n == 1", NULL},
		{"in.y == 1", NULL},
		{"yes == 1", NULL},
		{"no == 1", NULL},
		{"none == 1", NULL},
		{"text == 1", "--assert 'text == 1': field 'text' is not a number"},
		{"list == 1", "--assert 'list == 1': field 'list' is not a number"},
		{"in == 1", "--assert 'in == 1': field 'in' is not a number"},
		{"none_reason == 1",
		 "--assert 'none_reason == 1': field 'none_reason' is not a number"},
		{"in.reason == 1", "--assert 'in.reason == 1': field 'in.reason' is not a number"},
		{"in.n == 1", "--assert 'in.n == 1': there is no field 'in.n': see docs/reference"},
	};
	json_t *o = object(members);

	for_each_case(k, cases) {
		struct condition c = parsed(k->text);
		char message[256] = "";

		assert_int_equal(condition__check_path(&c, o, message, sizeof(message)),
				 k->refused ? -EINVAL : 0);
		assert_string_equal(message, k->refused ? k->refused : "");
		condition__clear(&c);
	}
	json_decref(o);
}

/* A document whose reason is still null: not a number either. */
TEST(reason_that_is_null_is_no_number)
{
	struct condition c = parsed("in.x_reason < 1");
	json_t *o = object("{\"in\": {\"x_reason\": null, \"reason\": null, \"seasons\": null}}");
	char message[256];

	assert_int_equal(condition__check_path(&c, o, message, sizeof(message)), -EINVAL);
	assert_string_equal(message,
			    "--assert 'in.x_reason < 1': field 'in.x_reason' is not a number");
	condition__clear(&c);
	c = parsed("in.reason < 1");
	assert_int_equal(condition__check_path(&c, o, message, sizeof(message)), -EINVAL);
	condition__clear(&c);
	c = parsed("in.seasons < 1");
	assert_int_equal(condition__check_path(&c, o, message, sizeof(message)), 0);
	condition__clear(&c);
	json_decref(o);
}

static int holds(const char *text, const char *in, char *message, size_t len)
{
	struct condition c = parsed(text);
	json_t *o = object(in);
	int holds;

	message[0] = '\0';
	holds = condition__holds(&c, o, "here", message, len);
	condition__clear(&c);
	json_decref(o);
	return holds;
}

/* Below, at and above the number. */
TEST(each_operator_compares_below_at_and_above)
{
	static const char *const objects[] = {"{\"v\": 1.5}", "{\"v\": 2}", "{\"v\": 2.5}"};
	static const struct {
		const char *text;
		int holds[3];
	} cases[] = {
		{"v == 2", {0, 1, 0}}, {"v != 2", {1, 0, 1}}, {"v <= 2", {1, 1, 0}},
		{"v >= 2", {0, 1, 1}}, {"v < 2", {1, 0, 0}},  {"v > 2", {0, 0, 1}},
	};
	char message[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t k = 0; k < ARRAY_SIZE(objects); k++) {
			if (holds(cases[i].text, objects[k], message, sizeof(message)) !=
			    cases[i].holds[k])
				fail_msg("'%s' of %s", cases[i].text, objects[k]);
			assert_int_equal(!*message, cases[i].holds[k]);
		}
}

/* Every condition on an unknown number is false, also !=; the message has the nearest reason. */
TEST(false_condition_names_the_value_found_or_the_reason)
{
	static const struct {
		const char *text, *in, *said;
	} cases[] = {
		{"in.y > 0.25", members, "found 0.25 in here"},
		{"v == 1", "{\"v\": 0.30000000000000004}", "found 0.3 in here"},
		{"v == 1", "{\"v\": 123456789012}", "found 123456789012 in here"},
		{"yes == 0", members, "found 1 in here"},
		{"no == 1", members, "found 0 in here"},
		{"none != 1", members, "unknown in here: own"},
		{"in.x != 1", members, "unknown in here: the object's"},
		{"in.deep.z != 1", members, "unknown in here: not measured"},
		{"gone.v != 1", members, "unknown in here: not measured"},
		{"text == 2", members, "unknown in here: not measured"},
	};
	char message[256], expected[256];

	for_each_case(k, cases) {
		assert_false(holds(k->text, k->in, message, sizeof(message)));
		snprintf(expected, sizeof(expected), "assertion '%s' does not hold: %s", k->text,
			 k->said);
		assert_string_equal(message, expected);
	}
	assert_true(holds("yes == 1", members, message, sizeof(message)));
	assert_true(holds("no == 0", members, message, sizeof(message)));
}
