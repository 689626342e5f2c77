/* SPDX-License-Identifier: GPL-2.0-only */
/* How the columns of a CSV file were understood, kept for the report; see csv_reader.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "csv_reader.h"

static void put_modes(FILE *f, const struct csv_reader *r, const struct column *c)
{
	const char *comma = "";
	enum mode mode;

	for (size_t i = 0; i < c->levels.nr; i++) {
		if (csv_mode__parse(r, c, c->levels.value[i], &mode))
			continue;
		fprintf(f, "%s%.40s = %s", comma, c->levels.value[i], mode__words(mode));
		comma = ", ";
	}
}

static void put_levels(FILE *f, const struct column *c)
{
	for (size_t i = 0; i < c->levels.nr; i++)
		fprintf(f, "%s%.40s", i ? ", " : "", c->levels.value[i]);
	if (c->levels.more)
		fputs(" and others", f);
}

static void put_values(FILE *f, const struct csv_reader *r, const struct column *c)
{
	if (c->as.kind == COLUMN_MODE)
		put_modes(f, r, c);
	else if (c->levels.more && !isnan(c->levels.low))
		fprintf(f, "%.15g to %.15g", c->levels.low, c->levels.high);
	else
		put_levels(f, c);
	if (c->levels.unknown)
		fprintf(f, "%s%zu unknown", c->levels.nr ? ", " : "", c->levels.unknown);
}

/* Caller frees. NULL: memory. */
static char *values_of(const struct csv_reader *r, const struct column *c)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	put_values(f, r, c);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *copy(const char *text)
{
	char *to = strndup(text, NAME_LEN);

	return to ? printable__in_place(to) : NULL;
}

static int keep_column(struct csv_reader *r, const struct column *c)
{
	struct dataset_column *to = dataset__new_column(r->d);
	bool read = c->as.kind != COLUMN_IGNORED;

	if (!to)
		return -ENOMEM;
	to->file = copy(r->name);
	to->name = copy(c->name);
	to->field = read ? copy(c->as.field) : NULL;
	to->unit = copy(read ? c->as.unit : "");
	to->values = values_of(r, c);
	to->why = copy(c->why);
	to->assumed = read && c->as.assumed;
	if (!to->file || !to->name || (read && !to->field) || !to->unit || !to->values || !to->why)
		return -ENOMEM;
	printable__in_place(to->values);
	return 0;
}

int csv_reader__keep_columns(struct csv_reader *r)
{
	int err = 0;

	for (size_t i = 0; i < r->columns_nr && !err; i++)
		if (*r->columns[i].name || r->columns[i].levels.nr)
			err = keep_column(r, &r->columns[i]);
	return err;
}
