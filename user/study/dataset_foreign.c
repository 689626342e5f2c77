/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data sets of others: what follows from the numbers of a row, which numbers contradict each other,
 * one experiment in several files, and sentences on how the columns were read. See dataset.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "dataset.h"
#include "phrases.h"

#define CONTRADICTION 0.02 /* of two numbers that should be one */

/* How often something was so, and the worst of it. */
struct tally {
	size_t rows, worst_line;
	double worst; /* the first over the second, less 1 */
};

struct completing {
	size_t rows;                        /* that are not ours */
	size_t throughput, duration, bytes; /* rows in which it was computed */
	struct tally rate;                  /* bytes / time against the throughput */
	struct tally count;                 /* bytes against messages x size */
};

static void compare(struct tally *t, const struct dataset_row *row, double a, double b)
{
	double off = a / b - 1;

	if (!(b > 0) || !(fabs(off) > CONTRADICTION))
		return;
	t->rows++;
	if (t->rows > 1 && fabs(off) <= fabs(t->worst))
		return;
	t->worst = off;
	t->worst_line = row->line;
}

static double bytes_of(const struct dataset_row *row)
{
	const double *v = row->value;

	return isnan(v[METRIC_RX_BYTES]) ? v[METRIC_TX_BYTES] : v[METRIC_RX_BYTES];
}

static double messages_of(const struct dataset_row *row)
{
	const double *v = row->value;

	return isnan(v[METRIC_RX_MESSAGES]) ? v[METRIC_TX_MESSAGES] : v[METRIC_RX_MESSAGES];
}

static void look_for_contradictions(struct completing *c, const struct dataset_row *row)
{
	const double *v = row->value;
	double bytes = bytes_of(row);

	compare(&c->rate, row, bytes * 8 / 1e9 / v[METRIC_DURATION], v[METRIC_GBPS]);
	compare(&c->count, row, bytes, messages_of(row) * (double)row->size);
}

static bool set_missing(double *value, double to)
{
	if (!isnan(*value) || !isfinite(to))
		return false;
	*value = to;
	return true;
}

static void complete_row(struct completing *c, struct dataset_row *row)
{
	double *v = row->value;
	double bytes;

	look_for_contradictions(c, row);
	if (isnan(bytes_of(row)) && !(v[METRIC_GBPS] * v[METRIC_DURATION] > 0))
		c->bytes += set_missing(&v[METRIC_RX_BYTES], messages_of(row) * (double)row->size);
	bytes = bytes_of(row);
	if (bytes > 0)
		set_missing(&v[METRIC_RX_BYTES], bytes);
	c->throughput += set_missing(&v[METRIC_GBPS], bytes * 8 / 1e9 / v[METRIC_DURATION]);
	c->duration += set_missing(&v[METRIC_DURATION], bytes * 8 / 1e9 / v[METRIC_GBPS]);
}

static void say_contradictions(struct dataset *d, const struct completing *c)
{
	if (c->rate.rows)
		dataset__note(
			d,
			"In %zu of %zu rows bytes / time differs from the throughput by more than "
			"%.0f %% (the most in line %zu: %+.1f %%). Throughput is read as it is "
			"given, costs per byte use the bytes.",
			c->rate.rows, c->rows, 100 * CONTRADICTION, c->rate.worst_line,
			100 * c->rate.worst);
	if (c->count.rows)
		dataset__note(
			d,
			"In %zu of %zu rows the bytes differ from messages x message size by more "
			"than %.0f %% (the most in line %zu: %+.1f %%).",
			c->count.rows, c->rows, 100 * CONTRADICTION, c->count.worst_line,
			100 * c->count.worst);
}

static void say_computed(struct dataset *d, const struct completing *c)
{
	static const char form[] = "%s is computed from %s in %zu of %zu rows.";

	if (c->bytes)
		dataset__note(d, form, "The number of bytes", "messages x message size", c->bytes,
			      c->rows);
	if (c->throughput)
		dataset__note(d, form, "Throughput", "bytes / time", c->throughput, c->rows);
	if (c->duration)
		dataset__note(d, form, "The time of a run", "bytes / throughput", c->duration,
			      c->rows);
}

/* Names of the columns that are not read, apart by commas. Caller frees. */
static char *unread(const struct dataset *d)
{
	const char *comma = "";
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	for (size_t i = 0; i < d->columns_nr; i++) {
		if (d->columns[i].field)
			continue;
		fprintf(f, "%s'%s'", comma, d->columns[i].name);
		comma = ", ";
	}
	xclose_memstream(f);
	return text;
}

void dataset__complete(struct dataset *d)
{
	struct completing c = {0};
	char *names;

	for (size_t i = 0; i < d->rows_nr; i++) {
		if (d->rows[i].ours || !d->rows[i].line)
			continue;
		c.rows++;
		complete_row(&c, &d->rows[i]);
	}
	say_contradictions(d, &c);
	say_computed(d, &c);
	if (!d->columns_nr)
		return;
	names = unread(d);
	d->lacking = *names ? xasprintf("no column is read as this number; not read: %s (--column "
					"NAME=FIELD reads one)",
					names)
			    : xstrdup("the data set has no such number");
	free(names);
}

static bool has_any(const struct dataset *d, const enum metric *list, size_t n)
{
	for (size_t i = 0; i < d->rows_nr; i++)
		for (size_t m = 0; m < n; m++)
			if (!isnan(d->rows[i].value[list[m]]))
				return true;
	return false;
}

int dataset__answerable(const struct dataset *d, char message[DATASET_MESSAGE_MAX])
{
	static const enum metric needed[] = {METRIC_GBPS, METRIC_L1D_MISSES, METRIC_LLC_MISSES,
					     METRIC_CYCLES};
	char *names;

	if (!d->columns_nr || has_any(d, needed, sizeof(needed) / sizeof(needed[0])))
		return 0;
	names = unread(d);
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%.100s: no column holds a throughput, cycles or cache misses, so no question can "
		 "be answered. Not read: %.200s. Say --column NAME=throughput_gbps, or give the "
		 "file with the throughput before this one.",
		 d->columns[0].file, *names ? names : "nothing");
	free(names);
	return -ENODATA;
}

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

	return phrases__cell(buf, len, &cell);
}

static bool alike(double a, double b)
{
	return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

/* The numbers of from that to lacks. -EINVAL, said: both have one, and not the same. */
static int merge(struct joining *j, struct dataset_row *to, const struct dataset_row *from)
{
	char cell[PHRASE_BUF];

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

static void add_row(struct joining *j, const struct dataset_row *from)
{
	struct dataset_row *row = dataset__new_row(j->d);

	*row = *from;
	row->cause = row->verdict = NULL;
	if (!j->added++)
		j->first_added = from;
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
	size_t *partner = xcalloc(j->part->rows_nr, sizeof(*partner));
	int err = 0;

	for (size_t i = 0; i < j->part->rows_nr; i++) {
		const struct dataset_row *row = &j->part->rows[i], **found;

		found = bsearch(&row, j->rows, room, sizeof(struct dataset_row *), compare_keys);
		partner[i] = found ? (size_t)(*found - j->d->rows) + 1 : 0;
	}
	/* From here on rows move: partners are known by their numbers. */
	for (size_t i = 0; i < j->part->rows_nr && !err; i++) {
		if (partner[i])
			err = merge(j, &j->d->rows[partner[i] - 1], &j->part->rows[i]);
		else
			add_row(j, &j->part->rows[i]);
		j->joined += partner[i] > 0;
	}
	free(partner);
	return err;
}

static int say_what_did_not_join(struct joining *j, bool as_it_is)
{
	const char *file = dataset__file_name(j->name);
	size_t left = j->rows_nr - j->joined;
	char cell[PHRASE_BUF];

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
		dataset__note(j->d, "%.80s adds %zu rows.", file, j->added);
	else if (j->added)
		dataset__note(j->d,
			      "%.80s: %zu of %zu rows have no partner in the files before it, the "
			      "first %s; %zu rows of these files have none in it.",
			      file, j->added, j->part->rows_nr,
			      row_words(cell, sizeof(cell), j->first_added), left);
	else if (left)
		dataset__note(j->d,
			      "%.80s has no row for %zu of the %zu runs of the files before it.",
			      file, left, j->rows_nr);
	else
		dataset__note(j->d, "%.80s: all %zu rows are joined by mode, size and threads.",
			      file, j->joined);
	return 0;
}

/* Columns and notes of the part are the data set's from now on. */
static void take_columns(struct dataset *d, struct dataset *part)
{
	for (size_t i = 0; i < part->columns_nr; i++) {
		*dataset__new_column(d) = part->columns[i];
		part->columns[i] = (struct dataset_column){0};
	}
	for (size_t i = 0; i < part->notes_nr; i++)
		dataset__note(d, "%s", part->notes[i]);
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
	j.rows = xcalloc(d->rows_nr, sizeof(*j.rows));
	for (size_t i = 0; i < d->rows_nr; i++)
		j.rows[i] = &d->rows[i];
	qsort(j.rows, d->rows_nr, sizeof(struct dataset_row *), compare_keys);
	err = join_rows(&j);
	free(j.rows);
	if (!err)
		err = say_what_did_not_join(&j, as_it_is);
	if (!err && part->settings)
		err = dataset__keep_settings(d, name, json_incref(part->settings), message);
	if (!err)
		take_columns(d, part);
	return err;
}

/* Widths of the table: name, field, unit, values. */
#define NAME_WIDTH   22
#define FIELD_WIDTH  18
#define UNIT_WIDTH   7
#define VALUES_WIDTH 30

#define NAMES_MAX 20 /* in a sentence */

static void put_modes(FILE *f, const struct dataset *d)
{
	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (!c->field || (strcmp(c->field, "mode") && strcmp(c->field, "copies")))
			continue;
		fprintf(f, "Modes are read from '%s': %s.", c->name, c->values);
		return;
	}
}

static void put_assumed(FILE *f, const struct dataset *d)
{
	const struct dataset_column *first = NULL;

	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (!c->assumed)
			continue;
		fprintf(f, "%s'%s' in %s",
			first ? ", " : "No unit is stated, and so assumed: ", c->name, c->unit);
		first = first ? first : c;
	}
	if (first)
		fprintf(f, ". Another unit: --column '%s=%s_%s'.", first->name, first->field,
			strcmp(first->field, "throughput") ? "ms" : "mbps");
}

static void put_unread(FILE *f, const struct dataset *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (c->field)
			continue;
		if (n++ >= NAMES_MAX)
			continue;
		fprintf(f, "%s'%s'", n == 1 ? "Columns that were not read: " : ", ", c->name);
		if (*c->why)
			fprintf(f, " (%s)", c->why);
	}
	if (n > NAMES_MAX)
		fprintf(f, " and %zu more", n - NAMES_MAX);
	if (n)
		fputs(". --column NAME=FIELD reads one; report --explain lists all.", f);
}

/* What put() writes; NULL: nothing. */
static char *text_of(void (*put)(FILE *f, const struct dataset *d), const struct dataset *d)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	put(f, d);
	xclose_memstream(f);
	if (*text)
		return text;
	free(text);
	return NULL;
}

char *dataset__unread_columns(const struct dataset *d)
{
	return text_of(put_unread, d);
}

char *dataset__import_note(const struct dataset *d, size_t i)
{
	static void (*const of_columns[])(FILE * f, const struct dataset *d) = {
		put_modes, put_assumed, put_unread};

	for (size_t k = 0; k < sizeof(of_columns) / sizeof(of_columns[0]); k++) {
		char *text = text_of(of_columns[k], d);

		if (text && !i--)
			return text;
		free(text);
	}
	return i < d->notes_nr ? xstrdup(d->notes[i]) : NULL;
}

/* Bytes of text that fill at most width columns, and end where a word does if one can. */
static size_t fit(const char *text, size_t width)
{
	size_t n = 0, columns = 0, word = 0;

	for (; text[n] && (columns < width || ((unsigned char)text[n] & 0xc0) == 0x80); n++) {
		columns += ((unsigned char)text[n] & 0xc0) != 0x80;
		if (text[n + 1] == ' ' && columns <= width)
			word = n + 1;
	}
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return !text[n] || !word ? n : word;
}

static size_t columns_of(const char *text, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

/* One cell of a line; *text goes on behind what was written. */
static void put_cell(FILE *f, const char **text, size_t width, bool last)
{
	size_t n = fit(*text, width);

	fwrite(*text, 1, n, f);
	if (!last)
		fprintf(f, "%*s", (int)(width - columns_of(*text, n) + 1), "");
	*text += n;
	*text += strspn(*text, " ");
}

static void put_line(FILE *f, const char *name, const char *field, const char *unit,
		     const char *values)
{
	do {
		put_cell(f, &name, NAME_WIDTH, false);
		put_cell(f, &field, FIELD_WIDTH, false);
		put_cell(f, &unit, UNIT_WIDTH, false);
		put_cell(f, &values, VALUES_WIDTH, true);
		fputc('\n', f);
	} while (*name || *field || *unit || *values);
}

void dataset__put_columns(const struct dataset *d, FILE *f)
{
	const char *file = "";
	char *text;

	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];
		bool read = c->field;

		if (strcmp(c->file, file)) {
			fprintf(f, "%s%s\n", *file ? "\n" : "", dataset__file_name(c->file));
			put_line(f, "column", "read as", "unit", "values");
			file = c->file;
		}
		put_line(f, c->name, read ? c->field : "not read", c->unit,
			 *c->why ? c->why : c->values);
	}
	fputc('\n', f);
	for (size_t i = 0; (text = dataset__import_note(d, i)); i++) {
		const char *rest = text;

		while (*rest) {
			put_cell(f, &rest, 80, true);
			fputc('\n', f);
		}
		free(text);
	}
}
