/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lists in docs/reference/names.md of stages, parts of a send call, counters, modes and
 * compared metrics equal the program's tables. Run from the root of the source tree;
 * UPDATE_GOLDEN=1 rewrites them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/metric.h"
#include "model/perf_figures.h"
#include "support/test.h"

#define DOCUMENT "docs/reference/names.md"

static const char begin[] = "<!-- lists: made by UPDATE_GOLDEN=1 make test-unit -->\n";
static const char end[] = "<!-- end of lists -->\n";

static void put_stages(FILE *f)
{
	fputs("| stage | what it is | copies | accounts for bytes |\n|---|---|---|---|\n", f);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		fprintf(f, "|`%s` | %s | %s | %s |\n", stage__key(s), stage__help(s),
			stage__is_copy(s) ? "yes" : "no",
			stage__account(s) == STAGE_SENT       ? "sent"
			: stage__account(s) == STAGE_RECEIVED ? "received"
							      : "");
	fputs("\nParts of a send call: `send_total`, the whole; of it", f);
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		fprintf(f, "%s `%s`", p > 1 ? "," : "", path_part__key((enum path_part)p));
	fputs(".\n\n", f);
}

static void put_modes(FILE *f)
{
	fputs("| mode | in words | can feed |\n|---|---|---|\n", f);
	for (int m = 0; m < MODE_NR; m++)
		fprintf(f, "|`%s` | %s | %s%s%s%s |\n", mode__name((enum mode)m),
			mode__words((enum mode)m),
			mode__has((enum mode)m, MODE_GATHERS) ? "user_gather, " : "",
			mode__has((enum mode)m, MODE_COPIES) ? "tx_copy" : "",
			mode__has((enum mode)m, MODE_PINS) ? ", tx_pin, deferred_copy" : "",
			mode__has((enum mode)m, MODE_SPLICES)    ? "tx_splice"
			: mode__has((enum mode)m, MODE_ENCRYPTS) ? "tls_copy"
								 : "");
	fputs("\n", f);
}

static void put_counters(FILE *f)
{
	fputs("| counter | what is counted |\n|---|---|\n", f);
	for (int c = 0; c < PERF_NR; c++)
		fprintf(f, "|`%s` | %s |\n", perf_counter__key((enum perf_counter)c),
			perf_counter__words((enum perf_counter)c));
	fputs("\n", f);
}

static void put_classes(FILE *f)
{
	fputs("| class of CPU time | what it is |\n|---|---|\n", f);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		fprintf(f, "|`%s` | %s |\n", cpu_class__key((enum cpu_class)c),
			cpu_class__help((enum cpu_class)c));
	fputs("\n", f);
}

/* The name of a metric in compare and report, its path in a run, and its better direction. */
static void put_metrics(FILE *f)
{
	static const char *const better[] = {
		[BETTER_NEITHER] = "", [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher"};

	fputs("| metric of compare | in words | unit | better | path or formula |\n"
	      "|---|---|---|---|---|\n",
	      f);
	for (int i = 0; i < METRIC_NR; i++) {
		enum metric m = (enum metric)i;

		if (!*metric__name(m))
			continue;
		fprintf(f, "| %s | %s | %s | %s | %s |\n", metric__name(m), metric__words(m),
			metric__unit(m), better[metric__better(m)],
			metric__path(m) ? metric__path(m) : metric__formula(m));
	}
}

static char *lists(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	put_stages(f);
	put_modes(f);
	put_counters(f);
	put_classes(f);
	put_metrics(f);
	fclose(f);
	return text;
}

static char *read_document(void)
{
	static char text[1 << 18];
	FILE *f = fopen(DOCUMENT, "r");
	size_t n;

	if (!f)
		fail_msg(DOCUMENT ": run this test from the root of the source tree");
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	assert_true(n < sizeof(text));
	text[n] = '\0';
	return text;
}

TEST(lists_of_the_manual_are_those_of_the_program)
{
	char *text = read_document(), *from = strstr(text, begin), *to, *now = lists();
	FILE *f;

	assert_non_null(from);
	from += strlen(begin);
	to = strstr(from, end);
	assert_non_null(to);
	if (getenv("UPDATE_GOLDEN")) {
		f = fopen(DOCUMENT, "w");
		assert_non_null(f);
		fprintf(f, "%.*s%s%s", (int)(from - text), text, now, to);
		fclose(f);
	} else {
		*to = '\0';
		assert_string_equal(from, now);
	}
	free(now);
}

/* A metric that is shown has a label, and a name has one metric. */
TEST(every_metric_has_label_unit_and_a_unique_name)
{
	for (int i = 0; i < METRIC_NR; i++) {
		enum metric m = (enum metric)i;

		assert_true(metric__words(m) && *metric__words(m));
		assert_true(!metric__path(m) != !metric__formula(m));
		assert_non_null(metric__unit(m));
		if (metric__shown(m, VISIBILITY_COMPARE))
			assert_true(*metric__name(m) != '\0');
		for (int j = 0; j < i && *metric__name(m); j++)
			assert_string_not_equal(metric__name((enum metric)j), metric__name(m));
	}
	for (int d = 0; d < DERIVED_NR; d++)
		if (perf_derived__shown((enum perf_derived)d, VISIBILITY_LIVE))
			assert_true(*perf_derived__head((enum perf_derived)d) != '\0');
}
