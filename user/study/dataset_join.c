/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One experiment in several CSV files: a row of one file and a row of another that agree in mode,
 * size, threads and round are one run. See dataset.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "common/units.h"
#include "dataset.h"
#include "words.h"

#define ALIKE 1e-3 /* two files may round one number differently */

struct joining {
	struct dataset *d, *part;
	const char *name;          /* of the part */
	struct dataset_row **rows; /* of d, in order */
	size_t rows_nr;            /* of d, before any is added */
	size_t joined, added;
	const struct dataset_row *first_added; /* of the part */
	bool new_number; /* the part has a number that its partners have not */
	char *message;
};

static int compare_keys(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;
	int order = ORDER((*a)->mode, (*b)->mode);

	order = order ? order : ORDER((*a)->size, (*b)->size);
	order = order ? order : ORDER((*a)->threads, (*b)->threads);
	return order ? order : ORDER((*a)->round, (*b)->round);
}

static char *row_words(char *buf, size_t len, const struct dataset_row *row)
{
	struct cell cell = {.mode = row->mode, .size = row->size, .threads = row->threads};

	return words__cell(buf, len, &cell);
}

static bool alike(double a, double b)
{
	return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

/* The numbers of from that to lacks. -EINVAL, said: both have one, and not the same. */
static int merge(struct joining *j, struct dataset_row *to, const struct dataset_row *from)
{
	char cell[WORDS_BUF];

	for (int m = 0; m < METRIC_READ_NR; m++) {
		if (isnan(from->value[m]))
			continue;
		if (isnan(to->value[m])) {
			to->value[m] = from->value[m];
			j->new_number = true;
		} else if (!alike(to->value[m], from->value[m])) {
			snprintf(
				j->message, DATASET_MESSAGE_MAX,
				"%.100s, line %lu: %s of %s differs from that of a file before it: "
				"are these rounds? Then give them in one file with a column "
				"round; else say --column NAME=ignore.",
				j->name, from->line, metric__words((enum metric)m),
				row_words(cell, sizeof(cell), from));
			return -EINVAL;
		}
	}
	return 0;
}

static int add_row(struct joining *j, const struct dataset_row *from)
{
	struct dataset_row *row = dataset__new_row(j->d);

	if (!row)
		return -ENOMEM;
	*row = *from;
	row->cause = row->verdict = NULL;
	if (!j->added++)
		j->first_added = from;
	return 0;
}

static bool any_threads(const struct dataset *d)
{
	for (size_t i = 0; i < d->rows_nr; i++)
		if (d->rows[i].threads)
			return true;
	return false;
}

static int check_keys(struct joining *j)
{
	if (any_threads(j->d) == any_threads(j->part))
		return 0;
	snprintf(
		j->message, DATASET_MESSAGE_MAX,
		"%.100s: it has %s column threads, and the files before it have %s: they cannot be "
		"joined.",
		j->name, any_threads(j->part) ? "a" : "no", any_threads(j->part) ? "none" : "one");
	return -EINVAL;
}

static bool same_numbers(const struct dataset *a, const struct dataset *b)
{
	for (int m = 0; m < METRIC_READ_NR; m++)
		if (isnan(a->rows[0].value[m]) != isnan(b->rows[0].value[m]))
			return false;
	return true;
}

/* Every row of the part to its partner, or by itself. */
static int join_rows(struct joining *j)
{
	size_t room = j->rows_nr;
	size_t *partner = array__new(j->part->rows_nr, sizeof(*partner));
	int err = partner ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->part->rows_nr && !err; i++) {
		const struct dataset_row *row = &j->part->rows[i], **found;

		found = bsearch(&row, j->rows, room, sizeof(struct dataset_row *), compare_keys);
		partner[i] = found ? (size_t)(*found - j->d->rows) + 1 : 0;
	}
	/* From here on rows move: partners are known by their numbers. */
	for (size_t i = 0; i < j->part->rows_nr && !err; i++) {
		if (partner[i])
			err = merge(j, &j->d->rows[partner[i] - 1], &j->part->rows[i]);
		else
			err = add_row(j, &j->part->rows[i]);
		j->joined += partner[i] > 0;
	}
	free(partner);
	return err;
}

static int say_what_did_not_join(struct joining *j, bool as_it_is)
{
	const char *file = dataset__file_name(j->name);
	size_t left = j->rows_nr - j->joined;
	char cell[WORDS_BUF];

	if (!j->joined && !as_it_is) {
		snprintf(j->message, DATASET_MESSAGE_MAX,
			 "%.100s: no row has the mode, size and threads of a row of the files "
			 "before it (it begins with %s): they are not of one experiment.",
			 j->name, row_words(cell, sizeof(cell), j->first_added));
		return -EINVAL;
	}
	if (!j->added && !j->new_number) {
		snprintf(j->message, DATASET_MESSAGE_MAX,
			 "%.100s: it holds no number that the files before it lack: leave it out.",
			 j->name);
		return -EINVAL;
	}
	if (!j->joined)
		return dataset__note(j->d, "%.80s adds %zu rows.", file, j->added);
	if (j->added)
		return dataset__note(j->d,
				     "%.80s: %zu of %zu rows have no partner in the files before "
				     "it, the first %s; %zu rows of these files have none in it.",
				     file, j->added, j->part->rows_nr,
				     row_words(cell, sizeof(cell), j->first_added), left);
	if (left)
		return dataset__note(j->d,
				     "%.80s has no row for %zu of the %zu runs of the files "
				     "before it.",
				     file, left, j->rows_nr);
	return dataset__note(j->d, "%.80s: all %zu rows are joined by mode, size and threads.",
			     file, j->joined);
}

/* Columns and notes of the part are the data set's from now on. 0 or -ENOMEM. */
static int take_columns(struct dataset *d, struct dataset *part)
{
	for (size_t i = 0; i < part->columns_nr; i++) {
		struct dataset_column *c = dataset__new_column(d);

		if (!c)
			return -ENOMEM;
		*c = part->columns[i];
		part->columns[i] = (struct dataset_column){0};
	}
	for (size_t i = 0; i < part->notes_nr; i++)
		if (dataset__note(d, "%s", part->notes[i]))
			return -ENOMEM;
	return 0;
}

int dataset__join(struct dataset *d, struct dataset *part, const char *name,
		  char message[DATASET_MESSAGE_MAX])
{
	struct joining j = {
		.d = d, .part = part, .name = name, .rows_nr = d->rows_nr, .message = message};
	bool as_it_is = same_numbers(d, part);
	int err = check_keys(&j);

	if (err)
		return err;
	j.rows = array__new(d->rows_nr, sizeof(*j.rows));
	if (!j.rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->rows_nr; i++)
		j.rows[i] = &d->rows[i];
	qsort(j.rows, d->rows_nr, sizeof(struct dataset_row *), compare_keys);
	err = join_rows(&j);
	free(j.rows);
	if (!err)
		err = say_what_did_not_join(&j, as_it_is);
	if (!err && part->settings)
		err = dataset__keep_settings(d, name, json_incref(part->settings), message);
	return err ? err : take_columns(d, part);
}
