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
#include "base/publisher.h"
#include "study/dataset_files.h"

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

/* The output of --json, which root opens before it gives up its rights. */
struct json_output {
	const char *name; /* NULL: none */
	struct outfile *file;
	struct publisher publisher;
};

static int write_document(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY])
{
	struct json_output *out = ctx;
	struct outfile *f = out->file;

	(void)why;
	if (!f)
		return -EINVAL;
	out->file = NULL;
	if (fwrite(data, 1, len, outfile__stream(f)) == len)
		return outfile__commit(f);
	outfile__abort(f);
	return -ENOMEM;
}

static int write_json(const struct changes *c, const struct compare_options *o,
		      struct json_output *out)
{
	char *text = NULL, why[PUBLISHER_WHY];
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err = f ? fill_json(f, c, o) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = publisher__ask(&out->publisher, text, len, why);
	free(text);
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
	err = changes__text(c, &o->names, o->limit, o->all, stdout);
	if (err)
		log_error("cannot write the comparison: %s.", strerror(-err));
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int compare(struct side *before, struct side *after, const struct compare_options *o,
		   struct json_output *out)
{
	struct changes changes;
	int code, next;

	if (changes__find(&changes, &before->analysis, &after->analysis, o->metrics, o->gate)) {
		changes__clear(&changes);
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	code = out->name ? write_json(&changes, o, out) : EXIT_DONE;
	next = write_text(&changes, o);
	code = code ? code : next;
	if (!code && !changes.cells) {
		log_error("%s and %s have no cell in common: nothing can be compared.",
			  o->names.before, o->names.after);
		code = EXIT_RUN_FAILED;
	}
	if (!code)
		code = gate__judge(&changes, o);
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
		say_unread(&before, o->names.before);
		say_unread(&after, o->names.after);
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
	out.name = o.json;
	err = o.json ? outfile__open(&out.file, o.json) : 0;
	if (err) {
		log_error("cannot write %s: %s.", o.json, strerror(-err));
		return EXIT_USAGE;
	}
	/* What only root may read is opened before root is given up (docs/SECURITY.md). */
	dataset_files__hold(o.names.before);
	dataset_files__hold(o.names.after);
	if (publisher__split(&out.publisher, write_document, &out, &code))
		code = load_and_compare(&o, &out);
	outfile__abort(out.file);
	dataset_files__release();
	return code;
}
