/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header and columns of a CSV file: which line is the header, what each column holds, and which
 * field it is; see csv_reader.h.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "csv_reader.h"

#define HEADER_LINES_MAX 20
#define NAMES_MAX        256 /* characters of a line that are read */

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

/* The next record: 1, 0 at the end, or -errno with a message. */
static int next_record(struct csv_reader *r)
{
	int more = csv_text__next(&r->text);

	if (more == -EBADMSG)
		return csv_reader__refuse(r, "a quoted cell never ends: is the file truncated?");
	if (more == -E2BIG)
		return csv_reader__refuse(r,
					  "more than %d cells in a line, or %d bytes in a cell: "
					  "not a file of results.",
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
		more = next_record(r);
	while (more > 0 && is_empty(&r->text) && (!r->ours || r->text.cells_nr == 1));
	return more;
}

/* Back to the record after the header. */
static void rewind_rows(struct csv_reader *r)
{
	csv_text__seek(&r->text, r->body, r->body_line);
}

const char *csv_reader__cell(const struct csv_reader *r, size_t i)
{
	return i < r->text.cells_nr ? csv_text__cell(&r->text, i) : "";
}

/*
 * Finds in "a=b,c=d" an entry with one side (left: before '=') equal to word and copies the other
 * side to other. The user wrote the list.
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

/* The length of NAME in NAME=FIELD, which may hold a '='. */
static size_t name_len(const char *option)
{
	return (size_t)(strrchr(option, '=') - option);
}

static bool is_exactly(const char *option, const char *name)
{
	return strlen(name) == name_len(option) && !strncmp(option, name, name_len(option));
}

bool csv_reader__is_named(const char *option, const char *name)
{
	char theirs[NAME_LEN];

	if (name_len(option) >= sizeof(theirs))
		return false;
	snprintf(theirs, sizeof(theirs), "%.*s", (int)name_len(option), option);
	return csv_field__same(theirs, name);
}

static bool has_exactly(const struct csv_reader *r, const char *option)
{
	for (size_t i = 0; i < r->columns_nr; i++)
		if (is_exactly(option, r->columns[i].name))
			return true;
	return false;
}

/* The field that the user says a column holds; false: none. */
static bool told_field(const struct csv_reader *r, const char *name, char field[NAME_LEN])
{
	const struct dataset_names *names = &r->d->names;

	for (size_t i = 0; i < names->column_nr; i++) {
		const char *option = names->column[i];

		if (is_exactly(option, name) ||
		    (csv_reader__is_named(option, name) && !has_exactly(r, option))) {
			snprintf(field, NAME_LEN, "%s", option + name_len(option) + 1);
			return true;
		}
	}
	return csv_reader__look_up(names->columns, false, name, field);
}

struct place {
	char separator;
	const char *pos;
	unsigned long line;
	size_t known, filled; /* names that are known, cells that hold anything */
};

/* How much the record at hand looks like a header. */
static void look_at(struct csv_reader *r, struct place *p)
{
	size_t n = r->text.cells_nr < NAMES_MAX ? r->text.cells_nr : NAMES_MAX;
	char field[NAME_LEN];
	struct csv_match m;

	p->known = p->filled = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = csv_text__cell(&r->text, i);

		p->filled += *name != '\0';
		p->known += told_field(r, name, field) || csv_field__match(name, &m);
	}
}

static bool is_better(const struct place *a, const struct place *b)
{
	if (a->known != b->known)
		return a->known > b->known;
	return !b->pos || (!a->known && a->filled > 1 && a->filled > b->filled);
}

/* The position after "#" and blanks: some headers are commented out. */
static const char *past_comment_sign(const struct csv_text *t)
{
	const char *pos = t->pos;

	while (pos < t->end && (*pos == '#' || *pos == ' '))
		pos++;
	return pos;
}

/* The best of the first lines under one separator. */
static void try_separator(struct csv_reader *r, const char *text, char separator,
			  struct place *best)
{
	struct place p = {.separator = separator, .line = 1};
	int more;

	csv_text__seek(&r->text, text, 1);
	r->text.separator = separator;
	for (int i = 0; i < HEADER_LINES_MAX && r->text.pos < r->text.end; i++) {
		const char *line = r->text.pos;
		bool comment = *line == '#';

		p.line = r->text.next_line;
		p.pos = past_comment_sign(&r->text);
		csv_text__seek(&r->text, p.pos, p.line);
		more = csv_text__next(&r->text);
		if (more == 1)
			look_at(r, &p);
		if (more == 1 && (comment ? p.known > 1 : p.filled > 0) && is_better(&p, best))
			*best = p;
		/* A title may hold a quote that never ends, and a comment anything. */
		if (more != 1 || comment) {
			csv_text__seek(&r->text, line, p.line);
			csv_text__skip_line(&r->text);
		}
	}
}

static void keep_names(struct csv_reader *r)
{
	r->columns_nr = r->text.cells_nr;
	r->columns = xcalloc(r->columns_nr, sizeof(*r->columns));
	for (size_t i = 0; i < r->columns_nr; i++) {
		r->columns[i].name = xstrdup(csv_text__cell(&r->text, i));
		r->columns[i].levels.low = r->columns[i].levels.high = (double)NAN;
		r->ours |= !strcmp(r->columns[i].name, "app_rx_bytes");
	}
}

int csv_reader__find_header(struct csv_reader *r)
{
	static const char separators[] = ",;\t";
	const char *text = r->text.pos;
	struct place best = {0};
	int more;

	for (const char *s = separators; *s; s++)
		try_separator(r, text, *s, &best);
	r->text.separator = best.pos ? best.separator : ',';
	csv_text__seek(&r->text, best.pos ? best.pos : text, best.pos ? best.line : 1);
	more = next_record(r);
	if (more < 0)
		return more;
	if (!more || !best.pos)
		return csv_reader__refuse(r, "the file is empty.");
	keep_names(r);
	r->text.comments = !r->ours;
	r->body = r->text.pos;
	r->body_line = r->text.next_line;
	r->header_line = r->text.line;
	return 0;
}

static void add_level(struct levels *l, const char *text)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->value[i], text))
			return;
	if (l->nr == LEVELS_MAX)
		l->more = true;
	else
		l->value[l->nr++] = xstrndup(text, NAME_LEN - 1);
}

static void add_cells(struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++) {
		struct levels *l = &r->columns[i].levels;
		const char *text = csv_reader__cell(r, i), *rest;
		double value = (double)NAN;

		if (csv_text__missing(text)) {
			l->unknown++;
			continue;
		}
		add_level(l, text);
		if (!csv_text__parse(text, r->comma, &value, &rest)) {
			l->low = fmin(l->low, value);
			l->high = fmax(l->high, value);
		}
	}
}

/* A file writes all its numbers alike: one unambiguous cell decides for the others. */
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

	rewind_rows(r);
	while ((more = csv_reader__next_row(r)) > 0)
		for (size_t i = 0; i < r->text.cells_nr; i++)
			seen[csv_text__comma(csv_text__cell(&r->text, i))] = true;
	err = more ? more : decide_comma(r, seen);
	rewind_rows(r);
	while (!err && (more = csv_reader__next_row(r)) > 0)
		add_cells(r);
	rewind_rows(r);
	return err ? err : more;
}

struct item_list csv_reader__values(const struct column *c)
{
	struct item_list list = {0};

	for (size_t i = 0; i < c->levels.nr; i++)
		item_list__add(&list, "%.24s", c->levels.value[i]);
	if (!c->levels.nr)
		item_list__add(&list, "nothing");
	if (c->levels.more)
		strcat(list.text, " and others");
	return list;
}

bool dataset__is_column_option(const char *option, char why[DATASET_MESSAGE_MAX])
{
	const char *equals = strrchr(option, '='), *name;
	struct csv_match m;
	char *fields;
	size_t len;
	FILE *f;

	if (!equals || equals == option || equals - option >= NAME_LEN) {
		snprintf(why, DATASET_MESSAGE_MAX, "it takes NAME=FIELD");
		return false;
	}
	if (!strcmp(equals + 1, "ignore") || csv_field__match(equals + 1, &m))
		return true;
	f = xopen_memstream(&fields, &len);
	for (size_t i = 0; (name = csv_field__name(i)); i++)
		fprintf(f, " %s,", name);
	xclose_memstream(f);
	snprintf(why, DATASET_MESSAGE_MAX, "fields are%s or ignore", fields);
	free(fields);
	return false;
}

static int classify_one(struct csv_reader *r, struct column *c)
{
	char field[NAME_LEN];

	c->told = told_field(r, c->name, field);
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
	if (csv_field__match(field, &c->as))
		return 0;
	return csv_reader__refuse(r,
				  "--columns or --column names the field '%.60s', which is not "
				  "known: fields are mode, size, threads, round, throughput, "
				  "latency, cycles and others (man netiotrace-report).",
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

/* Of two columns for one field: the one the user names, else the more specific name. */
static int settle(struct csv_reader *r, struct column *a, struct column *b)
{
	bool modes_a = csv_mode__is_column(r, a), modes_b = csv_mode__is_column(r, b), first;

	if (a->told != b->told)
		first = a->told;
	else if (a->told || csv_field__same(a->name, b->name))
		return csv_reader__refuse(r,
					  "columns '%.60s' and '%.60s' are the same number: say "
					  "--column '%.60s=ignore' or another field.",
					  a->name, b->name, b->name);
	else if (a->as.kind == COLUMN_MODE && modes_a != modes_b)
		first = modes_a;
	else
		first = a->as.rank <= b->as.rank;
	leave(first ? b : a, first ? a : b);
	return 0;
}

static int settle_all(struct csv_reader *r)
{
	int err = 0;

	for (size_t i = 0; i < r->columns_nr && !err; i++)
		for (size_t j = 0; j < i && !err; j++)
			if (same_field(&r->columns[i], &r->columns[j]))
				err = settle(r, &r->columns[j], &r->columns[i]);
	return err;
}

/* A message size is preferred to a field size. */
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

static int refuse_without(struct csv_reader *r, const char *field)
{
	const struct column *modes = strcmp(field, "mode") ? NULL : unnamed_modes(r);
	struct item_list unread = {0};

	if (modes)
		return csv_reader__refuse(r,
					  "there is no column 'mode', but '%.60s' holds %s: say "
					  "--column '%.60s=mode'.",
					  modes->name, csv_reader__values(modes).text, modes->name);
	for (size_t i = 0; i < r->columns_nr; i++)
		if (r->columns[i].as.kind == COLUMN_IGNORED && *r->columns[i].name)
			item_list__add(&unread, "%.20s", r->columns[i].name);
	return csv_reader__refuse(
		r,
		"there is no column '%s' (columns: %s): say --column NAME=%s for "
		"the one that holds it.",
		field, unread.nr ? item_list__words(&unread) : "all are other fields", field);
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
	if (!csv_reader__column(r, COLUMN_MODE))
		return refuse_without(r, "mode");
	return csv_reader__column(r, COLUMN_SIZE) || csv_reader__column(r, COLUMN_FIELD_SIZE)
		       ? 0
		       : refuse_without(r, "size");
}

static struct item_list modes_of(const struct csv_reader *r, const struct column *c)
{
	struct item_list list = {0};
	enum mode mode;

	for (size_t i = 0; i < c->levels.nr; i++)
		if (!csv_mode__parse(r, c, c->levels.value[i], &mode))
			item_list__add(&list, "%.40s = %s", c->levels.value[i], mode__words(mode));
	return list;
}

/* What a column holds, for --explain. */
static char *values_of(const struct csv_reader *r, const struct column *c)
{
	const struct levels *l = &c->levels;
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	if (c->as.kind == COLUMN_MODE)
		fputs(modes_of(r, c).text, f);
	else if (l->more && !isnan(l->low))
		fprintf(f, "%.15g to %.15g", l->low, l->high);
	else if (l->nr)
		fputs(csv_reader__values(c).text, f);
	if (l->unknown)
		fprintf(f, "%s%zu unknown", l->nr ? ", " : "", l->unknown);
	xclose_memstream(f);
	return printable__in_place(text);
}

static char *copy_name(const char *text)
{
	return printable__in_place(xstrndup(text, NAME_LEN));
}

void csv_reader__keep_columns(struct csv_reader *r)
{
	for (size_t i = 0; i < r->columns_nr; i++) {
		const struct column *c = &r->columns[i];
		bool read = c->as.kind != COLUMN_IGNORED;

		if (*c->name || c->levels.nr)
			*dataset__new_column(r->d) = (struct dataset_column){
				.file = copy_name(r->name),
				.name = copy_name(c->name),
				.field = read ? copy_name(c->as.field) : NULL,
				.unit = copy_name(read ? c->as.unit : ""),
				.values = values_of(r, c),
				.why = copy_name(c->why),
				.assumed = read && c->as.assumed,
			};
	}
}
