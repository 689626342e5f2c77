/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command: its command line, and its output. analysis/compare.py does the rest. */
#include "base/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base/atomic_file.h"
#include "base/command_line.h"
#include "base/exit_code.h"
#include "base/held_files.h"
#include "base/log.h"
#include "base/privileges.h"
#include "common/embed.h"
#include "common/xalloc.h"
#include "csv_options.h"

EMBED(doc, "user/analysis/compare.help");

struct compare_options {
	const char *before, *after; /* directories or files; several with commas between them */
	struct csv_names names;     /* of --columns, --column and --modes */
	char *metrics;              /* of every --metrics, with commas; NULL: none */
	const char *json;           /* file name; NULL: none */
	const char *limit, *across;
	bool all, quiet;
};

static void add_metrics(void *metrics, const char *list)
{
	char **all = metrics, *before = *all;

	*all = before ? xasprintf("%s,%s", before, list) : xstrdup(list);
	free(before);
}

static void add_name(void *options, const char *arg)
{
	struct compare_options *o = options;

	if (o->after)
		usage_error("'%s' is one argument too many: compare takes two.", arg);
	*(o->before ? &o->after : &o->before) = arg;
}

#define AT(member) .offset = offsetof(struct compare_options, member)

/* clang-format off */
static const struct option_row option_rows[] = {
	{"metrics", "LIST", "compare only these metrics; classes of CPU time (cpu_...) are compared only if listed",
	 OPTION_OTHER, AT(metrics), .parse = add_metrics},
	{"all", NULL, "also list comparisons without a difference", OPTION_FLAG, AT(all)},
	{"fail-on-regression", "PERCENT", "exit with 5 if throughput, CPU time or copies per byte of a cell got worse by more than this, e.g. 5%",
	 OPTION_STRING, AT(limit)},
	{"json", "FILE", "write a JSON document (- for stdout, instead of the text)", OPTION_STRING, AT(json)},
	{"across", "LIST", "settings, also of the machine, that may differ, e.g. mtu,cpu; with others the gate cannot tell",
	 OPTION_STRING, AT(across)},
	CSV_OPTIONS(struct compare_options, names, "only runs with this congestion control"),
	{"quiet", NULL, "no text, errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
};
/* clang-format on */

/* "Metrics: ... .", from analysis/metric.py. */
EMBED(metrics_text, METRICS_TEXT);

static char *list_metrics(void)
{
	return xstrdup(metrics_text);
}

static void parse(struct compare_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "compare",
		.doc = doc,
		.args_doc = "BEFORE[,BEFORE...] AFTER[,AFTER...]",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = add_name,
		.list = list_metrics,
	};

	*o = (struct compare_options){0};
	option_command__parse(&command, argc, argv, o);
	if (!o->after)
		usage_error("compare takes two results directories or CSV files, or several a side "
			    "with commas between them: netiotrace compare BEFORE AFTER.");
}

/* The same command line for analysis/. */
static struct words words_of(const struct compare_options *o)
{
	struct words w = {0};

	words__add_options(&w, option_rows, sizeof(option_rows) / sizeof(option_rows[0]), o);
	if (o->metrics)
		words__add(&w, xasprintf("--metrics=%s", o->metrics));
	csv_options__add_words(&w, &o->names);
	words__add(&w, xstrdup("--"));
	words__add(&w, xstrdup(o->before));
	words__add(&w, xstrdup(o->after));
	return w;
}

/* The output of --json, which this process opens before python3 begins. NULL: none, or written. */
static int write_document(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY])
{
	struct atomic_file **file = ctx, *f = *file;

	(void)why;
	if (!f)
		return -EINVAL;
	*file = NULL;
	if (fwrite(data, 1, len, atomic_file__stream(f)) == len)
		return atomic_file__commit(f);
	atomic_file__abort(f);
	return -ENOMEM;
}

/* Files that only root may read are opened before root is given up (docs/SECURITY.md). */
static void hold(const char *side)
{
	char *list = xstrdup(side), *rest = list, *path;

	held_files__hold(side); /* a name may hold commas */
	while ((path = strsep(&rest, ",")))
		held_files__hold(path);
	free(list);
}

int compare__main(int argc, char **argv)
{
	struct compare_options o;
	struct atomic_file *json = NULL;
	struct words w;
	int err, code;

	parse(&o, argc, argv);
	code = mounts__check_proc();
	if (code)
		return code;
	err = o.json ? atomic_file__open(&json, o.json) : 0;
	if (err) {
		log_error("cannot write %s: %s.", o.json, strerror(-err));
		return EXIT_USAGE;
	}
	hold(o.before);
	hold(o.after);
	w = words_of(&o);
	code = analysis__run("compare", &w, write_document, &json);
	words__clear(&w);
	free(o.metrics);
	atomic_file__abort(json);
	held_files__release();
	return code;
}
