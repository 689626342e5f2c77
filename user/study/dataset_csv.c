/* SPDX-License-Identifier: GPL-2.0-only */
/* A CSV file as rows of a data set; see csv_reader.h. Pure: the text is in memory. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "csv_reader.h"
#include "settings.h"
#include "write/json.h"

#define ROWS_MAX       500000 /* about 1 GB of rows */
#define FIELDS_DEFAULT 8      /* fields of a message, the usual number in the experiment */

static int read_number(struct csv_reader *r, const struct column *c, const char *text,
		       double *value)
{
	double number = (double)NAN, scale = c->as.scale;
	const char *rest;
	int err = csv_text__parse(text, r->comma, &number, &rest);

	if (!err && *rest)
		scale = csv_field__unit(rest, c->as.dimension);
	if (err || isnan(scale))
		return csv_reader__refuse(r, "column '%.60s' has '%.60s', which is not a number.",
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
	return csv_reader__refuse(r, "column '%.60s' has '%.60s', which is not a valid count.",
				  c->name, text);
}

struct identity {
	double size, field_size, fields, threads, round;
};

static int read_mode(struct csv_reader *r, const struct column *c, const char *text,
		     enum mode *mode)
{
	if (!csv_mode__parse(r, c, text, mode))
		return 0;
	return csv_reader__refuse(
		r,
		"'%.60s' is not a mode: twocopy (0, A1), onecopy (1, A2) and zerocopy (2, A3) "
		"are; --modes can say what others stand for. Column '%.60s' holds %s.",
		text, c->name, csv_reader__values(c).text);
}

static int read_metric(struct csv_reader *r, struct dataset_row *row, const struct column *c,
		       const char *text)
{
	double *value = &row->value[c->as.metric];
	int err = read_number(r, c, text, value);

	if (!err && !dataset__is_possible(c->as.metric, *value))
		err = csv_reader__refuse(r,
					 "column '%.60s' holds '%.60s', and can hold nothing below "
					 "0: what was not measured is left empty.",
					 c->name, text);
	return err;
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
	case COLUMN_VERDICT:
		row->verdict = *text ? xstrdup(text) : NULL;
		return 0;
	default:
		return 0;
	}
}

#define ENVIRONMENT "environment_" /* of the columns */

/* The text of a cell; null: empty. */
static json_t *cell_json(const struct csv_reader *r, size_t i)
{
	const char *text = csv_reader__cell(r, i);

	return json_value__text(*text ? text : NULL);
}

static int read_environment(struct csv_reader *r)
{
	json_t *environment = json_object(), *fields = json_null();
	int err;

	for (size_t i = 0; i < r->columns_nr; i++) {
		const struct column *c = &r->columns[i];

		if (c->as.kind == COLUMN_ENVIRONMENT)
			json_object_set_new(environment, c->name + strlen(ENVIRONMENT),
					    cell_json(r, i));
		else if (c->as.kind == COLUMN_FIELDS)
			fields = cell_json(r, i);
	}
	err = dataset__keep_settings(r->d, r->name, settings__of(NULL, environment, fields),
				     r->message);
	json_decref(fields);
	if (!err && json_object_size(environment))
		dataset__keep_environment(r->d, environment);
	else
		json_decref(environment);
	return err;
}

/* The congestion control of the row, or NULL. */
static const char *congestion_of(const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].as.kind == COLUMN_ENVIRONMENT &&
		    !strcmp(r->columns[i].name, ENVIRONMENT "congestion_control"))
			return *csv_reader__cell(r, i) ? csv_reader__cell(r, i) : NULL;
	return NULL;
}

/* A record may lack cells of unnamed columns, and may have surplus empty cells. */
static int check_length(struct csv_reader *r)
{
	size_t n = r->text.cells_nr, named = r->columns_nr;

	while (!r->ours && named && !*r->columns[named - 1].name)
		named--;
	while (!r->ours && n > r->columns_nr && !*csv_text__cell(&r->text, n - 1))
		n--;
	if (n >= named && n <= r->columns_nr)
		return 0;
	return csv_reader__refuse(r, "%zu cells where the header has %zu: is the file truncated?",
				  n, named);
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

static unsigned int count_of(double value)
{
	return isnan(value) ? 0 : (unsigned int)value;
}

static int read_row(struct csv_reader *r)
{
	struct identity id = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
	struct dataset_row *row;
	int err = check_length(r);

	if (err || !dataset__admits(r->d, congestion_of(r)))
		return err;
	if (r->d->rows_nr == ROWS_MAX)
		return csv_reader__refuse(r, "more than %d rows.", ROWS_MAX);
	row = dataset__new_row(r->d);
	for (size_t i = 0; i < r->columns_nr && !err; i++)
		err = read_value(r, row, &id, i);
	if (err)
		return err;
	if (isnan(id.size) && !isnan(id.field_size)) {
		r->field_sizes += isnan(id.fields);
		id.size = id.field_size * (isnan(id.fields) ? FIELDS_DEFAULT : id.fields);
	}
	if (!(id.size > 0))
		return csv_reader__refuse(r, "a run without a message size.");
	row->size = (uint64_t)id.size;
	row->threads = count_of(id.threads);
	row->round = count_of(id.round);
	row->line = r->text.line;
	row->ours = r->ours;
	if (!r->ours)
		drop_stopped(r, row);
	return read_environment(r);
}

static int read_rows(struct csv_reader *r)
{
	int err = 0, more = 1;

	while (!err && (more = csv_reader__next_row(r)) > 0)
		err = read_row(r);
	return err ? err : more;
}

/* Notes for the reader of the report on how the file was read. */
static void take_notes(struct csv_reader *r)
{
	const char *file = dataset__file_name(r->name);

	if (r->field_sizes)
		dataset__note(r->d,
			      "%.80s: the message size is %.40s x %d, since the data does not say "
			      "how many fields a message has.",
			      file, csv_reader__column(r, COLUMN_FIELD_SIZE)->name, FIELDS_DEFAULT);
	if (r->stopped)
		dataset__note(
			r->d,
			"%.80s: in %zu row%s no cycle or no instruction was counted: hardware "
			"counters of 0 in these rows are read as unknown.",
			file, r->stopped, plural(r->stopped));
	if (r->d->names.rounds_from_repeats)
		dataset__note(r->d, "Rows that agree in mode, size and threads are taken for "
				    "rounds, as --rounds-from-repeats says.");
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;
	int order = dataset__compare_cells(*a, *b);

	order = order ? order : ORDER((*a)->round, (*b)->round);
	return order ? order : ORDER((*a)->line, (*b)->line);
}

static int compare_rounds(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;

	return ORDER((*a)->round, (*b)->round);
}

/* The rows of the file, in order of compare(). */
static struct dataset_row **sorted(const struct csv_reader *r, size_t first,
				   int (*compare)(const void *, const void *))
{
	size_t n = r->d->rows_nr - first;
	struct dataset_row **rows = xcalloc(n, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		rows[i] = &r->d->rows[first + i];
	qsort(rows, n, sizeof(struct dataset_row *), compare);
	return rows;
}

/* Rounds of a cell from 0, in the order that rows have. */
static void number_rounds(struct dataset_row **rows, size_t n)
{
	unsigned int round = 0;

	for (size_t i = 0; i < n; i++) {
		round = i && !dataset__compare_cells(rows[i], rows[i - 1]) ? round + 1 : 0;
		rows[i]->round = round;
	}
}

/* A column that numbers all runs of the file does not show which were made together. */
static bool numbers_every_row(const struct csv_reader *r, size_t first)
{
	size_t n = r->d->rows_nr - first, i = 1;
	struct dataset_row **rows;

	if (n < 2 || !csv_reader__column(r, COLUMN_ROUND))
		return false;
	rows = sorted(r, first, compare_rounds);
	while (i < n && rows[i]->round != rows[i - 1]->round)
		i++;
	free(rows);
	return i == n;
}

/*
 * The column that may tell repeated rows apart, of those that are not read; NULL: none. Few
 * repeated values are settings; a different value in each row is a measurement.
 */
static const struct column *distinguishing(const struct csv_reader *r)
{
	const struct column *best = NULL;

	for (size_t i = 0; i < r->columns_nr; i++) {
		const struct column *c = &r->columns[i];

		if (c->as.kind == COLUMN_IGNORED && c->levels.nr > 1 &&
		    (!best || c->levels.more < best->levels.more ||
		     (c->levels.more == best->levels.more && c->levels.nr < best->levels.nr)))
			best = c;
	}
	return best;
}

static bool holds_counts(const struct csv_reader *r, const struct column *c)
{
	double value = (double)NAN;
	const char *rest;

	for (size_t i = 0; i < c->levels.nr; i++)
		if (csv_text__parse(c->levels.value[i], r->comma, &value, &rest) || *rest ||
		    !(value >= 0 && value == floor(value)))
			return false;
	return !c->levels.more || c->levels.low >= 0;
}

/* The field that the column that distinguishes the rows may be; NULL: that would be refused. */
static const char *possible_field(const struct csv_reader *r, const struct column *c)
{
	if (!holds_counts(r, c))
		return NULL;
	if (!csv_reader__column(r, COLUMN_THREADS))
		return "threads";
	return csv_reader__column(r, COLUMN_ROUND) ? NULL : "round";
}

static int refuse_repeat(struct csv_reader *r, const struct dataset_row *a,
			 const struct dataset_row *b)
{
	const struct column *c = distinguishing(r);
	const char *field = c ? possible_field(r, c) : NULL;
	char remedy[NAME_LEN + 64] = "";

	r->text.line = b->line;
	if (!c)
		return csv_reader__refuse(
			r,
			"this row and line %lu agree in mode, size and threads%s: say "
			"--rounds-from-repeats if such rows are rounds, or remove one.",
			a->line, csv_reader__column(r, COLUMN_ROUND) ? " and round" : "");
	if (field)
		snprintf(remedy, sizeof(remedy), "say --column '%.60s=%s' if it is that, or ",
			 c->name, field);
	return csv_reader__refuse(
		r,
		"this row and line %lu agree in mode, size and threads; the column '%.60s' "
		"(%.120s) "
		"may tell them apart, and is not read: %s"
		"keep the rows of one value, or say "
		"--rounds-from-repeats if such rows are rounds.",
		a->line, c->name, csv_reader__values(c).text, remedy);
}

/*
 * Rows with equal mode, size, threads and round are rounds only if a column or the user says so:
 * otherwise an unread column distinguishes them, and pooling would give false intervals and
 * findings. Refuses such rows from the first'th on: 0 or -errno with a message.
 */
static int check_repeats(struct csv_reader *r, size_t first)
{
	size_t n = r->d->rows_nr - first, i = 1;
	struct dataset_row **rows = sorted(r, first, compare_rows);
	bool every = numbers_every_row(r, first);
	int err = 0;

	while (!every && i < n &&
	       (dataset__compare_cells(rows[i - 1], rows[i]) ||
		rows[i - 1]->round != rows[i]->round))
		i++;
	if (every || (i < n && r->d->names.rounds_from_repeats))
		number_rounds(rows, n);
	else if (i < n)
		err = refuse_repeat(r, rows[i - 1], rows[i]);
	free(rows);
	return err;
}

static int read_all(struct csv_reader *r)
{
	size_t first = r->d->rows_nr;
	int err = csv_reader__find_header(r);

	if (err)
		return err;
	if (r->ours) {
		err = csv_reader__classify(r);
		return err ? err : read_rows(r);
	}
	err = csv_reader__find_levels(r);
	if (err)
		return err;
	err = csv_reader__classify(r);
	/* Also for refused files: --explain shows them. */
	csv_reader__keep_columns(r);
	if (!err)
		err = read_rows(r);
	if (!err)
		err = check_repeats(r, first);
	if (!err)
		take_notes(r);
	return err;
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

static int refuse_binary(const char *name, const char *text, size_t len, char *message)
{
	bool utf16 = len > 1 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));

	snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name,
		 utf16 ? "this is UTF-16: save it as CSV in UTF-8" : "this is not a text file");
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
	/* Our files always end their last line. A cut number would look complete. */
	if (!err && r.ours && len && text[len - 1] != '\n')
		err = csv_reader__refuse(&r, "the file ends within a line: it is truncated.");
	else if (!err && d->rows_nr == before && !d->others_nr)
		err = csv_reader__refuse(&r, "there is a header, but no run.");
	reader__clear(&r);
	if (err && !*message)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name, strerror(-err));
	return err;
}
