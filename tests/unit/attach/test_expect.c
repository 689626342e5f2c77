/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert of attach: conditions refused at the start, conditions that are true, and the message if
 * one is false.
 */
#include <string.h>

#include "attach/attach_result.h"
#include "attach/expect.h"
#include "support/test.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Parses text for the documents of attach. */
static int parse(struct expect *e, const char *text, char *message, size_t len)
{
	static const struct attach_options options;
	struct attach_result empty = {.o = &options};
	json_t *document = attach_result__document(&empty);
	int err = expect__parse(e, text, document, message, len);

	json_decref(document);
	return err;
}

TEST(conditions_on_missing_or_non_numeric_fields_are_refused)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"", "no comparison"},
		{"copied_fraction", "no comparison"},
		{"== 0", "no field before"},
		{"copied_fraction == 0x10", "not a plain number"},
		{"copied_fraction == inf", "not a plain number"},
		{"nothing.such == 0", "there is no field 'nothing.such'"},
		{"total.unaccounted_tx == 0", "there is no field"},
		{"verdict.text == 0", "not a number"},
		{"ledger == 0", "not a number"},
		{"processes == 0", "not a number"},
		{"a\033[31m == 0", "'a?[31m == 0': there is no field 'a?[31m'"},
	};
	char message[256];
	struct expect e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!parse(&e, rows[i].text, message, sizeof(message)))
			fail_msg("'%s' was taken", rows[i].text);
		if (!strstr(message, rows[i].said))
			fail_msg("'%s': %s", rows[i].text, message);
		expect__clear(&e);
	}
}

TEST(short_field_names_are_looked_up_in_the_total_first)
{
	char message[256];
	struct expect e;

	assert_int_equal(parse(&e, " copied_fraction<=0.5 ", message, sizeof(message)), 0);
	assert_string_equal(e.condition.path, "verdict.copied_fraction");
	assert_true(e.of_total);
	expect__clear(&e);
	assert_int_equal(parse(&e, "health.missed == 0", message, sizeof(message)), 0);
	assert_false(e.of_total);
	expect__clear(&e);
}

TEST(each_condition_is_true_or_its_message_names_the_value_found)
{
	json_t *doc =
		json_pack("{s:{s:{s:f,s:n},s:{s:n,s:s}},s:{s:i},s:b}", "total", "ledger",
			  "copies_per_byte", 1.0, "unaccounted_tx", "verdict", "copied_fraction",
			  "reason", "there were none", "health", "missed", 3, "interrupted", 1);
	static const struct {
		const char *text, *said; /* NULL: true */
	} rows[] = {
		{"copies_per_byte == 1", NULL},
		{"copies_per_byte != 2", NULL},
		{"copies_per_byte < 1", "found 1 in the total"},
		{"unaccounted_tx == 0", "unknown in the total: not measured"},
		{"copied_fraction == 0", "unknown in the total: there were none"},
		{"health.missed == 0", "found 3 in the document"},
		{"health.missed == 3", NULL},
		{"interrupted == 1", NULL},
	};
	char message[256];
	struct expect e;

	assert_non_null(doc);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse(&e, rows[i].text, message, sizeof(message)))
			fail_msg("%s", message);
		if (expect__check(&e, doc, message, sizeof(message)) != !rows[i].said)
			fail_msg("'%s': %s", rows[i].text, message);
		if (rows[i].said && !strstr(message, rows[i].said))
			fail_msg("'%s': %s", rows[i].text, message);
		expect__clear(&e);
	}
	json_decref(doc);
}
