/* SPDX-License-Identifier: GPL-2.0-only */
/* What the columns of a CSV file are: ours, those of a published data set, or as told. Pure. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"

int csv_reader__refuse(struct csv_reader *r, const char *format, ...)
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

int csv_reader__next(struct csv_reader *r)
{
	int more = csv_text__next(&r->text);

	return more == -EBADMSG
		       ? csv_reader__refuse(r, "a quoted cell never ends: is the file truncated?")
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
bool csv_reader__look_up(const char *list, bool left, const char *word, char other[NAME_LEN])
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

	if (!csv_reader__look_up(r->d->names.columns, false, c->name, ours)) {
		classify(c, c->name);
		return 0;
	}
	classify(c, ours);
	return c->kind != COLUMN_IGNORED
		       ? 0
		       : csv_reader__refuse(
				 r, "--columns names '%.60s', which is no column known here.",
				 ours);
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
			return csv_reader__refuse(r, "--columns takes OURS=THEIRS, not '%.*s'.",
						  (int)n, list);
		snprintf(name, sizeof(name), "%.*s", (int)(list + n - equals - 1), equals + 1);
		for (i = 0; i < r->columns_nr && strcmp(r->columns[i].name, name); i++)
			;
		if (i == r->columns_nr)
			return csv_reader__refuse(
				r, "there is no column '%.60s', which --columns names.", name);
	}
	return 0;
}

bool csv_reader__has(const struct csv_reader *r, enum column_kind kind)
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
			return csv_reader__refuse(
				r, "columns '%.60s' and '%.60s' are the same number.", b->name,
				a->name);
	return 0;
}

int csv_reader__header(struct csv_reader *r)
{
	size_t i;
	int err = csv_reader__next(r);

	if (err < 0)
		return err;
	if (!err)
		return csv_reader__refuse(r, "the file is empty.");
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
	if (!csv_reader__has(r, COLUMN_MODE) || !csv_reader__has(r, COLUMN_SIZE))
		return csv_reader__refuse(
			r,
			"there is no column '%s': these are no results of this experiment, "
			"or --columns should say what it is called.",
			csv_reader__has(r, COLUMN_MODE) ? "size" : "mode");
	return 0;
}
