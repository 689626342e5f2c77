/* SPDX-License-Identifier: GPL-2.0-only */
/* The report command: its command line, and its output. analysis/report/ does the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis.h"
#include "base/command_line.h"
#include "base/commands.h"
#include "base/held_files.h"
#include "base/printable.h"
#include "base/privileges.h"
#include "common/embed.h"
#include "common/xalloc.h"
#include "csv_options.h"
#include "report_output.h"

#define INPUTS_MAX 16

EMBED(doc, "user/analysis/report.help");

struct report_options {
	const char *inputs[INPUTS_MAX]; /* several: CSV files of one experiment */
	size_t inputs_nr;
	char *output;         /* directory; made up from input when not given */
	bool is_in_input;     /* the output is in the input, a directory */
	const char *duration; /* of runs that do not say; NULL: not given */
	struct csv_names names;
	bool explain; /* print how the columns are understood, no more */
	bool quiet;
};

static void parse_output(void *options, const char *arg)
{
	struct report_options *o = options;

	if (!*arg)
		usage_error("--output takes the name of a directory, not '%s'.", arg);
	free(o->output);
	o->output = xstrdup(arg);
}

static void add_input(void *options, const char *arg)
{
	struct report_options *o = options;

	if (o->inputs_nr == INPUTS_MAX)
		usage_error("report takes up to %d files, not '%s'.", INPUTS_MAX, arg);
	o->inputs[o->inputs_nr++] = arg;
}

#define AT(member) .offset = offsetof(struct report_options, member)

/* clang-format off */
static const struct option_row option_rows[] = {
	{"output", "DIR", "directory to write (default: DIR/report, or beside the file, its name with -report)",
	 OPTION_OTHER, .parse = parse_output, .letter = 'o'},
	{"duration", "TIME", "duration of each run, for data without it; else costs per byte may be n/a",
	 OPTION_STRING, AT(duration)},
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

/* results/ -> results/report; data/x.csv -> data/x-report; set/cells.tar.xz -> set/cells-report. */
static void set_default_output(struct report_options *o)
{
	static const char *const suffixes[] = {".csv", ".json", ".tar.xz"};
	const char *input = o->inputs[0];
	size_t len = strlen(input);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && !o->output; i++)
		if (has_suffix(input, suffixes[i]) && len > strlen(suffixes[i]))
			o->output =
				xasprintf("%.*s-report", (int)(len - strlen(suffixes[i])), input);
	o->is_in_input = !o->output;
	if (o->is_in_input)
		o->output = xasprintf("%.*s/report", (int)length_without_slashes(input), input);
}

static void parse(struct report_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "report",
		.doc = doc,
		.args_doc = "DIR|FILE...",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = add_input,
	};

	*o = (struct report_options){0};
	option_command__parse(&command, argc, argv, o);
	if (!o->inputs_nr || !*o->inputs[0])
		usage_error("report needs a results directory or a CSV file.");
	if (!o->output)
		set_default_output(o);
}

/* The command line as given: the report says how it was made. */
static char *command_line(int argc, char **argv)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	fputs("netiotrace", f);
	for (int i = 1; i < argc; i++) {
		fputc(' ', f);
		shell__put_word(f, argv[i]);
	}
	xclose_memstream(f);
	return text;
}

/* The same command line for analysis/. */
static struct words words_of(const struct report_options *o, char *given)
{
	struct words w = {0};

	words__add_options(&w, option_rows, sizeof(option_rows) / sizeof(option_rows[0]), o);
	csv_options__add_words(&w, &o->names);
	words__add(&w, xasprintf("--output=%s", o->output));
	if (o->is_in_input)
		words__add(&w, xstrdup("--in-input"));
	if (!geteuid())
		words__add(&w, xstrdup("--for-root"));
	words__add(&w, xasprintf("--command=%s", given));
	words__add(&w, xstrdup("--"));
	for (size_t i = 0; i < o->inputs_nr; i++)
		words__add(&w, xstrdup(o->inputs[i]));
	free(given);
	return w;
}

int report__main(int argc, char **argv)
{
	struct report_options o;
	struct words w;
	int code;

	parse(&o, argc, argv);
	code = mounts__check_proc();
	if (code)
		return code;
	/* Files that only root may read are opened before root is given up (docs/SECURITY.md). */
	for (size_t i = 0; i < o.inputs_nr; i++)
		held_files__hold(o.inputs[i]);
	w = words_of(&o, command_line(argc, argv));
	code = analysis__run("report", &w, report_output__serve, o.output);
	words__clear(&w);
	held_files__release();
	free(o.output);
	return code;
}
