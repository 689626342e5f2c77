/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace report`; see report.h. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/log.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "report.h"
#include "study/csv_options.h"

enum key {
	KEY_DURATION = 256,
	KEY_EXPLAIN,
};

static const struct argp_option option_table[] = {
	{"output", 'o', "DIR", 0,
	 "directory to write (default: DIR/report, or beside the file, its name with -report)", 0},
	{"duration", KEY_DURATION, "TIME", 0,
	 "duration of each run, for data without it; else costs per byte may be n/a", 0},
	CSV_OPTIONS("only runs with this congestion control (default: one report per congestion "
		    "control, in "
		    "directories that end in -NAME)"),
	{"explain", KEY_EXPLAIN, 0, 0,
	 "print how each column of the CSV files is read, and write no report", 0},
	{"quiet", 'q', 0, 0, "do not print the path of the report", 0},
	{0, 0, 0, 0, 0, 0},
};

static const char args_doc[] = "DIR|FILE...";

static const char doc[] =
	"Writes pictures (SVG, PNG), report.html and report.md from the results of a sweep, a CSV "
	"file or a result document: where bytes were copied, and which mode is faster at which "
	"size, with intervals. Several CSV files of one experiment are joined by mode, size and "
	"threads. Needs gnuplot; no root.\n"
	"\v"
	"Exit status: 0 success, 1 failure (unreadable or unsuitable input, gnuplot missing, disk "
	"full), 2 usage error, including an output that cannot be written.\n";

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;
	uint64_t ns;

	switch (key) {
	case 'o':
		if (!*arg)
			usage_error("--output takes the name of a directory, not '%s'.", arg);
		free(o->output);
		o->output = xstrdup(arg);
		return 0;
	case KEY_DURATION:
		if (parse_duration(arg, &ns) || !ns)
			usage_error("--duration takes a time above 0 such as 5s, not '%s'.", arg);
		o->duration_s = (double)ns / 1e9;
		return 0;
	case KEY_EXPLAIN:
		o->explain = true;
		return 0;
	case 'q':
		o->quiet = true;
		log_set_level(LOG_ERROR);
		return 0;
	case ARGP_KEY_ARG:
		if (o->inputs_nr == REPORT_INPUTS_MAX)
			usage_error("report takes up to %d files, not '%s'.", REPORT_INPUTS_MAX,
				    arg);
		o->inputs[o->inputs_nr++] = arg;
		return 0;
	default:
		return csv_options__parse(&o->names, key, arg);
	}
}

static size_t length_without_slashes(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* results/ -> results/report; data/x.csv -> data/x-report. */
static char *default_output(const char *input)
{
	size_t len = length_without_slashes(input);
	const char *dot = memrchr(input, '.', len);

	if (dot && dot > input && (!strcmp(dot, ".csv") || !strcmp(dot, ".json")))
		return xasprintf("%.*s-report", (int)(dot - input), input);
	return xasprintf("%.*s/report", (int)len, input);
}

void report_options__parse(struct report_options *o, int argc, char **argv)
{
	static const struct argp argp = {option_table, parse_opt, args_doc, doc, 0, 0, 0};

	*o = (struct report_options){.duration_s = (double)NAN, .argc = argc, .argv = argv};
	command_line__parse(&argp, "report", argc, argv, o);
	if (!o->inputs_nr || !*o->inputs[0])
		usage_error("report needs a results directory or a CSV file.");
	if (!o->output)
		o->output = default_output(o->inputs[0]);
}

void report_options__clear(struct report_options *o)
{
	free(o->output);
	o->output = NULL;
}
