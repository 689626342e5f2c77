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

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "dataset.h"
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

static double first_known(double a, double b)
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
	double *v = row->value, bytes = first_known(v[METRIC_RX_BYTES], v[METRIC_TX_BYTES]);
	double by_messages =
		first_known(v[METRIC_RX_MESSAGES], v[METRIC_TX_MESSAGES]) * (double)row->size;

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

/* Names of the unread columns, separated by commas. Caller frees. */
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
	say_contradiction(d, c.rows, &c.rate, "bytes / time differs from the throughput",
			  " Throughput is read as it is given, costs per byte use the bytes.");
	say_contradiction(d, c.rows, &c.count, "the bytes differ from messages x message size", "");
	say_computed(d, c.rows, c.bytes, "The number of bytes", "messages x message size");
	say_computed(d, c.rows, c.throughput, "Throughput", "bytes / time");
	say_computed(d, c.rows, c.duration, "The time of a run", "bytes / throughput");
	if (!d->columns_nr)
		return;
	names = unread(d);
	d->lacking = *names ? xasprintf("no column is read as this number; not read: %s (--column "
					"NAME=FIELD reads one)",
					names)
			    : xstrdup("the data set has no such number");
	free(names);
}

int dataset__answerable(const struct dataset *d, char message[DATASET_MESSAGE_MAX])
{
	char *names;

	for (size_t i = 0; i < d->rows_nr; i++) {
		const double *v = d->rows[i].value;

		if (!isnan(v[METRIC_GBPS]) || !isnan(v[METRIC_L1D_MISSES]) ||
		    !isnan(v[METRIC_LLC_MISSES]) || !isnan(v[METRIC_CYCLES]))
			return 0;
	}
	if (!d->columns_nr)
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

static struct phrase row_words(const struct dataset_row *row)
{
	return phrases__cell(
		&(struct cell){.mode = row->mode, .size = row->size, .threads = row->threads});
}

static bool alike(double a, double b)
{
	return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

/* Copies numbers that `to` lacks. -EINVAL with a message: both have one, and they differ. */
static int merge(struct joining *j, struct dataset_row *to, const struct dataset_row *from)
{

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
				row_words(from).text);
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

/* Adds each row of part to its partner, or as a new row. */
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

	if (!j->joined && !as_it_is) {
		snprintf(j->message, DATASET_MESSAGE_MAX,
			 "%.100s: no row has the mode, size and threads of a row of the files "
			 "before it (it begins with %s): they are not of one experiment.",
			 j->name, row_words(j->first_added).text);
		return -EINVAL;
	}
	if (!j->added && !j->new_number) {
		snprintf(j->message, DATASET_MESSAGE_MAX,
			 "%.100s: it holds no number that the files before it lack: leave it out.",
			 j->name);
		return -EINVAL;
	}
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

/* The text that put() writes; NULL: nothing. */
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
