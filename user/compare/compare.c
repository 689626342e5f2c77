/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command, and the gate of --fail-on-regression; see compare.h. */
#include "base/commands.h"
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/atomic_file.h"
#include "base/publisher.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "study/dataset_files.h"
#include "study/phrases.h"
#include "write/json.h"

struct side {
	struct dataset dataset;
	struct analysis analysis;
};

static int load(struct side *side, const char *name, const struct dataset_names *names)
{
	char message[DATASET_MESSAGE_MAX];
	int err = dataset__load_files(&side->dataset, &name, 1, (double)NAN, names, message);

	if (err) {
		log_error("%s", message);
		return err == -EBADR ? EXIT_USAGE : EXIT_RUN_FAILED;
	}
	if (side->dataset.others_nr && !names->congestion) {
		log_error("%s has runs with %s and with %s: say --congestion %s to compare those.",
			  name, side->dataset.congestion, side->dataset.others[0],
			  side->dataset.congestion);
		return EXIT_USAGE;
	}
	analysis__init(&side->analysis, &side->dataset);
	return EXIT_DONE;
}

/* Columns of a CSV file that are not compared since they were not read. */
static void warn_unread(const struct side *side, const char *name)
{
	if (side->dataset.unread)
		log_warning("%s: %s", name, side->dataset.unread);
}

static void unload(struct side *side)
{
	analysis__clear(&side->analysis);
	dataset__clear(&side->dataset);
}

/* The output of --json, which root opens before it gives up its rights. */
struct json_output {
	struct atomic_file *file; /* NULL: none, or written */
	struct publisher publisher;
};

static int write_document(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY])
{
	struct json_output *out = ctx;
	struct atomic_file *f = out->file;

	(void)why;
	if (!f)
		return -EINVAL;
	out->file = NULL;
	if (fwrite(data, 1, len, atomic_file__stream(f)) == len)
		return atomic_file__commit(f);
	atomic_file__abort(f);
	return -ENOMEM;
}

static int write_json(const struct changes *c, const struct compare_options *o,
		      struct json_output *out)
{
	json_t *document = compare_output__json(c, &o->names, o->limit);
	char *text, why[PUBLISHER_WHY];
	size_t len;
	FILE *f = xopen_memstream(&text, &len);
	int err = json_document__write(f, document);

	xclose_memstream(f);
	if (!err)
		err = publisher__ask(&out->publisher, text, len, why);
	json_decref(document);
	free(text);
	if (err)
		log_error("cannot write %s: %s.", o->json, strerror(-err));
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

/* Cells that are named; of more there is a count. */
#define NAMED_MAX 8

static void put_cell(FILE *f, const struct cell *cell)
{
	char size[UNITS_BUF];

	fprintf(f, "%s %s", mode__name(cell->mode),
		format_size_short(size, sizeof(size), cell->size));
	if (cell->threads)
		fprintf(f, " t%u", cell->threads);
}

/* The cells that the gate cannot test, the first of them named. Caller frees; *nr: how many. */
static char *list_untestable(const struct changes *c, size_t *nr)
{
	static const char *const why[] = {
		[UNTESTABLE_ABSENT] = "no run",
		[UNTESTABLE_FAILED] = "every run failed",
		[UNTESTABLE_NULL] = "no ",
		[UNTESTABLE_FEW] = "too few rounds of ",
	};
	char *list;
	size_t size;
	FILE *f = xopen_memstream(&list, &size);

	*nr = 0;
	for (size_t i = 0; i < c->before->cells_nr; i++) {
		struct cell *cell = &c->before->cells[i];
		enum metric m;
		enum untestable u = untestable__of(c, cell, &m);

		if (u == UNTESTABLE_NONE || ++*nr > NAMED_MAX)
			continue;
		fputs(*nr > 1 ? ", " : "", f);
		put_cell(f, cell);
		fprintf(f, " (%s%s)", why[u], u >= UNTESTABLE_NULL ? metric__name(m) : "");
	}
	if (*nr > NAMED_MAX)
		fprintf(f, " and %zu more", *nr - NAMED_MAX);
	xclose_memstream(f);
	return list;
}

static void log_untestable(const struct changes *c, const struct compare_options *o)
{
	size_t n, of = c->before->cells_nr;
	char *list = list_untestable(c, &n);

	if (n)
		log_error("--fail-on-regression cannot tell whether %zu of %zu cell%s of %s got "
			  "worse in %s: %s.",
			  n, of, plural(of), o->names.before, o->names.after, list);
	free(list);
}

static void log_regression(const struct change *c)
{
	struct phrase interval = phrases__change_interval(c->f.low, c->f.high);
	char *cell;
	size_t size;
	FILE *f = xopen_memstream(&cell, &size);

	put_cell(f, c->before);
	xclose_memstream(f);
	log_error("regression: %s %s: %s -> %s, %s%s%s%s.", cell, metric__name(c->metric),
		  phrases__value(c->metric, c->f.b.median).text,
		  phrases__value(c->metric, c->f.a.median).text, phrases__change(c->f.change).text,
		  *interval.text ? " (" : "", interval.text, *interval.text ? ")" : "");
	free(cell);
}

static int log_failed(const struct changes *c, const struct compare_options *o)
{
	size_t n = changes__regressions(c, o->limit);

	log_untestable(c, o);
	for (size_t i = 0; i < c->nr; i++)
		if (change__is_regression(&c->list[i], o->limit))
			log_regression(&c->list[i]);
	log_error("%zu of %zu gated comparison%s %s worse by more than %g %%.", n, c->gated,
		  plural(c->gated), n == 1 ? "is" : "are", o->limit * 100);
	return EXIT_ASSERTION;
}

static int log_cannot_tell(const struct changes *c, const struct compare_options *o)
{
	const char *differs = changes__made_otherwise(c, o->names.across);
	size_t most = 1; /* comparisons of a gated metric */

	for (enum metric m = 0; m < METRIC_NR; m++)
		if (c->gates[m] && c->tests[m] > most)
			most = c->tests[m];
	if (differs)
		log_error("--fail-on-regression cannot tell: %s and %s differ in the setting %s; "
			  "if you compare just that, add --across %s.",
			  o->names.before, o->names.after, differs, differs);
	else if (!c->gated)
		log_error("--fail-on-regression cannot tell: it needs throughput or CPU time of "
			  "%u rounds on each side.",
			  rank_test__rounds_needed(most));
	else
		log_untestable(c, o);
	return EXIT_RUN_FAILED;
}

/*
 * EXIT_ASSERTION for a regression, EXIT_RUN_FAILED if some cell of the first data set could not be
 * tested; prints the reason.
 */
static int exit_code(const struct changes *c, const struct compare_options *o)
{
	enum gate gate = gate__of(c, o->limit, o->names.across);

	if (gate == GATE_FAILED)
		return log_failed(c, o);
	return gate == GATE_CANNOT_TELL ? log_cannot_tell(c, o) : EXIT_DONE;
}

static int compare(struct side *before, struct side *after, const struct compare_options *o,
		   struct json_output *out)
{
	bool taken = o->json && strcmp(o->json, "-") == 0;
	struct changes changes;
	int code;

	changes__find(&changes, &before->analysis, &after->analysis, o->metrics, o->gate);
	code = o->json ? write_json(&changes, o, out) : EXIT_DONE;
	if (!o->quiet && !taken)
		compare_output__text(&changes, &o->names, o->limit, o->all, stdout);
	if (!code && !changes.cells) {
		log_error("%s and %s have no cell in common: nothing can be compared.",
			  o->names.before, o->names.after);
		code = EXIT_RUN_FAILED;
	}
	if (!code)
		code = exit_code(&changes, o);
	changes__clear(&changes);
	return code;
}

static int load_and_compare(const struct compare_options *o, struct json_output *out)
{
	struct side before = {0}, after = {0};
	int code = load(&before, o->names.before, &o->foreign);

	if (!code)
		code = load(&after, o->names.after, &o->foreign);
	if (!code && !o->quiet) {
		warn_unread(&before, o->names.before);
		warn_unread(&after, o->names.after);
	}
	if (!code)
		code = compare(&before, &after, o, out);
	unload(&before);
	unload(&after);
	return code;
}

int compare__main(int argc, char **argv)
{
	struct compare_options o;
	struct json_output out = {0};
	int err, code;

	compare_options__parse(&o, argc, argv);
	code = mounts__check_proc();
	if (code)
		return code;
	err = o.json ? atomic_file__open(&out.file, o.json) : 0;
	if (err) {
		log_error("cannot write %s: %s.", o.json, strerror(-err));
		return EXIT_USAGE;
	}
	/* Files that only root may read are opened before root is given up (docs/SECURITY.md). */
	dataset_files__hold(o.names.before);
	dataset_files__hold(o.names.after);
	if (publisher__split(&out.publisher, write_document, &out, &code))
		code = load_and_compare(&o, &out);
	atomic_file__abort(out.file);
	dataset_files__release();
	return code;
}
