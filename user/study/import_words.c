/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences and the table on columns of CSV files; see import_words.h. */
#include <stdlib.h>
#include <string.h>

#include "import_words.h"

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

/* What put() writes; NULL: nothing, or memory is short. */
static char *text_of(void (*put)(FILE *f, const struct dataset *d), const struct dataset *d)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	put(f, d);
	if (!fclose(f) && len)
		return text;
	free(text);
	return NULL;
}

char *import_words__unread(const struct dataset *d)
{
	return text_of(put_unread, d);
}

char *import_words__sentence(const struct dataset *d, size_t i)
{
	static void (*const of_columns[])(FILE * f, const struct dataset *d) = {
		put_modes, put_assumed, put_unread};

	for (size_t k = 0; k < sizeof(of_columns) / sizeof(of_columns[0]); k++) {
		char *text = text_of(of_columns[k], d);

		if (text && !i--)
			return text;
		free(text);
	}
	return i < d->notes_nr ? strdup(d->notes[i]) : NULL;
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

void import_words__table(const struct dataset *d, FILE *f)
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
	for (size_t i = 0; (text = import_words__sentence(d, i)); i++) {
		const char *rest = text;

		while (*rest) {
			put_cell(f, &rest, 80, true);
			fputc('\n', f);
		}
		free(text);
	}
}
