/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a CSV file that agree in mode, size, threads and round. They are rounds only where a
 * column or the user says so: else a column that is not read tells them apart, and to pool them
 * would give intervals and claims to data that has none. See csv_reader.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "csv_reader.h"

static int compare_cell(const struct dataset_row *a, const struct dataset_row *b)
{
	int order = ORDER(a->mode, b->mode);

	order = order ? order : ORDER(a->size, b->size);
	return order ? order : ORDER(a->threads, b->threads);
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;
	int order = compare_cell(*a, *b);

	order = order ? order : ORDER((*a)->round, (*b)->round);
	return order ? order : ORDER((*a)->line, (*b)->line);
}

static int compare_rounds(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;

	return ORDER((*a)->round, (*b)->round);
}

/* The rows of the file, in order of compare(). NULL: memory. */
static struct dataset_row **sorted(const struct csv_reader *r, size_t first,
				   int (*compare)(const void *, const void *))
{
	size_t n = r->d->rows_nr - first;
	struct dataset_row **rows = array__new(n, sizeof(*rows));

	for (size_t i = 0; rows && i < n; i++)
		rows[i] = &r->d->rows[first + i];
	if (rows)
		qsort(rows, n, sizeof(struct dataset_row *), compare);
	return rows;
}

/* Rounds of a cell from 0, in the order that rows have. */
static void number_rounds(struct dataset_row **rows, size_t n)
{
	unsigned int round = 0;

	for (size_t i = 0; i < n; i++) {
		round = i && !compare_cell(rows[i], rows[i - 1]) ? round + 1 : 0;
		rows[i]->round = round;
	}
}

/* A column that numbers the runs of the whole file says nothing of which were made together. */
static int numbers_every_row(const struct csv_reader *r, size_t first, bool *every)
{
	size_t n = r->d->rows_nr - first;
	struct dataset_row **rows;

	*every = false;
	if (n < 2 || !csv_reader__has(r, COLUMN_ROUND))
		return 0;
	rows = sorted(r, first, compare_rounds);
	if (!rows)
		return -ENOMEM;
	*every = true;
	for (size_t i = 1; i < n; i++)
		*every = *every && rows[i]->round != rows[i - 1]->round;
	free(rows);
	return 0;
}

static bool repeats(const struct dataset_row *a, const struct dataset_row *b)
{
	return !compare_cell(a, b) && a->round == b->round;
}

static int keep_cells(char **cell, const struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++) {
		cell[i] = strdup(csv_reader__cell(r, i));
		if (!cell[i])
			return -ENOMEM;
	}
	return 0;
}

/* Which columns that are not read differ between the lines of the two rows. 0 or -errno. */
static int find_differing(struct csv_reader *r, const struct dataset_row *a,
			  const struct dataset_row *b, bool *differs)
{
	char **cell = array__new(r->columns_nr, sizeof(*cell));
	int more = cell ? 1 : -ENOMEM, err = 0;

	csv_reader__rewind(r);
	while (more > 0 && !err) {
		more = csv_reader__next_row(r);
		if (more <= 0)
			break;
		if (r->text.line == a->line)
			err = keep_cells(cell, r);
		if (r->text.line == b->line)
			break;
	}
	for (size_t i = 0; more > 0 && !err && i < r->columns_nr; i++)
		differs[i] = r->columns[i].as.kind == COLUMN_IGNORED && cell[i] &&
			     strcmp(cell[i], csv_reader__cell(r, i));
	for (size_t i = 0; cell && i < r->columns_nr; i++)
		free(cell[i]);
	free(cell);
	return err ? err : more < 0 ? more : 0;
}

/* Few values that return are settings; a value of its own in each row is a measurement. */
static const struct column *best_of(const struct csv_reader *r, const bool *differs)
{
	const struct column *best = NULL;

	for (size_t i = 0; i < r->columns_nr; i++) {
		const struct column *c = &r->columns[i];

		if (differs[i] &&
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
		if (csv_value__parse(c->levels.value[i], r->comma, &value, &rest) || *rest ||
		    !(value >= 0 && value == floor(value)))
			return false;
	return !c->levels.more || c->levels.low >= 0;
}

/* How the column that tells the rows apart can be read; nothing that would then be refused. */
static void put_remedy(const struct csv_reader *r, const struct column *c, char *buf, size_t len)
{
	const char *field = NULL;

	if (holds_counts(r, c) && !csv_reader__has(r, COLUMN_THREADS))
		field = "threads";
	else if (holds_counts(r, c) && !csv_reader__has(r, COLUMN_ROUND))
		field = "round";
	if (field)
		snprintf(buf, len, "say --column '%.60s=%s' if it is that, or keep", c->name,
			 field);
	else
		snprintf(buf, len, "keep");
}

static int refuse(struct csv_reader *r, const struct dataset_row *a, const struct dataset_row *b,
		  const bool *differs)
{
	const struct column *c = best_of(r, differs);
	char values[120], remedy[128];

	r->text.line = b->line;
	if (!c)
		return csv_reader__refuse(
			r,
			"this row and line %lu agree in mode, size and threads%s: say "
			"--rounds-from-repeats if such rows are rounds, or remove one.",
			a->line, csv_reader__has(r, COLUMN_ROUND) ? " and round" : "");
	put_remedy(r, c, remedy, sizeof(remedy));
	return csv_reader__refuse(
		r,
		"this row and line %lu agree in mode, size and threads, and differ in column "
		"'%.60s' (%s), which is not read: %s the rows of one value, or say "
		"--rounds-from-repeats if such rows are rounds.",
		a->line, c->name, csv_reader__values(c, values, sizeof(values)), remedy);
}

int csv_reader__check_repeats(struct csv_reader *r, size_t first)
{
	size_t n = r->d->rows_nr - first, i;
	struct dataset_row **rows = sorted(r, first, compare_rows);
	bool *differs = array__new(r->columns_nr, sizeof(*differs)), every = false;
	int err = rows && differs ? numbers_every_row(r, first, &every) : -ENOMEM;

	for (i = 1; !err && !every && i < n && !repeats(rows[i - 1], rows[i]); i++)
		;
	if (!err && (every || (i < n && r->d->names.rounds_from_repeats)))
		number_rounds(rows, n);
	else if (!err && i < n)
		err = find_differing(r, rows[i - 1], rows[i], differs);
	if (!err && !every && i < n && !r->d->names.rounds_from_repeats)
		err = refuse(r, rows[i - 1], rows[i], differs);
	free(rows);
	free(differs);
	return err;
}
