/* SPDX-License-Identifier: GPL-2.0-only */
/* The doctor command; see diagnosis.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "common/xalloc.h"
#include "diagnosis.h"
#include "base/commands.h"
#include "doctor_options.h"
#include "counters.h"
#include "base/log.h"
#include "base/atomic_file.h"
#include "write/json.h"

#define COLUMNS_MIN 40
#define COLUMNS_MAX 100 /* longer lines are hard to read on any terminal */

static unsigned int text_columns(void)
{
	unsigned int columns = terminal__columns(STDOUT_FILENO, COLUMNS_MAX);

	if (columns > COLUMNS_MAX)
		return COLUMNS_MAX;
	return columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
}

static int write_json(const struct diagnosis *d, const char *name)
{
	json_t *document = doctor__document(d);
	struct atomic_file *file;
	int code = atomic_file__ask(&file, name);

	json_object_set_new(document, "perf", doctor_perf__json(&d->facts.env));
	if (!code)
		code = atomic_file__finish(
			&file, json_document__write(atomic_file__stream(file), document), name);
	json_decref(document);
	return code;
}

/* A temporary error: not the kernel's answer. */
static int log_probe_error(const struct diagnosis *d)
{
	enum limit which = limits__culprit(&d->facts.limits, d->probe_err);
	char limit[256];

	atomic_file__flush_stdout();
	log_error("hooks could not be probed: %s.",
		  which == LIMIT_NR
			  ? strerror(-d->probe_err)
			  : limits__describe(limit, sizeof(limit), &d->facts.limits, which));
	return EXIT_RUN_FAILED;
}

static int exit_code(const struct diagnosis *d)
{
	if (d->probe_err)
		return log_probe_error(d);
	if (d->tried)
		return d->usable ? EXIT_DONE : EXIT_KERNEL;
	/* Keeps the order if stdout and stderr go to the same file. */
	atomic_file__flush_stdout();
	log_error("the hooks were not tried, which needs root: run sudo netiotrace doctor.");
	return EXIT_PRIVILEGES;
}

int doctor__main(int argc, char **argv)
{
	struct diagnosis *d;
	struct options o;
	int code = EXIT_DONE;

	doctor_options__parse(&o, argc, argv);
	d = xcalloc(1, sizeof(*d));
	diagnosis__make(d, &o);
	if (o.output[OUTPUT_JSON])
		code = write_json(d, o.output[OUTPUT_JSON]);
	else if (o.details)
		doctor__print(stdout, text_columns(), d, &o, doctor_perf__print);
	else
		doctor__print_summary(stdout, text_columns(), d);
	if (!code)
		code = exit_code(d);
	diagnosis__clear(d);
	free(d);
	return code;
}
