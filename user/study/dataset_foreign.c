/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data sets of others: what follows from the numbers of a row, which numbers contradict each other,
 * one experiment in several files, and sentences on how the columns were read. See dataset.h.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "dataset.h"
#include "item_list.h"
#include "phrases.h"

#define CONTRADICTION 0.02 /* of two numbers that should be one */

/* Rows in which two numbers differ that should be one, and the worst of them. */
struct contradiction {
	size_t rows, worst_line;
	double worst; /* the first over the second, less 1 */
};

struct completing {
	size_t rows;                        /* that are not ours */
	size_t throughput, duration, bytes; /* rows in which it was computed */
	struct contradiction rate;          /* bytes / time against the throughput */
	struct contradiction count;         /* bytes against messages x size */
};

static void compare(struct contradiction *c, const struct dataset_row *row, double a, double b)
{
	double off = a / b - 1;

	if (!(b > 0) || !(fabs(off) > CONTRADICTION))
		return;
	if (!c->rows++ || fabs(off) > fabs(c->worst)) {
		c->worst = off;
		c->worst_line = row->line;
	}
}

static double known(double a, double b)
{
	return isnan(a) ? b : a;
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
	double *v = row->value, bytes = known(v[METRIC_RX_BYTES], v[METRIC_TX_BYTES]);
	double by_messages =
		known(v[METRIC_RX_MESSAGES], v[METRIC_TX_MESSAGES]) * (double)row->size;

	compare(&c->rate, row, bytes * 8 / 1e9 / v[METRIC_DURATION], v[METRIC_GBPS]);
	compare(&c->count, row, bytes, by_messages);
	if (isnan(bytes) && !(v[METRIC_GBPS] * v[METRIC_DURATION] > 0) && isfinite(by_messages)) {
		bytes = by_messages;
		c->bytes++;
	}
	if (bytes > 0)
		set_missing(&v[METRIC_RX_BYTES], bytes);
	c->throughput += set_missing(&v[METRIC_GBPS], bytes * 8 / 1e9 / v[METRIC_DURATION]);
	c->duration += set_missing(&v[METRIC_DURATION], bytes * 8 / 1e9 / v[METRIC_GBPS]);
}

static void say_contradiction(struct dataset *d, size_t rows, const struct contradiction *c,
			      const char *what, const char *which)
{
	if (c->rows)
		dataset__note(d,
			      "In %zu of %zu rows %s by more than %.0f %% (the most in line %zu: "
			      "%+.1f %%).%s",
			      c->rows, rows, what, 100 * CONTRADICTION, c->worst_line,
			      100 * c->worst, which);
}

static void say_computed(struct dataset *d, size_t rows, size_t n, const char *what,
			 const char *from)
{
	if (n)
		dataset__note(d, "%s is computed from %s in %zu of %zu rows.", what, from, n, rows);
}

/* Names of the unread columns. */
static struct item_list unread(const struct dataset *d)
{
	struct item_list list = {0};

	for (size_t i = 0; i < d->columns_nr; i++)
		if (!d->columns[i].field)
			item_list__add(&list, "'%s'", d->columns[i].name);
	return list;
}

void dataset__complete(struct dataset *d)
{
	struct item_list names = unread(d);
	struct completing c = {0};

	for (size_t i = 0; i < d->rows_nr; i++) {
		if (d->rows[i].ours || !d->rows[i].line)
			continue;
		c.rows++;
		complete_row(&c, &d->rows[i]);
	}
	say_contradiction(d, c.rows, &c.rate, "bytes / time differs from the throughput",
			  " Throughput is read as it is given, costs per byte use the bytes.");
	say_contradiction(d, c.rows, &c.count, "the bytes differ from messages x message size", "");
	say_computed(d, c.rows, c.bytes, "The number of bytes", "messages x message size");
	say_computed(d, c.rows, c.throughput, "Throughput", "bytes / time");
	say_computed(d, c.rows, c.duration, "The time of a run", "bytes / throughput");
	if (names.nr)
		d->lacking = xasprintf("no column is read as this number; not read: %s (--column "
				       "NAME=FIELD reads one)",
				       item_list__words(&names));
	else if (d->columns_nr)
		d->lacking = xstrdup("the data set has no such number");
}

int dataset__answerable(const struct dataset *d, char message[DATASET_MESSAGE_MAX])
{
	struct item_list names = unread(d);

	for (size_t i = 0; i < d->rows_nr; i++) {
		const double *v = d->rows[i].value;

		if (!isnan(v[METRIC_GBPS]) || !isnan(v[METRIC_L1D_MISSES]) ||
		    !isnan(v[METRIC_LLC_MISSES]) || !isnan(v[METRIC_CYCLES]))
			return 0;
	}
	if (!d->columns_nr)
		return 0;
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%.100s: no column holds a throughput, cycles or cache misses, so no question can "
		 "be answered. Not read: %.200s. Say --column NAME=throughput_gbps, or give the "
		 "file with the throughput before this one.",
		 d->columns[0].file, names.nr ? item_list__words(&names) : "nothing");
	return -ENODATA;
}

#define ALIKE 1e-3 /* two files may round one number differently */

struct joining {
	struct dataset *d, *part;
	const char *name; /* of the part */
	size_t joined, added;
	const struct dataset_row *first_added; /* of the part */
	bool new_number; /* the part has a number that its partners have not */
	char *message;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct joining *j, const char *format, ...)
{
	va_list args;
	int n = snprintf(j->message, DATASET_MESSAGE_MAX, "%.100s", j->name);

	va_start(args, format);
	vsnprintf(j->message + n, DATASET_MESSAGE_MAX - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* By cell and round: the lines of two files differ. */
static int compare_keys(const void *pa, const void *pb)
{
	const struct dataset_row *const *a = pa, *const *b = pb;
	int order = dataset__compare_cells(*a, *b);

	return order ? order : ORDER((*a)->round, (*b)->round);
}

static struct phrase row_words(const struct dataset_row *row)
{
	return phrases__cell(
		&(struct cell){.mode = row->mode, .size = row->size, .threads = row->threads});
}

/* Copies numbers that `to` lacks. -EINVAL with a message: both have one, and they differ. */
static int merge(struct joining *j, struct dataset_row *to, const struct dataset_row *from)
{
	for (enum metric m = 0; m < METRIC_READ_NR; m++) {
		double x = to->value[m], y = from->value[m];

		if (isnan(y))
			continue;
		if (isnan(x)) {
			to->value[m] = y;
			j->new_number = true;
		} else if (!(fabs(x - y) <= ALIKE * fmax(fabs(x), fabs(y)))) {
			return refuse(j,
				      ", line %lu: %s of %s differs from that of a file before it: "
				      "are these rounds? Then give them in one file with a column "
				      "round; else say --column NAME=ignore.",
				      from->line, metric__words(m), row_words(from).text);
		}
	}
	j->joined++;
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

static bool same_numbers(const struct dataset *a, const struct dataset *b)
{
	for (int m = 0; m < METRIC_READ_NR; m++)
		if (isnan(a->rows[0].value[m]) != isnan(b->rows[0].value[m]))
			return false;
	return true;
}

/* The row of d with the same cell and round as each row of part, counted from 1; 0: none. */
static size_t *find_partners(const struct dataset *d, const struct dataset *part)
{
	const struct dataset_row **rows = xcalloc(d->rows_nr, sizeof(const struct dataset_row *));
	size_t *partner = xcalloc(part->rows_nr, sizeof(*partner));

	for (size_t i = 0; i < d->rows_nr; i++)
		rows[i] = &d->rows[i];
	qsort(rows, d->rows_nr, sizeof(const struct dataset_row *), compare_keys);
	for (size_t i = 0; i < part->rows_nr; i++) {
		const struct dataset_row *row = &part->rows[i], **found;

		found = bsearch(&row, rows, d->rows_nr, sizeof(const struct dataset_row *),
				compare_keys);
		partner[i] = found ? (size_t)(*found - d->rows) + 1 : 0;
	}
	free(rows);
	return partner;
}

/* Adds each row of part to its partner, or as a new row. */
static int join_rows(struct joining *j)
{
	size_t *partner = find_partners(j->d, j->part);
	int err = 0;

	/* Rows of d move as they are added. */
	for (size_t i = 0; i < j->part->rows_nr && !err; i++) {
		if (partner[i])
			err = merge(j, &j->d->rows[partner[i] - 1], &j->part->rows[i]);
		else
			add_row(j, &j->part->rows[i]);
	}
	free(partner);
	return err;
}

/* before: rows of the files before. more: the part has the same numbers of other rows. */
static int say_what_did_not_join(struct joining *j, size_t before, bool more)
{
	const char *file = dataset__file_name(j->name);
	size_t left = before - j->joined;

	if (!j->joined && !more)
		return refuse(j,
			      ": no row has the mode, size and threads of a row of the files "
			      "before it (it begins with %s): they are not of one experiment.",
			      row_words(j->first_added).text);
	if (!j->added && !j->new_number)
		return refuse(j, ": it holds no number that the files before it lack: leave it "
				 "out.");
	if (j->added)
		dataset__note(j->d,
			      "%.80s: %zu of %zu rows have no partner in the files before it, the "
			      "first %s; %zu rows of these files have none in it.",
			      file, j->added, j->part->rows_nr, row_words(j->first_added).text,
			      left);
	else
		dataset__note(
			j->d,
			"%.80s: all %zu rows are joined by mode, size and threads; %zu rows of "
			"the files before it have no partner in it.",
			file, j->joined, left);
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
	struct joining j = {.d = d, .part = part, .name = name, .message = message};
	bool more = same_numbers(d, part), threads = any_threads(part);
	size_t before = d->rows_nr;
	int err;

	if (any_threads(d) != threads)
		return refuse(&j,
			      ": it has %s column threads, and the files before it have %s: they "
			      "cannot be joined.",
			      threads ? "a" : "no", threads ? "none" : "one");
	err = join_rows(&j);
	if (!err)
		err = say_what_did_not_join(&j, before, more);
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

static char *modes_note(const struct dataset *d)
{
	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (c->field && (!strcmp(c->field, "mode") || !strcmp(c->field, "copies")))
			return xasprintf("Modes are read from '%s': %s.", c->name, c->values);
	}
	return NULL;
}

static char *assumed_note(const struct dataset *d)
{
	const struct dataset_column *first = NULL;
	struct item_list list = {0};

	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (!c->assumed)
			continue;
		item_list__add(&list, "'%s' in %s", c->name, c->unit);
		first = first ? first : c;
	}
	if (!first)
		return NULL;
	return xasprintf(
		"No unit is stated, and so assumed: %s. Another unit: --column '%s=%s_%s'.",
		item_list__words(&list), first->name, first->field,
		strcmp(first->field, "throughput") ? "ms" : "mbps");
}

char *dataset__unread_columns(const struct dataset *d)
{
	struct item_list list = {0};

	for (size_t i = 0; i < d->columns_nr; i++) {
		const struct dataset_column *c = &d->columns[i];

		if (!c->field)
			item_list__add(&list, *c->why ? "'%s' (%s)" : "'%s'", c->name, c->why);
	}
	if (!list.nr)
		return NULL;
	return xasprintf("Columns that were not read: %s. --column NAME=FIELD reads one; report "
			 "--explain lists all.",
			 item_list__words(&list));
}

char *dataset__import_note(const struct dataset *d, size_t i)
{
	static char *(*const of_columns[])(const struct dataset *d) = {modes_note, assumed_note,
								       dataset__unread_columns};

	for (size_t k = 0; k < sizeof(of_columns) / sizeof(of_columns[0]); k++) {
		char *text = of_columns[k](d);

		if (text && !i--)
			return text;
		free(text);
	}
	return i < d->notes_nr ? xstrdup(d->notes[i]) : NULL;
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80; /* of a UTF-8 character */
}

/* One cell of a line: as many words as fit, or a part of one. *text is then the rest. */
static void put_cell(FILE *f, const char **text, size_t width, bool last)
{
	const char *at = *text, *end = NULL;
	size_t columns = 0, used = 0;

	for (; *at && (columns < width || is_continuation(*at)); at++) {
		columns += !is_continuation(*at);
		if (at[1] == ' ') {
			end = at + 1;
			used = columns;
		}
	}
	if (!*at || *at == ' ' || !end) {
		end = at;
		used = columns;
	}
	fwrite(*text, 1, (size_t)(end - *text), f);
	if (!last)
		fprintf(f, "%*s", (int)(width - used + 1), "");
	*text = end + strspn(end, " ");
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

		if (strcmp(c->file, file)) {
			fprintf(f, "%s%s\n", *file ? "\n" : "", dataset__file_name(c->file));
			put_line(f, "column", "read as", "unit", "values");
			file = c->file;
		}
		put_line(f, c->name, c->field ? c->field : "not read", c->unit,
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
