/* SPDX-License-Identifier: GPL-2.0-only */
/* The compare command; see compare.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "compare_options.h"
#include "gate.h"
#include "study/import_words.h"
#include "write/json.h"
#include "base/log.h"
#include "base/exit_code.h"
#include "base/outfile.h"

struct side {
	struct dataset dataset;
	struct analysis analysis;
};

static int load(struct side *side, const char *name, const struct dataset_names *names)
{
	char message[DATASET_MESSAGE_MAX];

	if (dataset__load_as(&side->dataset, name, (double)NAN, names, message)) {
		log_error("%s", message);
		return EXIT_RUN_FAILED;
	}
	if (side->dataset.others_nr && !names->congestion) {
		log_error("%s has runs with %s and with %s: say --congestion %s to compare those.",
			  name, side->dataset.congestion, side->dataset.others[0],
			  side->dataset.congestion);
		return EXIT_USAGE;
	}
	if (analysis__init(&side->analysis, &side->dataset)) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	return EXIT_DONE;
}

/* Columns of a CSV file that are not compared since they were not read. */
static void say_unread(const struct side *side, const char *name)
{
	char *text = import_words__unread(&side->dataset);

	if (text)
		log_warning("%s: %s", name, text);
	free(text);
}

static void unload(struct side *side)
{
	analysis__clear(&side->analysis);
	dataset__clear(&side->dataset);
}

static int fill_json(FILE *f, const struct changes *c, const struct compare_options *o)
{
	json_t *document = changes__json(c, &o->names, o->limit);
	int err = document ? json_document__write(f, document) : -ENOMEM;

	json_decref(document);
	return err;
}

static int write_json(const struct changes *c, const struct compare_options *o, struct outfile *f)
{
	int err = fill_json(outfile__stream(f), c, o);

	if (err)
		outfile__abort(f);
	else
		err = outfile__commit(f);
	if (err)
		log_error("cannot write %s: %s.", o->json, strerror(-err));
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int write_text(const struct changes *c, const struct compare_options *o)
{
	bool taken = o->json && strcmp(o->json, "-") == 0;
	int err;

	if (o->quiet || taken)
		return EXIT_DONE;
	err = changes__text(c, &o->names, o->all, stdout);
	if (err)
		log_error("cannot write the comparison: %s.", strerror(-err));
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int compare(struct side *before, struct side *after, const struct compare_options *o,
		   struct outfile *json)
{
	struct changes changes;
	int code, next;

	if (changes__find(&changes, &before->analysis, &after->analysis, o->metrics, o->gate)) {
		changes__clear(&changes);
		outfile__abort(json);
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	code = json ? write_json(&changes, o, json) : EXIT_DONE;
	next = write_text(&changes, o);
	code = code ? code : next;
	if (!code && !changes.cells) {
		log_error("%s and %s have no cell in common: nothing can be compared.",
			  o->names.before, o->names.after);
		code = EXIT_RUN_FAILED;
	}
	if (!code && !isnan(o->limit))
		code = gate__judge(&changes, o);
	changes__clear(&changes);
	return code;
}

int compare__main(int argc, char **argv)
{
	struct side before = {0}, after = {0};
	struct compare_options o;
	struct outfile *json = NULL;
	int err, code;

	compare_options__parse(&o, argc, argv);
	err = o.json ? outfile__open(&json, o.json) : 0;
	if (err) {
		log_error("cannot write %s: %s.", o.json, strerror(-err));
		return EXIT_USAGE;
	}
	code = load(&before, o.names.before, &o.foreign);
	if (!code)
		code = load(&after, o.names.after, &o.foreign);
	if (!code && !o.quiet) {
		say_unread(&before, o.names.before);
		say_unread(&after, o.names.after);
	}
	if (!code)
		code = compare(&before, &after, &o, json);
	else
		outfile__abort(json);
	unload(&before);
	unload(&after);
	return code;
}
