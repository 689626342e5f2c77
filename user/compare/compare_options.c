/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace compare; see compare.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "base/command_line.h"
#include "common/embed.h"
#include "common/xalloc.h"
#include "study/csv_options.h"

#define PERCENT_MAX 1000.0

EMBED(doc, "user/compare/compare.help");

static void parse_metrics(void *options, const char *list)
{
	struct compare_options *o = options;
	char *copy = xstrdup(list), *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		enum metric m;

		if (change_metric__parse(name, &m))
			usage_error("--metrics has no metric '%s': see netiotrace compare --help.",
				    name);
		o->metrics[m] = true;
	}
	o->gate = o->metrics;
	free(copy);
}

/* "5%" or "5"; strtod() alone would take signs, hexadecimal and words. */
static double parse_percent(const char *arg)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)*arg) || strspn(arg, "0123456789.%") != strlen(arg))
		return (double)NAN;
	value = strtod(arg, &end);
	if (*end == '%')
		end++;
	return *end || value > PERCENT_MAX ? (double)NAN : value / 100;
}

static void parse_limit(void *limit, const char *arg)
{
	double value = parse_percent(arg);

	if (isnan(value))
		usage_error("--fail-on-regression takes 0 to 1000 percent, not '%s'.", arg);
	*(double *)limit = value;
}

static void add_name(void *options, const char *arg)
{
	struct compared *names = &((struct compare_options *)options)->names;

	if (names->after)
		usage_error("'%s' is one argument too many: compare takes two.", arg);
	*(names->before ? &names->after : &names->before) = arg;
}

#define AT(member) .offset = offsetof(struct compare_options, member)

/* clang-format off */
static const struct option_row option_rows[] = {
	{"metrics", "LIST", "compare only these metrics; classes of CPU time (cpu_...) are compared only if listed",
	 OPTION_OTHER, .parse = parse_metrics},
	{"all", NULL, "also list comparisons without a difference", OPTION_FLAG, AT(all)},
	{"fail-on-regression", "PERCENT", "exit with 5 if throughput, CPU time or copies per byte of a cell got worse by more than this, e.g. 5%",
	 OPTION_OTHER, AT(limit), .parse = parse_limit},
	{"json", "FILE", "write a JSON document (- for stdout, instead of the text)", OPTION_STRING, AT(json)},
	{"across", "LIST", "settings that may differ, e.g. mtu,fields; with others no regression is reported",
	 OPTION_STRING, AT(names.across)},
	CSV_OPTIONS(struct compare_options, foreign, "only runs with this congestion control"),
	{"quiet", NULL, "no text, errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
};
/* clang-format on */

static char *list_metrics(void)
{
	char *list;
	size_t size;
	FILE *f;

	f = xopen_memstream(&list, &size);
	fputs("Metrics:", f);
	for (enum metric m = 0; m < METRIC_NR; m++)
		if (*metric__name(m))
			fprintf(f, " %s", metric__name(m));
	fputc('.', f);
	xclose_memstream(f);
	return list;
}

void compare_options__parse(struct compare_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "compare",
		.doc = doc,
		.args_doc = "BEFORE AFTER",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = add_name,
		.list = list_metrics,
	};

	*o = (struct compare_options){.limit = (double)NAN};
	option_command__parse(&command, argc, argv, o);
	if (!o->names.after)
		usage_error(
			"compare takes two results directories or CSV files: netiotrace compare "
			"BEFORE AFTER.");
	for (enum metric m = 0; !o->gate && m < METRIC_NR; m++)
		o->metrics[m] = metric__compared(m);
}
