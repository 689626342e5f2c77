/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace compare; see compare.h. */
#include <argp.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "study/csv_options.h"
#include "base/exit_code.h"
#include "base/command_line.h"
#include "common/units.h"
#include "common/xalloc.h"

#define PERCENT_MAX 1000.0

enum key {
	KEY_JSON = 256,
	KEY_FAIL,
	KEY_METRICS,
	KEY_ALL,
	KEY_ACROSS,
};

static const struct argp_option option_table[] = {
	{"metrics", KEY_METRICS, "LIST", 0,
	 "compare only these metrics; classes of CPU time (cpu_...) are compared only if listed",
	 0},
	{"all", KEY_ALL, 0, 0, "also list comparisons without a difference", 0},
	{"fail-on-regression", KEY_FAIL, "PERCENT", 0,
	 "exit with 5 if throughput or CPU time of a cell got worse by more than this, e.g. 5%", 0},
	{"json", KEY_JSON, "FILE", 0, "write a JSON document (- for stdout, instead of the text)",
	 0},
	{"across", KEY_ACROSS, "LIST", 0,
	 "settings that may differ, e.g. mtu,fields; with others no regression is reported", 0},
	CSV_OPTIONS("only runs with this congestion control"),
	{"quiet", 'q', 0, 0, "no text, errors only", 0},
	{0, 0, 0, 0, 0, 0},
};

static const char args_doc[] = "BEFORE AFTER";

static const char doc[] =
	"Compares two sweeps (directories or CSV files) cell by cell: medians over the rounds, "
	"their change and its interval. Needs no root.\n"
	"\v"
	"Two numbers differ if the interval of their quotient excludes 1. The interval is between "
	"order statistics of all quotients of rounds (Mann and Whitney). All cells of a metric "
	"share 5 %: without a true difference, a metric shows one in at most 5 % of comparisons. "
	"6 rounds per side are enough for 23 cells, 7 for 85, 12 for any number. "
	"--fail-on-regression tests throughput and CPU time, or the metrics of --metrics, in every "
	"cell of BEFORE, and names each cell that got worse. Exit status: 0 success, 1 a file "
	"cannot be read or written, or a regression cannot be tested: too few rounds, or AFTER "
	"lacks a cell of BEFORE or its numbers; 2 usage error, 5 regression found.";

static void set_metrics(struct compare_options *o, const char *list)
{
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

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case KEY_JSON:
		if (!*arg)
			usage_error("a file name is empty.");
		o->json = arg;
		return 0;
	case KEY_FAIL:
		o->limit = parse_percent(arg);
		if (isnan(o->limit))
			usage_error("--fail-on-regression takes 0 to 1000 percent, not '%s'.", arg);
		return 0;
	case KEY_METRICS:
		set_metrics(o, arg);
		return 0;
	case KEY_ACROSS:
		o->names.across = arg;
		return 0;
	case KEY_ALL:
		o->all = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			usage_error("'%s' is one argument too many: compare takes two.", arg);
		if (state->arg_num)
			o->names.after = arg;
		else
			o->names.before = arg;
		return 0;
	default:
		return csv_options__parse(&o->foreign, key, arg);
	}
}

/* Puts the names of the metrics before the text below the options. argp frees it. */
static char *put_metrics(int key, const char *text, void *input)
{
	char *help;
	size_t size;
	FILE *f;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC || !text)
		return (char *)text;
	f = xopen_memstream(&help, &size);
	fputs("Metrics:", f);
	for (enum metric m = 0; m < METRIC_NR; m++)
		if (*metric__name(m))
			fprintf(f, " %s", metric__name(m));
	fprintf(f, ".\n\n%s", text);
	xclose_memstream(f);
	return help;
}

void compare_options__parse(struct compare_options *o, int argc, char **argv)
{
	static const struct argp argp = {option_table, parse_opt, args_doc, doc, 0, put_metrics, 0};

	*o = (struct compare_options){.limit = (double)NAN};
	command_line__parse(&argp, "compare", argc, argv, o);
	if (!o->names.after)
		usage_error(
			"compare takes two results directories or CSV files: netiotrace compare "
			"BEFORE AFTER.");
	for (enum metric m = 0; !o->gate && m < METRIC_NR; m++)
		o->metrics[m] = metric__compared(m);
}
