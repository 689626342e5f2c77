/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file as rows of a data set: columns by name, ours or those of other data sets, in any
 * order. No I/O: the text is in memory.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"
#include "settings.h"
#include "write/json.h"

#define ROWS_MAX       500000 /* about 1 GB of rows */
#define FIELDS_DEFAULT 8      /* of a message, in the experiment as it is usually set */

static int read_number(struct csv_reader *r, const struct column *c, const char *text,
		       double *value)
{
	double number = (double)NAN, scale = c->as.scale;
	const char *rest;
	int err = csv_value__parse(text, r->comma, &number, &rest);

	if (!err && *rest)
		scale = csv_field__unit(rest, c->as.dimension);
	if (err || isnan(scale))
		return csv_reader__refuse(r, "column '%.60s' holds '%.60s', which is no number.",
					  c->name, text);
	if (!isnan(number))
		*value = number * scale;
	return 0;
}

/* A whole number that a cell is known by. */
static int read_count(struct csv_reader *r, const struct column *c, const char *text, double max,
		      double *value)
{
	int err = read_number(r, c, text, value);

	if (err)
		return err;
	if (isnan(*value) || (*value >= 0 && *value <= max && *value == floor(*value)))
		return 0;
	return csv_reader__refuse(r, "column '%.60s' holds '%.60s', which is no possible count.",
				  c->name, text);
}

static int keep_text(char **to, const char *text)
{
	if (!*text)
		return 0;
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

struct identity {
	double size, field_size, fields, threads, round;
};

static int read_mode(struct csv_reader *r, const struct column *c, const char *text,
		     enum mode *mode)
{
	char values[160];

	if (!csv_mode__parse(r, c, text, mode))
		return 0;
	csv_reader__values(c, values, sizeof(values));
	return csv_reader__refuse(
		r,
		"'%.60s' is no mode: twocopy (0, A1), onecopy (1, A2) and zerocopy (2, A3) "
		"are; --modes can say what others stand for. Column '%.60s' holds %s.",
		text, c->name, values);
}

static int read_metric(struct csv_reader *r, struct dataset_row *row, const struct column *c,
		       const char *text)
{
	double *value = &row->value[c->as.metric];

	if (read_number(r, c, text, value))
		return -EINVAL;
	if (dataset__is_possible(c->as.metric, *value))
		return 0;
	return csv_reader__refuse(
		r,
		"column '%.60s' holds '%.60s', and can hold nothing below 0: what was not measured "
		"is left empty.",
		c->name, text);
}

static int read_value(struct csv_reader *r, struct dataset_row *row, struct identity *id, size_t i)
{
	const struct column *c = &r->columns[i];
	const char *text = csv_reader__cell(r, i);

	switch (c->as.kind) {
	case COLUMN_METRIC:
		return read_metric(r, row, c, text);
	case COLUMN_MODE:
		return read_mode(r, c, text, &row->mode);
	case COLUMN_SIZE:
		return read_count(r, c, text, 1e15, &id->size);
	case COLUMN_FIELD_SIZE:
		return read_count(r, c, text, 1e12, &id->field_size);
	case COLUMN_FIELDS:
		return r->ours ? 0 : read_count(r, c, text, 1e6, &id->fields);
	case COLUMN_THREADS:
		return read_count(r, c, text, 1e6, &id->threads);
	case COLUMN_ROUND:
		return read_count(r, c, text, 1e9, &id->round);
	case COLUMN_INTERRUPTED:
		r->d->interrupted += !strcasecmp(text, "true");
		return 0;
	case COLUMN_CAUSE:
		return keep_text(&row->cause, text);
	case COLUMN_VERDICT:
		return keep_text(&row->verdict, text);
	default:
		return 0;
	}
}

/* The text of a cell; null: there is nothing in it. NULL: out of memory. */
static json_t *cell_json(const struct csv_reader *r, size_t i)
{
	const char *text = csv_reader__cell(r, i);

	return json_value__text(*text ? text : NULL);
}

/* What stands in a column that is a setting; null: there is no such column. NULL: as above. */
static json_t *fields_of(const struct csv_reader *r)
{
	const struct column *c = csv_reader__column(r, COLUMN_FIELDS);
	size_t i = c ? (size_t)(c - r->columns) : 0;

	return c && *csv_reader__cell(r, i) ? cell_json(r, i) : json_null();
}

static json_t *environment_of(const struct csv_reader *r)
{
	json_t *environment = json_object();

	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].as.kind == COLUMN_ENVIRONMENT)
			json_put(environment, r->columns[i].name + strlen("environment_"),
				 cell_json(r, i));
	return environment;
}

static int read_environment(struct csv_reader *r)
{
	json_t *environment = environment_of(r), *fields = fields_of(r);
	int err = -ENOMEM;

	if (environment && fields)
		err = dataset__keep_settings(r->d, r->name, settings__of(NULL, environment, fields),
					     r->message);
	json_decref(fields);
	if (err || !csv_reader__has(r, COLUMN_ENVIRONMENT)) {
		json_decref(environment);
		return err;
	}
	return dataset__keep_environment(r->d, environment);
}

/* The congestion control of the row, or NULL. */
static const char *congestion_of(const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].as.kind == COLUMN_ENVIRONMENT &&
		    !strcmp(r->columns[i].name, "environment_congestion_control"))
			return *csv_reader__cell(r, i) ? csv_reader__cell(r, i) : NULL;
	return NULL;
}

/* A record may lack cells of columns without a name, and may have empty cells too many. */
static int check_length(struct csv_reader *r)
{
	size_t n = r->text.cells_nr, named = r->columns_nr;

	while (!r->ours && named && !*r->columns[named - 1].name)
		named--;
	while (!r->ours && n > r->columns_nr && !*csv_text__cell(&r->text, n - 1))
		n--;
	return n >= named && n <= r->columns_nr
		       ? 0
		       : csv_reader__refuse(
				 r, "%zu cells where the header has %zu: is the file truncated?", n,
				 named);
}

/* A run without one cycle is none: its counters did not count. */
static void drop_stopped(struct csv_reader *r, struct dataset_row *row)
{
	double *v = row->value;

	if (v[METRIC_CYCLES] != 0 && v[METRIC_INSTRUCTIONS] != 0)
		return;
	for (int c = 0; c < PERF_HARDWARE_NR; c++)
		if (v[METRIC_PERF_BOTH(c)] == 0)
			v[METRIC_PERF_BOTH(c)] = (double)NAN;
	r->stopped++;
}

/* The size of a message, also of one that is told by its fields. */
static double size_of(struct csv_reader *r, const struct identity *id)
{
	if (!isnan(id->size) || isnan(id->field_size))
		return id->size;
	r->field_sizes += isnan(id->fields);
	return id->field_size * (isnan(id->fields) ? FIELDS_DEFAULT : id->fields);
}

static int read_row(struct csv_reader *r)
{
	struct identity id = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
	struct dataset_row *row;
	int err, admitted;
	double size;

	err = check_length(r);
	admitted = err ? err : dataset__admits(r->d, congestion_of(r));
	if (admitted <= 0)
		return admitted;
	if (r->d->rows_nr == ROWS_MAX)
		return csv_reader__refuse(r, "more than %d rows.", ROWS_MAX);
	row = dataset__new_row(r->d);
	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < r->columns_nr && !err; i++)
		err = read_value(r, row, &id, i);
	if (err)
		return err;
	size = size_of(r, &id);
	if (!(size > 0))
		return csv_reader__refuse(r, "a run without a message size.");
	row->size = (uint64_t)size;
	row->threads = isnan(id.threads) ? 0 : (unsigned int)id.threads;
	row->round = isnan(id.round) ? 0 : (unsigned int)id.round;
	row->line = r->text.line;
	row->ours = r->ours;
	if (!r->ours)
		drop_stopped(r, row);
	return read_environment(r);
}

static int read_rows(struct csv_reader *r)
{
	int more, err = 0;

	while (!err) {
		more = csv_reader__next_row(r);
		if (more <= 0)
			return more;
		err = read_row(r);
	}
	return err;
}

/* What a reader of the report must know of how the file was read. */
static int take_notes(struct csv_reader *r)
{
	int err = 0;

	if (r->field_sizes)
		err = dataset__note(r->d,
				    "%.80s: the message size is %.40s x %d, since the data does "
				    "not say how many fields a message has.",
				    dataset__file_name(r->name),
				    csv_reader__column(r, COLUMN_FIELD_SIZE)->name, FIELDS_DEFAULT);
	if (!err && r->stopped)
		err = dataset__note(r->d,
				    "%.80s: in %zu row%s no cycle or no instruction was counted: "
				    "hardware counters of 0 in these rows are read as unknown.",
				    dataset__file_name(r->name), r->stopped,
				    r->stopped == 1 ? "" : "s");
	if (!err && r->d->names.rounds_from_repeats)
		err = dataset__note(r->d, "Rows that agree in mode, size and threads are taken for "
					  "rounds, as --rounds-from-repeats says.");
	return err;
}

static int read_all(struct csv_reader *r)
{
	size_t first = r->d->rows_nr;
	int err = csv_reader__find_header(r);

	if (!err && !r->ours)
		err = csv_reader__find_levels(r);
	if (err)
		return err;
	err = csv_reader__classify(r);
	/* Also of what is refused: --explain shows them. */
	if (!r->ours && csv_reader__keep_columns(r))
		return -ENOMEM;
	if (!err)
		err = read_rows(r);
	if (err || r->ours)
		return err;
	err = csv_reader__check_repeats(r, first);
	return err ? err : take_notes(r);
}

static void reader__clear(struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++) {
		for (size_t l = 0; l < r->columns[i].levels.nr; l++)
			free(r->columns[i].levels.value[l]);
		free(r->columns[i].name);
	}
	free(r->columns);
	csv_text__clear(&r->text);
}

/* Ours always ends its last line; that of another may not. A cut number would look like one. */
static bool ends_early(const struct csv_reader *r, const char *text, size_t len)
{
	return len && text[len - 1] != '\n' && r->ours;
}

static int refuse_binary(const char *name, const char *text, size_t len, char *message)
{
	bool utf16 = len > 1 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));

	snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name,
		 utf16 ? "this is UTF-16: save it as CSV in UTF-8" : "this is no text, so no CSV");
	return -EINVAL;
}

int dataset__add_csv(struct dataset *d, const char *name, const char *text, size_t len,
		     char message[DATASET_MESSAGE_MAX])
{
	struct csv_reader r = {.d = d, .name = name, .message = message, .comma = COMMA_THOUSANDS};
	size_t before = d->rows_nr;
	int err;

	*message = '\0';
	if (memchr(text, '\0', len))
		return refuse_binary(name, text, len, message);
	csv_text__init(&r.text, text, len);
	err = read_all(&r);
	if (!err && ends_early(&r, text, len))
		err = csv_reader__refuse(&r, "the file ends within a line: it is truncated.");
	else if (!err && d->rows_nr == before && !d->others_nr)
		err = csv_reader__refuse(&r, "there is a header, but no run.");
	reader__clear(&r);
	if (err && !*message)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name, strerror(-err));
	return err;
}
