/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CSV form: a row per run. Columns are not listed here: they are the scalar fields of the JSON
 * objects of a run and of the environment, so that both forms name and define a number once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv_cell.h"
#include "json.h"
#include "output.h"

#define COLUMN_MAX 128

struct csv {
	FILE *f;
	bool header; /* write names, not values */
	bool first;  /* cell of the row */
	int err;
};

static void put_text(struct csv *csv, const char *text)
{
	csv_cell__put(csv->f, text);
	if (ferror(csv->f) && !csv->err)
		csv->err = errno ? -errno : -EIO;
}

static void put_char(struct csv *csv, char c)
{
	if (fputc(c, csv->f) == EOF && !csv->err)
		csv->err = errno ? -errno : -EIO;
}

/* Numbers as in the JSON document, whatever the locale says of decimal points. */
static void put_value(struct csv *csv, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		put_text(csv, json_string_value(value));
		return;
	}
	if (!value || json_is_null(value))
		return;
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	if (text)
		put_text(csv, text);
	else
		csv->err = -ENOMEM;
	free(text);
}

static void put_cell(struct csv *csv, const char *name, const json_t *value)
{
	if (!csv->first)
		put_char(csv, ',');
	csv->first = false;
	if (csv->header)
		put_text(csv, name);
	else
		put_value(csv, value);
}

/*
 * A cell for each scalar of shape, in its order, with the value that object has there. Reasons are
 * words and lists are no scalars: both are left to JSON.
 */
static void put_object(struct csv *csv, json_t *shape, const json_t *object, const char *prefix)
{
	char name[COLUMN_MAX];
	const char *key;
	json_t *member, *value;

	json_object_foreach(shape, key, member) {
		if (json_is_array(member) || json_key__is_reason(key))
			continue;
		value = json_object_get(object, key);
		snprintf(name, sizeof(name), "%s%s", prefix, key);
		if (json_is_object(member)) {
			strncat(name, "_", sizeof(name) - strlen(name) - 1);
			put_object(csv, member, value, name);
		} else {
			put_cell(csv, name, value);
		}
	}
}

static void put_row(struct csv *csv, json_t *run_shape, const json_t *run,
		    json_t *environment_shape, const json_t *environment)
{
	csv->first = true;
	put_object(csv, run_shape, run, "");
	put_object(csv, environment_shape, environment, "environment_");
	put_char(csv, '\n');
}

/* Columns come from a run of which nothing is known: the shape is the same for all. */
static json_t *empty_run(void)
{
	struct run_result run;

	run_result__init(&run);
	return json_document__run(&run);
}

static json_t *empty_environment(void)
{
	static const struct environment nowhere;

	return json_document__environment(&nowhere);
}

/* A row of the values of run and environment, or both NULL: of the columns' names. */
static int write_row(FILE *f, const json_t *run, const json_t *environment)
{
	struct csv csv = {.f = f, .header = !run};
	json_t *run_shape = empty_run(), *environment_shape = empty_environment();

	errno = 0;
	if (run_shape && environment_shape)
		put_row(&csv, run_shape, run, environment_shape, environment);
	else
		csv.err = -ENOMEM;
	json_decref(run_shape);
	json_decref(environment_shape);
	return csv.err;
}

int output__csv_header(FILE *f)
{
	return write_row(f, NULL, NULL);
}

int output__csv_row(FILE *f, const json_t *run, const json_t *environment)
{
	return write_row(f, run, environment);
}

static int write_runs(const struct result *r, const json_t *environment, FILE *f)
{
	int err = output__csv_header(f);

	for (size_t i = 0; i < r->runs_nr && !err; i++) {
		json_t *run = json_document__run(&r->runs[i]);

		err = run ? output__csv_row(f, run, environment) : -ENOMEM;
		json_decref(run);
	}
	return err;
}

int output__csv(const struct result *r, FILE *f)
{
	json_t *environment = json_document__environment(&r->env);
	int err;

	if (!environment)
		return -ENOMEM;
	err = write_runs(r, environment, f);
	json_decref(environment);
	if (!err && fflush(f))
		err = errno ? -errno : -EIO;
	return err;
}
