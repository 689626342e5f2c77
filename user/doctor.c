/* SPDX-License-Identifier: GPL-2.0-only */
/* The doctor command; see doctor.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "environment.h"
#include "json.h"
#include "log.h"
#include "outfile.h"
#include "privileges.h"
#include "session.h"
#include "units.h"

struct diagnosis {
	struct environment env;
	struct plan plans[MODE_NR];
	struct plan_row rows[PLAN_ROWS_MAX];
	size_t rows_nr;
	bool usable;
};

static int examine(struct diagnosis *d, const struct options *o)
{
	const struct plan *plans[MODE_NR];
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));

	if (!offers)
		return -ENOMEM;
	environment__read(&d->env, NULL);
	if (privileges__may_trace())
		session__try_all(offers);
	d->usable = true;
	for (int mode = 0; mode < MODE_NR; mode++) {
		struct plan_request req = {
			.backend = o->backend,
			.mode = mode,
			.size = o->size,
			.count_calls = o->count_calls,
			.times = o->times,
		};

		if (plan__make(&d->plans[mode], offers, &req))
			d->usable = false;
		plans[mode] = &d->plans[mode];
	}
	d->rows_nr = plan__rows(plans, d->rows);
	free(offers);
	return 0;
}

static void print_field(FILE *f, const char *name, const char *value, const char *otherwise)
{
	fprintf(f, "  %-16s %s\n", name, value[0] ? value : otherwise);
}

static void print_bytes(FILE *f, const char *name, const struct num *n)
{
	char buf[UNITS_BUF];

	if (!n->known)
		fprintf(f, "  %-16s n/a (%s)\n", name, n->reason);
	else if (n->value == UINT64_MAX)
		fprintf(f, "  %-16s unlimited\n", name);
	else
		fprintf(f, "  %-16s %s\n", name, format_size(buf, sizeof(buf), n->value));
}

static void print_environment(FILE *f, const struct environment *env)
{
	fprintf(f, "machine\n");
	print_field(f, "kernel", env->kernel, "n/a");
	print_field(f, "cpu", env->cpu, "n/a");
	fprintf(f, "  %-16s %u\n", "cpus", env->cpus);
	print_field(f, "virtualization", env->virtualization, "n/a (nothing tells)");
	print_field(f, "clocksource", env->clocksource, "n/a");
	print_field(f, "lockdown", env->lockdown, "n/a (securityfs is not mounted)");
	print_bytes(f, "optmem_max", &env->optmem_max);
	print_bytes(f, "memlock", &env->memlock);
}

static void print_row(FILE *f, const struct plan_row *row)
{
	fprintf(f, "  %-18s %-18s %-12s %s\n", row->probe, row->stage, quality__name(row->quality),
		row->hook ? row->hook : "-");
	if (row->modes)
		fprintf(f, "  %18s for %s\n", "", row->modes);
	if (row->reason)
		fprintf(f, "  %18s %s\n", "", row->reason);
	if (row->remedy)
		fprintf(f, "  %18s remedy: %s\n", "", row->remedy);
}

static void print_text(FILE *f, const struct diagnosis *d, const struct options *o)
{
	char size[UNITS_BUF];

	print_environment(f, &d->env);
	fprintf(f, "\nplan for messages of %s, backend %s\n",
		format_size(size, sizeof(size), o->size), backend__name(o->backend));
	fprintf(f, "  %-18s %-18s %-12s %s\n", "probe", "feeds", "quality", "hook");
	for (size_t i = 0; i < d->rows_nr; i++)
		print_row(f, &d->rows[i]);
	fprintf(f, "  %-18s %-18s %-12s %s\n", "(none)", "user_gather", "exact",
		"the load generator's own count");
	fprintf(f, "  %-18s %-18s %-12s %s\n", "(none)", "send call time", "exact",
		"the load generator's own clock");
}

static json_t *document(const struct diagnosis *d)
{
	json_t *doc = json_object(), *rows = json_array();
	int err = 0;

	err |= json_put(doc, "schema", json_value__text("netiotrace.doctor/1"));
	err |= json_put(doc, "version", json_value__text(NETIOTRACE_VERSION));
	err |= json_put(doc, "environment", json_document__environment(&d->env));
	err |= json_put(doc, "usable", json_boolean(d->usable));
	for (size_t i = 0; i < d->rows_nr; i++)
		err |= json_array_append_new(rows, json_document__plan_row(&d->rows[i]));
	err |= json_put(doc, "plan", rows);
	return json_finish(doc, err);
}

static int print_json(FILE *f, const struct diagnosis *d)
{
	json_t *doc = document(d);
	int err = 0;

	if (!doc)
		return -ENOMEM;
	if (json_dumpf(doc, f, JSON_INDENT(2)) || fputc('\n', f) == EOF)
		err = -EIO;
	json_decref(doc);
	return err;
}

static int write_json(const struct diagnosis *d, const char *name)
{
	struct outfile *file;
	int err = outfile__open(&file, name);

	if (!err) {
		err = print_json(outfile__stream(file), d);
		if (err)
			outfile__abort(file);
		else
			err = outfile__commit(file);
	}
	if (err)
		log_error("cannot write %s: %s.", name, strerror(-err));
	return err;
}

int doctor__main(const struct options *o)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	int code = EXIT_DONE;

	if (!d || examine(d, o)) {
		log_error("out of memory.");
		free(d);
		return EXIT_RUN_FAILED;
	}
	if (o->json)
		code = write_json(d, o->json) ? EXIT_RUN_FAILED : EXIT_DONE;
	else
		print_text(stdout, d, o);
	if (!code && !privileges__may_trace()) {
		log_error(
			"the hooks were not tried, which needs root: run sudo netiotrace doctor.");
		code = EXIT_PRIVILEGES;
	}
	if (!code && !d->usable)
		code = EXIT_KERNEL;
	free(d);
	return code;
}
