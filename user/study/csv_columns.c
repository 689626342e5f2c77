/* SPDX-License-Identifier: GPL-2.0-only */
/* What each column of a CSV file is: by its name, or as the user says; see csv_reader.h. */
#include <errno.h>
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

	if (more == -EBADMSG)
		return csv_reader__refuse(r, "a quoted cell never ends: is the file truncated?");
	if (more == -E2BIG)
		return csv_reader__refuse(r,
					  "more than %d cells in a line, or %d bytes in a cell: "
					  "this is no file of results.",
					  CSV_CELLS_MAX, CSV_CELL_MAX);
	return more;
}

static bool is_empty(const struct csv_text *t)
{
	for (size_t i = 0; i < t->cells_nr; i++)
		if (*csv_text__cell(t, i))
			return false;
	return true;
}

int csv_reader__next_row(struct csv_reader *r)
{
	int more;

	do
		more = csv_reader__next(r);
	while (more > 0 && is_empty(&r->text) && (!r->ours || r->text.cells_nr == 1));
	return more;
}

void csv_reader__rewind(struct csv_reader *r)
{
	csv_text__seek(&r->text, r->body, r->body_line);
}

const char *csv_reader__cell(const struct csv_reader *r, size_t i)
{
	return i < r->text.cells_nr ? csv_text__cell(&r->text, i) : "";
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

bool dataset__is_column_option(const char *option, char why[DATASET_MESSAGE_MAX])
{
	const char *equals = strrchr(option, '='), *name;
	struct csv_match m;
	size_t at;

	if (!equals || equals == option || equals - option >= NAME_LEN) {
		snprintf(why, DATASET_MESSAGE_MAX, "it takes NAME=FIELD");
		return false;
	}
	if (!strcmp(equals + 1, "ignore") || csv_field__match(equals + 1, &m))
		return true;
	at = (size_t)snprintf(why, DATASET_MESSAGE_MAX, "fields are");
	for (size_t i = 0; (name = csv_field__name(i)) && at < DATASET_MESSAGE_MAX; i++)
		at += (size_t)snprintf(why + at, DATASET_MESSAGE_MAX - at, " %s,", name);
	if (at < DATASET_MESSAGE_MAX)
		snprintf(why + at, DATASET_MESSAGE_MAX - at, " or ignore");
	return false;
}

bool csv_reader__is_named(const char *option, const char *name)
{
	size_t n = (size_t)(strrchr(option, '=') - option);
	char theirs[NAME_LEN];

	if (n >= sizeof(theirs))
		return false;
	snprintf(theirs, sizeof(theirs), "%.*s", (int)n, option);
	return csv_field__same(theirs, name);
}

static bool has_exactly(const struct csv_reader *r, const char *option)
{
	size_t n = (size_t)(strrchr(option, '=') - option);

	for (size_t i = 0; i < r->columns_nr; i++)
		if (strlen(r->columns[i].name) == n && !memcmp(r->columns[i].name, option, n))
			return true;
	return false;
}

bool csv_reader__told(const struct csv_reader *r, const char *name, char field[NAME_LEN])
{
	const struct dataset_names *names = &r->d->names;
	size_t n = strlen(name);

	for (size_t i = 0; i < names->column_nr; i++) {
		const char *option = names->column[i], *equals = strrchr(option, '=');
		bool exactly = (size_t)(equals - option) == n && !memcmp(option, name, n);

		if (exactly || (csv_reader__is_named(option, name) && !has_exactly(r, option))) {
			snprintf(field, NAME_LEN, "%s", equals + 1);
			return true;
		}
	}
	return csv_reader__look_up(names->columns, false, name, field);
}

static int classify_one(struct csv_reader *r, struct column *c)
{
	char field[NAME_LEN];

	c->told = csv_reader__told(r, c->name, field);
	if (!c->told) {
		/* Nothing in our own files is known by another name. */
		if (!csv_field__match(c->name, &c->as) || (r->ours && c->as.rank > 1))
			csv_field__match("", &c->as);
		return 0;
	}
	if (!strcmp(field, "ignore")) {
		csv_field__match("", &c->as);
		snprintf(c->why, sizeof(c->why), "as the command line says");
		return 0;
	}
	return csv_field__match(field, &c->as)
		       ? 0
		       : csv_reader__refuse(
				 r,
				 "--columns or --column names the field '%.60s', which is "
				 "not known: fields are mode, size, threads, round, "
				 "throughput, latency, cycles and others (man "
				 "netiotrace-report).",
				 field);
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

const struct column *csv_reader__column(const struct csv_reader *r, enum column_kind kind)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].as.kind == kind)
			return &r->columns[i];
	return NULL;
}

bool csv_reader__has(const struct csv_reader *r, enum column_kind kind)
{
	return csv_reader__column(r, kind);
}

static bool same_field(const struct column *a, const struct column *b)
{
	if (a->as.kind != b->as.kind || a->as.kind == COLUMN_IGNORED ||
	    a->as.kind == COLUMN_ENVIRONMENT)
		return false;
	return a->as.kind != COLUMN_METRIC || a->as.metric == b->as.metric;
}

static void leave(struct column *c, const struct column *instead)
{
	snprintf(c->why, sizeof(c->why), "%.40s is read from '%.60s'", c->as.field, instead->name);
	c->as.kind = COLUMN_IGNORED;
}

/* Which of two columns for one field is read: the one the user names, else the better name. */
static int settle(struct csv_reader *r, struct column *a, struct column *b)
{
	bool modes_a = csv_mode__is_column(r, a), modes_b = csv_mode__is_column(r, b);

	if (a->told != b->told)
		leave(a->told ? b : a, a->told ? a : b);
	else if (a->told || csv_field__same(a->name, b->name))
		return csv_reader__refuse(r,
					  "columns '%.60s' and '%.60s' are the same number: say "
					  "--column '%.60s=ignore' or another field.",
					  a->name, b->name, b->name);
	else if (a->as.kind == COLUMN_MODE && modes_a != modes_b)
		leave(modes_a ? b : a, modes_a ? a : b);
	else
		leave(b->as.rank < a->as.rank ? a : b, b->as.rank < a->as.rank ? b : a);
	return 0;
}

static int settle_all(struct csv_reader *r)
{
	int err = 0;

	for (size_t i = 0; i < r->columns_nr && !err; i++) {
		if (r->columns[i].as.kind == COLUMN_IGNORED)
			continue;
		for (size_t j = 0; j < i && !err; j++)
			if (same_field(&r->columns[i], &r->columns[j]))
				err = settle(r, &r->columns[j], &r->columns[i]);
	}
	return err;
}

/* A size of a message is better than that of a field of it. */
static void prefer_size(struct csv_reader *r)
{
	const struct column *size = csv_reader__column(r, COLUMN_SIZE);

	for (size_t i = 0; i < r->columns_nr && size; i++)
		if (r->columns[i].as.kind == COLUMN_FIELD_SIZE)
			leave(&r->columns[i], size);
}

/* A column that holds modes, but has another name. */
static const struct column *unnamed_modes(const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++) {
		const struct column *c = &r->columns[i];

		if (c->as.kind == COLUMN_IGNORED && csv_mode__has_words(r, c))
			return c;
	}
	return NULL;
}

/* The first columns that are not read. */
static void put_names(const struct csv_reader *r, char *buf, size_t len)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < r->columns_nr && at + 24 < len; i++)
		if (r->columns[i].as.kind == COLUMN_IGNORED && *r->columns[i].name)
			at += (size_t)snprintf(buf + at, len - at, "%s%.20s", at ? ", " : "",
					       r->columns[i].name);
	if (!at)
		snprintf(buf, len, "all are other fields");
}

static int refuse_without(struct csv_reader *r, const char *field)
{
	const struct column *modes = strcmp(field, "mode") ? NULL : unnamed_modes(r);
	char values[160], names[240];

	if (modes)
		return csv_reader__refuse(r,
					  "there is no column 'mode', but '%.60s' holds %s: say "
					  "--column '%.60s=mode'.",
					  modes->name,
					  csv_reader__values(modes, values, sizeof(values)),
					  modes->name);
	put_names(r, names, sizeof(names));
	return csv_reader__refuse(r,
				  "there is no column '%s' (columns: %s): say --column NAME=%s for "
				  "the one that holds it.",
				  field, names, field);
}

int csv_reader__classify(struct csv_reader *r)
{
	int err = 0;

	r->text.line = r->header_line;
	for (size_t i = 0; i < r->columns_nr && !err; i++) {
		err = classify_one(r, &r->columns[i]);
		r->columns[i].one_based = !r->ours && csv_mode__one_based(&r->columns[i]);
	}
	if (!err)
		err = settle_all(r);
	if (!err)
		err = check_told(r);
	if (err)
		return err;
	prefer_size(r);
	if (!csv_reader__has(r, COLUMN_MODE))
		return refuse_without(r, "mode");
	return csv_reader__has(r, COLUMN_SIZE) || csv_reader__has(r, COLUMN_FIELD_SIZE)
		       ? 0
		       : refuse_without(r, "size");
}
