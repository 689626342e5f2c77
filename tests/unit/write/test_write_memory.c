/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written when memory is short: nothing, and an error; never a document that lacks a part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/full_result.h"
#include "support/short_memory.h"
#include "write/assertion.h"
#include "write/condition.h"
#include "write/json.h"
#include "write/output.h"

static struct full_result full;

/* A run that has samples, and one of which nothing is known: other reasons are written. */
static struct run_result unknown;

static int set_up(void **state)
{
	char frames[] = "a;b";
	struct profile_stack stack = {.frames = frames,
				      .count = 7,
				      .whose = NIO_SAMPLE_SENDER,
				      .class = CPU_CLASS_TX_COPY};

	(void)state;
	full_result__init(&full);
	run_result__init(&unknown);
	return cpu_time__take(&full.runs[0].cpu, &stack, false) ||
	       cpu_time__take(&full.result.summary[0].total.cpu, &stack, false);
}

static int tear_down(void **state)
{
	(void)state;
	run_result__clear(&unknown);
	full_result__clear(&full);
	return 0;
}

struct document {
	json_t *(*make)(const void *of);
	const void *of;
	json_t *whole;
};

static int make_document(void *arg)
{
	const struct document *d = arg;
	json_t *o = d->make(d->of);

	short_memory__end();
	if (!o)
		return -ENOMEM;
	assert_true(json_equal(o, d->whole));
	json_decref(o);
	return 0;
}

static void walk(unsigned long step, json_t *(*make)(const void *), const void *of)
{
	struct document d = {make, of, make(of)};

	assert_non_null(d.whole);
	short_memory__walk_by(step, make_document, &d);
	json_decref(d.whole);
}

static json_t *make_run(const void *run)
{
	return json_document__run(run);
}

static json_t *make_summary(const void *summary)
{
	return json_document__summary(summary);
}

static json_t *make_environment(const void *environment)
{
	return json_document__environment(environment);
}

static json_t *make_settings(const void *result)
{
	return json_document__settings(result);
}

static json_t *make_row(const void *row)
{
	return json_document__plan_row(row);
}

static json_t *make_result(const void *result)
{
	return json_document__result(result);
}

static json_t *make_steady(const void *environment)
{
	return json_environment__steady(environment);
}

static void documents_are_whole(void **state)
{
	static const struct environment nowhere;
	struct result empty = full.result;
	json_t *environment = json_document__environment(&full.result.env);

	(void)state;
	walk(1, make_environment, &full.result.env);
	walk(1, make_environment, &nowhere);
	walk(1, make_steady, environment);
	json_decref(environment);
	walk(1, make_settings, &full.result);
	walk(1, make_row, &full.plan[0]);
	walk(1, make_row, &full.plan[1]);
	empty.runs_nr = empty.summary_nr = 0;
	walk(1, make_result, &empty);
	walk(149, make_result, &full.result);
}

static void runs_are_whole(void **state)
{
	(void)state;
	walk(3, make_run, &full.runs[0]);
	walk(5, make_run, &unknown);
	walk(29, make_summary, &full.result.summary[0]);
}

/* Text of other encodings is copied before it is written. */
static json_t *make_text(const void *text)
{
	return json_value__text(text);
}

static void texts_are_whole(void **state)
{
	(void)state;
	walk(1, make_text, "plain");
	walk(1, make_text, "\xff is no UTF-8");
}

static char written[1 << 18];

struct output_case {
	int (*write)(const void *of, FILE *f);
	const void *of;
	char *whole;
};

static int write_output(void *arg)
{
	const struct output_case *c = arg;
	FILE *f = fmemopen(written, sizeof(written), "w");
	int err;

	assert_non_null(f);
	err = c->write(c->of, f);
	short_memory__end();
	fclose(f);
	if (!err && c->whole)
		assert_string_equal(written, c->whole);
	return err;
}

static void walk_output(unsigned long step, int (*write)(const void *, FILE *), const void *of)
{
	struct output_case c = {write, of, NULL};

	assert_int_equal(write_output(&c), 0);
	c.whole = strdup(written);
	assert_non_null(c.whole);
	short_memory__walk_by(step, write_output, &c);
	free(c.whole);
}

static int write_json(const void *result, FILE *f)
{
	return output__json(result, f);
}

static int write_csv(const void *result, FILE *f)
{
	return output__csv(result, f);
}

static int write_document(const void *document, FILE *f)
{
	return json_document__write(f, document);
}

static int write_header(const void *nothing, FILE *f)
{
	(void)nothing;
	return output__csv_header(f);
}

static void files_are_whole_or_refused(void **state)
{
	json_t *plan = json_document__plan_row(&full.plan[0]);

	(void)state;
	walk_output(1, write_document, plan);
	json_decref(plan);
	walk_output(241, write_json, &full.result);
	walk_output(61, write_header, NULL);
	walk_output(307, write_csv, &full.result);
}

/* Of all that is parsed, a condition or that memory was short: never a mistake of the user's. */
static int parse_condition(void *text)
{
	char message[256] = "";
	struct condition c;
	int err = condition__parse(&c, text, message, sizeof(message));

	short_memory__end();
	if (err)
		assert_string_equal(message, "--assert: out of memory");
	else
		assert_string_equal(c.path, "app.tx_bytes");
	condition__clear(&c);
	return err;
}

static int parse_assertion(void *text)
{
	struct assertion *a = NULL;
	char message[256] = "";
	int err = assertion__parse(&a, text, message, sizeof(message));

	short_memory__end();
	if (err)
		assert_string_equal(message, "--assert: out of memory");
	else
		assert_int_equal(assertion__check(a, &full.result, message, sizeof(message)), 1);
	assertion__free(err ? NULL : a);
	return err;
}

static void conditions_are_not_misread(void **state)
{
	(void)state;
	short_memory__walk(parse_condition, (char[]){"app.tx_bytes > 5"});
	short_memory__walk_by(131, parse_assertion, (char[]){"app.tx_bytes > 5"});
	short_memory__walk_by(131, parse_assertion, (char[]){"twocopy.copies_per_byte < 3"});
	short_memory__walk_by(131, parse_assertion,
			      (char[]){"summary.throughput_gbps.median == 8"});
}

/* What was not looked at does not hold, and that is said. */
static int check_assertion(void *arg)
{
	char message[256] = "";
	int holds = assertion__check(arg, &full.result, message, sizeof(message));
	bool refused = short_memory__end();

	if (refused)
		assert_string_equal(message, "assertion 'app.tx_bytes > 5' was not checked: "
					     "out of memory");
	assert_int_equal(holds, !refused);
	return refused ? -ENOMEM : 0;
}

static void an_assertion_that_was_not_checked_does_not_hold(void **state)
{
	struct assertion *a;
	char message[256];

	(void)state;
	assert_int_equal(assertion__parse(&a, "app.tx_bytes > 5", message, sizeof(message)), 0);
	short_memory__walk_by(157, check_assertion, a);
	assertion__free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_whole),
		cmocka_unit_test(runs_are_whole),
		cmocka_unit_test(texts_are_whole),
		cmocka_unit_test(files_are_whole_or_refused),
		cmocka_unit_test(conditions_are_not_misread),
		cmocka_unit_test(an_assertion_that_was_not_checked_does_not_hold),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
