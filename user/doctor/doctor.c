/* SPDX-License-Identifier: GPL-2.0-only */
/* The doctor command, and its section on performance counters. */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/atomic_file.h"
#include "base/commands.h"
#include "base/log.h"
#include "base/terminal.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "diagnosis.h"
#include "host/environment.h"
#include "model/result.h"
#include "perf/event.h"
#include "perf/watch.h"
#include "write/json.h"

struct counters {
	struct perf_plan plan;
	struct perf_facts facts;
};

static void examine(struct counters *c, const struct environment *env)
{
	memset(c, 0, sizeof(*c));
	perf_plan__init(&c->plan, NULL, 0);
	c->facts.virtual_machine = environment__is_virtual(env);
	perf_event__probe(&c->plan, &c->facts);
	perf_proc__find_known(&c->plan);
}

/* Why a counter has no value; NULL when it has. */
static const char *missing(const struct counters *c, int counter)
{
	return perf_plan__missing(&c->plan, (unsigned int)counter, PERF_WHOLE, &c->facts);
}

static void print_names(FILE *f, unsigned int width, const struct counters *c, const char *reason)
{
	char names[1024] = "";

	for (int i = 0; i < PERF_NR; i++) {
		const char *why = missing(c, i);

		if (why == reason || (why && reason && !strcmp(why, reason)))
			append__text(names, sizeof(names), "%s%s", names[0] ? ", " : "",
				     perf_counter__key((enum perf_counter)i));
	}
	if (!names[0])
		return;
	append__text(names, sizeof(names), reason ? ": n/a" : ": counted");
	doctor__wrap(f, width, 0, 2, names);
	if (reason)
		doctor__wrap(f, width, 0, 6, reason);
}

static bool said_before(const struct counters *c, int counter)
{
	for (int i = 0; i < counter; i++) {
		const char *why = missing(c, i);

		if (why && !strcmp(why, missing(c, counter)))
			return true;
	}
	return false;
}

/* Tries every counter on this process; prints a section, wrapped at width columns. */
static void doctor_perf__print(FILE *f, unsigned int width, const struct environment *env)
{
	struct counters c;
	unsigned int groups;

	examine(&c, env);
	groups = perf_plan__hardware_groups(&c.plan);
	fprintf(f, "\nperformance counters\n");
	print_names(f, width, &c, NULL);
	for (int i = 0; i < PERF_NR; i++)
		if (missing(&c, i) && !said_before(&c, i))
			print_names(f, width, &c, missing(&c, i));
	if (groups)
		fprintf(f, "  %u registers a group: %u group%s of hardware events%s\n",
			c.plan.registers, groups, plural(groups),
			groups == 1 ? "" : ", which take turns, so that counts are scaled");
}

static json_t *counter_json(const struct counters *c, int counter)
{
	unsigned int q = (unsigned int)counter;
	const char *reason = missing(c, counter);

	return json_pack("{s:s, s:b, s:b, s:b, s:s?}", "counter",
			 perf_counter__key((enum perf_counter)counter), "counted", !reason, "user",
			 !perf_plan__missing(&c->plan, q, PERF_USER, &c->facts), "kernel",
			 !perf_plan__missing(&c->plan, q, PERF_KERNEL, &c->facts), "reason",
			 reason);
}

/*
 * The same as an object: {"registers", "hardware_groups", "paranoid", "counters": [{"counter",
 * "counted", "user", "kernel", "reason"}]}. A new reference.
 */
static json_t *doctor_perf__json(const struct environment *env)
{
	json_t *list = json_array();
	struct counters c;

	examine(&c, env);
	for (int i = 0; i < PERF_NR; i++)
		json_array_append_new(list, counter_json(&c, i));
	return json_pack("{s:I, s:I, s:o, s:o}", "registers", (json_int_t)c.plan.registers,
			 "hardware_groups", (json_int_t)perf_plan__hardware_groups(&c.plan),
			 "paranoid",
			 c.facts.paranoid == INT_MIN ? json_null() : json_integer(c.facts.paranoid),
			 "counters", list);
}

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
