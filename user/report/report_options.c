/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace report`; see report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "common/embed.h"
#include "base/log.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "report.h"
#include "study/csv_options.h"

EMBED(doc, "user/report/report.help");

static void parse_output(void *options, const char *arg)
{
	struct report_options *o = options;

	if (!*arg)
		usage_error("--output takes the name of a directory, not '%s'.", arg);
	free(o->output);
	o->output = xstrdup(arg);
}

static void parse_seconds(void *duration_s, const char *arg)
{
	uint64_t ns;

	if (parse_duration(arg, &ns) || !ns)
		usage_error("--duration takes a time above 0 such as 5s, not '%s'.", arg);
	*(double *)duration_s = (double)ns / 1e9;
}

static void add_input(void *options, const char *arg)
{
	struct report_options *o = options;

	if (o->inputs_nr == REPORT_INPUTS_MAX)
		usage_error("report takes up to %d files, not '%s'.", REPORT_INPUTS_MAX, arg);
	o->inputs[o->inputs_nr++] = arg;
}

#define AT(member) .offset = offsetof(struct report_options, member)

/* clang-format off */
static const struct option_row option_rows[] = {
	{"output", "DIR", "directory to write (default: DIR/report, or beside the file, its name with -report)",
	 OPTION_OTHER, .parse = parse_output, .letter = 'o'},
	{"duration", "TIME", "duration of each run, for data without it; else costs per byte may be n/a",
	 OPTION_OTHER, AT(duration_s), .parse = parse_seconds},
	CSV_OPTIONS(struct report_options, names,
		    "only runs with this congestion control (default: one report per congestion control, in "
		    "directories that end in -NAME)"),
	{"explain", NULL, "print how each column of the CSV files is read, and write no report", OPTION_FLAG, AT(explain)},
	{"quiet", NULL, "do not print the path of the report", OPTION_FLAG, AT(quiet), .letter = 'q'},
};
/* clang-format on */

static size_t length_without_slashes(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* results/ -> results/report; data/x.csv -> data/x-report. */
static void set_default_output(struct report_options *o)
{
	const char *input = o->inputs[0];
	size_t len = length_without_slashes(input);
	const char *dot = memrchr(input, '.', len);

	o->is_in_input = !dot || dot == input || (strcmp(dot, ".csv") && strcmp(dot, ".json"));
	o->output = o->is_in_input ? xasprintf("%.*s/report", (int)len, input)
				   : xasprintf("%.*s-report", (int)(dot - input), input);
}

void report_options__parse(struct report_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "report",
		.doc = doc,
		.args_doc = "DIR|FILE...",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = add_input,
	};

	*o = (struct report_options){.duration_s = (double)NAN, .argc = argc, .argv = argv};
	option_command__parse(&command, argc, argv, o);
	if (o->quiet)
		log_set_level(LOG_ERROR);
	if (!o->inputs_nr || !*o->inputs[0])
		usage_error("report needs a results directory or a CSV file.");
	if (!o->output)
		set_default_output(o);
}

void report_options__clear(struct report_options *o)
{
	free(o->output);
	o->output = NULL;
}
