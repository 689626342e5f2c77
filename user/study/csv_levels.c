/* SPDX-License-Identifier: GPL-2.0-only */
/* What the columns of a CSV file hold, before any is read as a number; see csv_reader.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"

static int add_level(struct levels *l, const char *text)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->value[i], text))
			return 0;
	if (l->nr == LEVELS_MAX) {
		l->more = true;
		return 0;
	}
	l->value[l->nr] = strndup(text, NAME_LEN - 1);
	return l->value[l->nr++] ? 0 : -ENOMEM;
}

static void add_number(struct csv_reader *r, struct levels *l, const char *text)
{
	double value = (double)NAN;
	const char *rest;

	if (csv_value__parse(text, r->comma, &value, &rest) || isnan(value))
		return;
	if (!(l->low <= value))
		l->low = value;
	if (!(l->high >= value))
		l->high = value;
}

static int add_cells(struct csv_reader *r)
{
	int err = 0;

	for (size_t i = 0; i < r->columns_nr && !err; i++) {
		struct levels *l = &r->columns[i].levels;
		const char *text = csv_reader__cell(r, i);

		if (csv_value__missing(text)) {
			l->unknown++;
			continue;
		}
		err = add_level(l, text);
		add_number(r, l, text);
	}
	return err;
}

/* A file's numbers are written alike: one cell that is clear says what the others mean. */
static void look_for_commas(struct csv_reader *r, bool seen[COMMA_DECIMAL + 1])
{
	for (size_t i = 0; i < r->text.cells_nr; i++)
		seen[csv_value__comma(csv_text__cell(&r->text, i))] = true;
}

static int decide_comma(struct csv_reader *r, const bool seen[COMMA_DECIMAL + 1])
{
	bool comma_separates = r->text.separator == ',';

	r->comma = COMMA_THOUSANDS;
	if (seen[COMMA_DECIMAL] && !seen[COMMA_THOUSANDS])
		r->comma = COMMA_DECIMAL;
	else if (seen[COMMA_UNCLEAR] && !seen[COMMA_THOUSANDS] && !comma_separates)
		return csv_reader__refuse(
			r,
			"the commas within its numbers may be decimal commas or group thousands: "
			"write these numbers with a point, or without the commas.");
	return 0;
}

int csv_reader__find_levels(struct csv_reader *r)
{
	bool seen[COMMA_DECIMAL + 1] = {false};
	int more, err;

	for (size_t i = 0; i < r->columns_nr; i++)
		r->columns[i].levels.low = r->columns[i].levels.high = (double)NAN;
	csv_reader__rewind(r);
	while ((more = csv_reader__next_row(r)) > 0)
		look_for_commas(r, seen);
	err = more ? more : decide_comma(r, seen);
	csv_reader__rewind(r);
	while (!err && (more = csv_reader__next_row(r)) > 0)
		err = add_cells(r);
	csv_reader__rewind(r);
	return err ? err : more;
}

const char *csv_reader__values(const struct column *c, char *buf, size_t len)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < c->levels.nr && at < len; i++)
		at += (size_t)snprintf(buf + at, len - at, "%s%.24s", i ? ", " : "",
				       c->levels.value[i]);
	if (c->levels.more && at < len)
		snprintf(buf + at, len - at, " and others");
	if (!c->levels.nr)
		snprintf(buf, len, "nothing");
	return buf;
}
