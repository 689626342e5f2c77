/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole documents of results whose every number is another, as golden files: a number at another's
 * place, or of another's value, shows. UPDATE_GOLDEN=1 rewrites them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/json.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/golden.c"

/* Of runs and of summaries the last; whoever built it is left out. */
static void check(const char *name, const struct result *r)
{
	json_t *document = json_document__result(r);
	json_t *runs = json_object_get(document, "runs");
	json_t *summary = json_object_get(document, "summary");
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	json_object_del(json_object_get(document, "tool"), "version");
	while (json_array_size(runs) > 1)
		json_array_remove(runs, 0);
	while (json_array_size(summary) > 1)
		json_array_remove(summary, 0);
	assert_int_equal(json_document__write(f, document), 0);
	fclose(f);
	golden__check(name, text);
	free(text);
	json_decref(document);
}

static void of_all_that_can_be_known(void **state)
{
	struct full_result f;

	(void)state;
	full_result__init(&f);
	check("document-full", &f.result);
	full_result__clear(&f);
}

/* Nothing is invented: all is null, with its reason. */
static void of_a_run_nobody_measured(void **state)
{
	struct result *r = calloc(1, sizeof(*r));
	struct run_result run;

	(void)state;
	assert_non_null(r);
	run_result__init(&run);
	r->runs = &run;
	r->runs_nr = 1;
	r->summary_nr = 1;
	run_result__init(&r->summary[0].total);
	check("document-empty", r);
	run_result__clear(&r->summary[0].total);
	run_result__clear(&run);
	free(r);
}

static void as_csv(void **state)
{
	struct full_result f;
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	(void)state;
	full_result__init(&f);
	assert_int_equal(output__csv(&f.result, stream), 0);
	fclose(stream);
	golden__check("document-csv", text);
	free(text);
	full_result__clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_all_that_can_be_known),
		cmocka_unit_test(of_a_run_nobody_measured),
		cmocka_unit_test(as_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
