/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file (RFC 4180) as rows of a data set: columns by name, ours or those of a published data
 * set, in any order, any of them missing. No I/O: the text is in memory.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"
#include "settings.h"
#include "write/json.h"

static bool is_missing(const char *text)
{
	static const char *const words[] = {"", "n/a", "na", "nan", "null", "none", "-"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	return false;
}

static int parse_number(const char *text, double *value)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	if (is_missing(text))
		return 0;
	/* Decimal only: strtod would take 0x10 for 16, which is what a damaged cell looks like. */
	if (strpbrk(text, "xX"))
		return -EINVAL;
	*value = strtod(text, &end);
	while (isspace((unsigned char)*end))
		end++;
	return *end || end == text || !isfinite(*value) ? -EINVAL : 0;
}

static int read_number(struct csv_reader *r, const struct column *c, const char *text,
		       double *value)
{
	if (!parse_number(text, value))
		return 0;
	return csv_reader__refuse(r, "column '%.60s' holds '%.60s', which is no number.", c->name,
				  text);
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
	double size, threads, round;
	bool mode;
};

static int read_mode(struct csv_reader *r, const char *text, enum mode *mode)
{
	char ours[NAME_LEN];

	if (csv_reader__look_up(r->d->names.modes, true, text, ours))
		text = ours;
	if (!dataset__parse_mode(text, mode))
		return 0;
	return csv_reader__refuse(
		r,
		"'%.60s' is no mode: twocopy (0, A1), onecopy (1, A2) and zerocopy (2, A3) "
		"are; --modes can say what others stand for.",
		text);
}

static int read_value(struct csv_reader *r, struct dataset_row *row, struct identity *id, size_t i)
{
	const struct column *c = &r->columns[i];
	const char *text = csv_text__cell(&r->text, i);

	switch (c->kind) {
	case COLUMN_METRIC:
		if (read_number(r, c, text, &row->value[c->metric]))
			return -EINVAL;
		if (!dataset__is_possible(c->metric, row->value[c->metric]))
			return csv_reader__refuse(
				r,
				"column '%.60s' holds '%.60s', and can hold nothing below 0: what "
				"was not measured is left empty.",
				c->name, text);
		row->value[c->metric] *= c->scale;
		return 0;
	case COLUMN_MODE:
		id->mode = true;
		return read_mode(r, text, &row->mode);
	case COLUMN_SIZE:
		return read_count(r, c, text, 1e15, &id->size);
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
	const char *text = csv_text__cell(&r->text, i);

	return json_value__text(*text ? text : NULL);
}

/* What stands in a column that is a setting; null: there is no such column. NULL: as above. */
static json_t *fields_of(const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].kind == COLUMN_FIELDS && *csv_text__cell(&r->text, i))
			return cell_json(r, i);
	return json_null();
}

static json_t *environment_of(const struct csv_reader *r)
{
	json_t *environment = json_object();
	int err = 0;

	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].kind == COLUMN_ENVIRONMENT)
			err |= json_put(environment, r->columns[i].name + strlen("environment_"),
					cell_json(r, i));
	return json_finish(environment, err);
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
		if (r->columns[i].kind == COLUMN_ENVIRONMENT &&
		    !strcmp(r->columns[i].name, "environment_congestion_control"))
			return *csv_text__cell(&r->text, i) ? csv_text__cell(&r->text, i) : NULL;
	return NULL;
}

static bool is_ours(const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (!strcmp(r->columns[i].name, "app_rx_bytes"))
			return true;
	return false;
}

static int read_row(struct csv_reader *r)
{
	struct identity id = {(double)NAN, (double)NAN, (double)NAN, false};
	struct dataset_row *row;
	size_t i;
	int err, admitted;

	if (r->text.cells_nr == 1 && !*csv_text__cell(&r->text, 0))
		return 0; /* an empty line */
	if (r->text.cells_nr != r->columns_nr)
		return csv_reader__refuse(
			r, "%zu cells where the header has %zu: is the file truncated?",
			r->text.cells_nr, r->columns_nr);
	admitted = dataset__admits(r->d, congestion_of(r));
	if (admitted <= 0)
		return admitted;
	row = dataset__new_row(r->d);
	if (!row)
		return -ENOMEM;
	for (i = 0; i < r->columns_nr; i++) {
		err = read_value(r, row, &id, i);
		if (err)
			return err;
	}
	if (!(id.size > 0))
		return csv_reader__refuse(r, "a run without a message size.");
	row->size = (uint64_t)id.size;
	row->threads = isnan(id.threads) ? 0 : (unsigned int)id.threads;
	row->round = isnan(id.round) ? 0 : (unsigned int)id.round;
	row->ours = is_ours(r);
	return read_environment(r);
}

static int read_all(struct csv_reader *r)
{
	int more, err = csv_reader__header(r);

	while (!err) {
		more = csv_reader__next(r);
		if (more <= 0)
			return more;
		err = read_row(r);
	}
	return err;
}

static void reader__clear(struct csv_reader *r)
{
	size_t i;

	for (i = 0; i < r->columns_nr; i++)
		free(r->columns[i].name);
	free(r->columns);
	csv_text__clear(&r->text);
}

/* Ours always ends its last line; that of another may not. A cut number would look like one. */
static bool ends_early(const struct csv_reader *r, const char *text, size_t len)
{
	return len && text[len - 1] != '\n' && is_ours(r);
}

int dataset__add_csv(struct dataset *d, const char *name, const char *text, size_t len,
		     char message[DATASET_MESSAGE_MAX])
{
	struct csv_reader r = {.d = d, .name = name, .message = message};
	size_t before = d->rows_nr;
	int err;

	*message = '\0';
	if (memchr(text, '\0', len)) {
		snprintf(message, DATASET_MESSAGE_MAX, "%s: this is no text, so no CSV.", name);
		return -EINVAL;
	}
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
