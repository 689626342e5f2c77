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

#include "csv_text.h"
#include "dataset.h"
#include "settings.h"

#define NAME_LEN 128

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_METRIC,
	COLUMN_MODE,
	COLUMN_SIZE,
	COLUMN_THREADS,
	COLUMN_ROUND,
	COLUMN_INTERRUPTED,
	COLUMN_CAUSE,
	COLUMN_VERDICT,
	COLUMN_ENVIRONMENT,
	COLUMN_FIELDS,
};

struct column {
	enum column_kind kind;
	enum metric metric;
	double scale;
	char *name;
};

struct csv_reader {
	struct dataset *d;
	const char *name;
	struct csv_text text;
	struct column *columns;
	size_t columns_nr;
	char *message;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct csv_reader *r, const char *format,
							...)
{
	va_list args;
	int n;

	n = snprintf(r->message, DATASET_MESSAGE_MAX, "%s, line %lu: ", r->name, r->text.line);
	if (n < 0 || n >= DATASET_MESSAGE_MAX)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(r->message + n, DATASET_MESSAGE_MAX - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static int next_record(struct csv_reader *r)
{
	int more = csv_text__next(&r->text);

	return more == -EBADMSG ? refuse(r, "a quoted cell never ends: is the file truncated?")
				: more;
}

/* Columns that are no numbers of a run, with the names that published data sets give them. */
static const struct {
	const char *name;
	enum column_kind kind;
} special_columns[] = {
	{"mode", COLUMN_MODE},
	{"implementation", COLUMN_MODE},
	{"impl", COLUMN_MODE},
	{"size", COLUMN_SIZE},
	{"message_size", COLUMN_SIZE},
	{"msg_size", COLUMN_SIZE},
	{"msgsize_bytes", COLUMN_SIZE},
	{"threads", COLUMN_THREADS},
	{"thread_count", COLUMN_THREADS},
	{"num_threads", COLUMN_THREADS},
	{"fields", COLUMN_FIELDS},
	{"round", COLUMN_ROUND},
	{"interrupted", COLUMN_INTERRUPTED},
	{"verdict_cause", COLUMN_CAUSE},
	{"verdict_text", COLUMN_VERDICT},
};

/* Numbers of published data sets that are in other units, or named otherwise. */
static const struct {
	const char *name;
	enum metric metric;
	double scale;
} number_columns[] = {
	{"throughput_mbps", METRIC_GBPS, 0.001},
	{"l1_cache_misses", METRIC_L1D_MISSES, 1},
};

static void classify_number(struct column *c, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(number_columns) / sizeof(number_columns[0]); i++) {
		if (metric__same_name(name, number_columns[i].name)) {
			c->metric = number_columns[i].metric;
			c->scale = number_columns[i].scale;
			c->kind = COLUMN_METRIC;
			return;
		}
	}
	c->metric = metric__of_column(name, &c->scale);
	c->kind = c->metric == METRIC_NR ? COLUMN_IGNORED : COLUMN_METRIC;
}

static void classify(struct column *c, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(special_columns) / sizeof(special_columns[0]); i++) {
		if (metric__same_name(name, special_columns[i].name)) {
			c->kind = special_columns[i].kind;
			return;
		}
	}
	if (!strncmp(name, "environment_", strlen("environment_")))
		c->kind = COLUMN_ENVIRONMENT;
	else
		classify_number(c, name);
}

/*
 * Looks in "a=b,c=d" for an entry whose one side (left: what stands before '=') is word; the other
 * is put into other. The list is what a user wrote.
 */
static bool look_up(const char *list, bool left, const char *word, char other[NAME_LEN])
{
	size_t n, key, len = strlen(word);
	const char *equals, *at;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		equals = memchr(list, '=', n);
		if (!equals)
			continue;
		key = (size_t)(equals - list);
		at = left ? list : equals + 1;
		if ((left ? key : n - key - 1) != len || strncmp(at, word, len))
			continue;
		snprintf(other, NAME_LEN, "%.*s", (int)(left ? n - key - 1 : key),
			 left ? equals + 1 : list);
		return true;
	}
	return false;
}

/* A column by the name it has, or that --columns says it stands for. */
static int classify_as_told(struct csv_reader *r, struct column *c)
{
	char ours[NAME_LEN];

	if (!look_up(r->d->names.columns, false, c->name, ours)) {
		classify(c, c->name);
		return 0;
	}
	classify(c, ours);
	return c->kind != COLUMN_IGNORED
		       ? 0
		       : refuse(r, "--columns names '%.60s', which is no column known here.", ours);
}

/* Each column that --columns speaks of must be there. */
static int check_told(struct csv_reader *r)
{
	const char *list = r->d->names.columns, *equals;
	char name[NAME_LEN];
	size_t n, i;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		equals = memchr(list, '=', n);
		if (!equals || equals == list || equals + 1 == list + n)
			return refuse(r, "--columns takes OURS=THEIRS, not '%.*s'.", (int)n, list);
		snprintf(name, sizeof(name), "%.*s", (int)(list + n - equals - 1), equals + 1);
		for (i = 0; i < r->columns_nr && strcmp(r->columns[i].name, name); i++)
			;
		if (i == r->columns_nr)
			return refuse(r, "there is no column '%.60s', which --columns names.",
				      name);
	}
	return 0;
}

static bool has_column(const struct csv_reader *r, enum column_kind kind)
{
	size_t i;

	for (i = 0; i < r->columns_nr; i++)
		if (r->columns[i].kind == kind)
			return true;
	return false;
}

/* Two columns for one number: which would count? */
static int check_twice(struct csv_reader *r, size_t i)
{
	const struct column *a = &r->columns[i], *b;

	if (a->kind == COLUMN_IGNORED || a->kind == COLUMN_ENVIRONMENT)
		return 0;
	for (b = r->columns; b < a; b++)
		if (b->kind == a->kind && (a->kind != COLUMN_METRIC || b->metric == a->metric))
			return refuse(r, "columns '%.60s' and '%.60s' are the same number.",
				      b->name, a->name);
	return 0;
}

static int read_header(struct csv_reader *r)
{
	size_t i;
	int err = next_record(r);

	if (err < 0)
		return err;
	if (!err)
		return refuse(r, "the file is empty.");
	r->columns = calloc(r->text.cells_nr, sizeof(*r->columns));
	if (!r->columns)
		return -ENOMEM;
	r->columns_nr = r->text.cells_nr;
	for (i = 0; i < r->columns_nr; i++) {
		r->columns[i].name = strdup(csv_text__cell(&r->text, i));
		if (!r->columns[i].name)
			return -ENOMEM;
		err = classify_as_told(r, &r->columns[i]);
		if (!err)
			err = check_twice(r, i);
		if (err)
			return err;
	}
	err = check_told(r);
	if (err)
		return err;
	if (!has_column(r, COLUMN_MODE) || !has_column(r, COLUMN_SIZE))
		return refuse(r,
			      "there is no column '%s': these are no results of this experiment, "
			      "or --columns should say what it is called.",
			      has_column(r, COLUMN_MODE) ? "size" : "mode");
	return 0;
}

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
	return refuse(r, "column '%.60s' holds '%.60s', which is no number.", c->name, text);
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
	return refuse(r, "column '%.60s' holds '%.60s', which is no possible count.", c->name,
		      text);
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

	if (look_up(r->d->names.modes, true, text, ours))
		text = ours;
	if (!dataset__parse_mode(text, mode))
		return 0;
	return refuse(r,
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

/* The cell of a column that is a setting; NULL: there is no such column, or nothing in it. */
static json_t *fields_of(const struct csv_reader *r)
{
	size_t i;

	for (i = 0; i < r->columns_nr; i++)
		if (r->columns[i].kind == COLUMN_FIELDS && *csv_text__cell(&r->text, i))
			return json_string(csv_text__cell(&r->text, i));
	return NULL;
}

static int read_environment(struct csv_reader *r)
{
	json_t *environment = json_object(), *fields = fields_of(r);
	size_t i;
	const char *text;
	int err;

	for (i = 0; i < r->columns_nr; i++) {
		if (r->columns[i].kind != COLUMN_ENVIRONMENT)
			continue;
		text = csv_text__cell(&r->text, i);
		json_object_set_new(environment, r->columns[i].name + strlen("environment_"),
				    *text ? json_string(text) : json_null());
	}
	err = dataset__keep_settings(r->d, r->name, settings__of(NULL, environment, fields),
				     r->message);
	json_decref(fields);
	if (err || !has_column(r, COLUMN_ENVIRONMENT)) {
		json_decref(environment);
		return err;
	}
	return dataset__keep_environment(r->d, environment);
}

static int read_row(struct csv_reader *r)
{
	struct identity id = {(double)NAN, (double)NAN, (double)NAN, false};
	struct dataset_row *row;
	size_t i;
	int err;

	if (r->text.cells_nr == 1 && !*csv_text__cell(&r->text, 0))
		return 0; /* an empty line */
	if (r->text.cells_nr != r->columns_nr)
		return refuse(r, "%zu cells where the header has %zu: is the file truncated?",
			      r->text.cells_nr, r->columns_nr);
	row = dataset__new_row(r->d);
	if (!row)
		return -ENOMEM;
	for (i = 0; i < r->columns_nr; i++) {
		err = read_value(r, row, &id, i);
		if (err)
			return err;
	}
	if (!(id.size > 0))
		return refuse(r, "a run without a message size.");
	row->size = (uint64_t)id.size;
	row->threads = isnan(id.threads) ? 0 : (unsigned int)id.threads;
	row->round = isnan(id.round) ? 0 : (unsigned int)id.round;
	return read_environment(r);
}

static int read_all(struct csv_reader *r)
{
	int more, err = read_header(r);

	while (!err) {
		more = next_record(r);
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
	size_t i;

	if (!len || text[len - 1] == '\n')
		return false;
	for (i = 0; i < r->columns_nr; i++)
		if (!strcmp(r->columns[i].name, "app_rx_bytes"))
			return true;
	return false;
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
		err = refuse(&r, "the file ends within a line: it is truncated.");
	else if (!err && d->rows_nr == before)
		err = refuse(&r, "there is a header, but no run.");
	reader__clear(&r);
	if (err && !*message)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name, strerror(-err));
	return err;
}
