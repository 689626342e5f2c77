/* SPDX-License-Identifier: GPL-2.0-only */
/* The details of a run, printed from the tables of its document's fields; see details.h. */
#include "details.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/mode.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "screen/text_cells.h"
#include "write/json.h"

#define WIDTH_MIN  60
#define NAME_WIDTH 26
#define CELL_WIDTH 15 /* longer values are printed below each other */

struct details {
	FILE *f;
	unsigned int width;
	size_t nr;                 /* of columns */
	const char *head[MODE_NR]; /* NULL: there is one column */
	json_t *reasons;           /* by reason: an object of the fields that have it */
	const char *section;       /* path of an object whose heading is not printed yet, or NULL */
};

/* Values that the details leave out: unknown ones have their reasons below, histograms are long. */
static bool is_left_out(const json_t *v)
{
	return !v || json_is_null(v) || json_is_false(v) ||
	       (json_is_number(v) && json_number_value(v) == 0) ||
	       (json_is_string(v) && !*json_string_value(v)) ||
	       (json_is_array(v) && (!json_array_size(v) || json_is_array(json_array_get(v, 0))));
}

static bool all_left_out(const struct details *d, json_t *const values[])
{
	for (size_t i = 0; i < d->nr; i++)
		if (!is_left_out(values[i]))
			return false;
	return true;
}

static char *text_of(const json_t *v)
{
	char count[UNITS_BUF];

	if (!v || json_is_null(v))
		return xstrdup("n/a");
	if (json_is_string(v))
		return printable__in_place(
			xstrdup(*json_string_value(v) ? json_string_value(v) : "-"));
	if (json_is_integer(v) && json_integer_value(v) >= 0)
		return xstrdup(format_count(count, sizeof(count), (uint64_t)json_integer_value(v)));
	return json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT |
				     JSON_REAL_PRECISION(6));
}

static void print_cells(const struct details *d, const char *name, char *const cells[])
{
	fprintf(d->f, "  %-*s", NAME_WIDTH, name);
	for (size_t i = 0; i < d->nr; i++)
		fprintf(d->f, "  %*s", CELL_WIDTH, cells[i]);
	fputc('\n', d->f);
}

static void print_note(const struct details *d, const char *name, char *const cells[])
{
	struct text_note note;

	text_note__begin(&note);
	fprintf(note.f, "%s:", name);
	for (size_t i = 0; i < d->nr; i++)
		fprintf(note.f, "%s%s%s %s", i ? "; " : " ", d->head[i] ? d->head[i] : "",
			d->head[i] ? ":" : "", cells[i]);
	text_note__end(&note, d->f, d->width, "");
}

static void print_row(struct details *d, const char *key, const char *unit, json_t *const values[])
{
	char *cells[MODE_NR], name[96];
	bool fits = true;

	if (all_left_out(d, values))
		return;
	if (d->section && *d->section)
		fprintf(d->f, "\n%s\n", d->section);
	d->section = NULL;
	for (size_t i = 0; i < d->nr; i++) {
		cells[i] = text_of(values[i]);
		fits &= strlen(cells[i]) <= CELL_WIDTH;
	}
	snprintf(name, sizeof(name), unit && *unit && strcmp(unit, "text") ? "%s (%s)" : "%s", key,
		 unit);
	(fits ? print_cells : print_note)(d, name, cells);
	for (size_t i = 0; i < d->nr; i++)
		free(cells[i]);
}

/* "a.b_reason" is about a.b, and "a.reason" about a. */
static void note_reason(struct details *d, const char *path, const char *key, const char *reason)
{
	json_t *fields = json_object_get(d->reasons, reason);
	size_t len = strlen(key) - strlen("reason");
	char *field = xasprintf("%s%s%.*s", path, len ? "." : "", len ? (int)len - 1 : 0, key);

	if (!fields) {
		fields = json_object();
		json_object_set_new(d->reasons, reason, fields);
	}
	json_object_set_new(fields, field, json_null());
	free(field);
}

/* The first one of any mode: all have the same fields. NULL: there is none. */
static json_t *first_of(const struct details *d, json_t *const values[])
{
	json_t *first = NULL;

	for (size_t i = 0; i < d->nr && !first; i++)
		first = values[i];
	return first;
}

/* Bounds of a value that is 0 or unknown are left out with it. */
static bool has_no_value(const struct details *d, json_t *const objects[])
{
	json_t *values[MODE_NR];

	for (size_t i = 0; i < d->nr; i++)
		values[i] = json_object_get(objects[i], "value");
	return first_of(d, values) && all_left_out(d, values);
}

static bool is_list_of_objects(const struct details *d, json_t *const values[])
{
	bool any = false;

	for (size_t i = 0; i < d->nr; i++)
		any |= json_is_object(json_array_get(values[i], 0));
	return any;
}

static void print_object(struct details *d, const char *path, const struct field *fields,
			 json_t *const objects[]);

static void print_list(struct details *d, const char *path, const struct field *fields,
		       json_t *const lists[])
{
	json_t *objects[MODE_NR];

	for (size_t at = 0;; at++) {
		char *below = xasprintf("%s[%zu]", path, at);

		for (size_t i = 0; i < d->nr; i++)
			objects[i] = json_array_get(lists[i], at);
		if (first_of(d, objects))
			print_object(d, below, fields, objects);
		free(below);
		if (!first_of(d, objects))
			return;
	}
}

static bool is_nested(const struct details *d, json_t *const values[])
{
	return json_is_object(first_of(d, values)) || is_list_of_objects(d, values);
}

static void print_nested(struct details *d, const char *path, const struct field *field,
			 json_t *const values[])
{
	struct field family[2];

	(json_is_object(first_of(d, values)) ? print_object : print_list)(
		d, path, field__below(field, family), values);
}

static void print_member(struct details *d, const char *path, const struct field *field,
			 const char *key, json_t *const values[])
{
	char *below = xasprintf("%s%s%s", path, *path ? "." : "", key);

	if (is_nested(d, values))
		print_nested(d, below, field, values);
	else
		print_row(d, key, field ? field->unit : NULL, values);
	free(below);
}

/* Values before objects, so that each heading is followed by its own values. */
static void print_object(struct details *d, const char *path, const struct field *fields,
			 json_t *const objects[])
{
	json_t *first = first_of(d, objects), *value;
	const char *key;

	d->section = path;
	for (size_t i = 0; i < d->nr; i++)
		json_object_foreach(objects[i], key, value)
			if (json_key__is_reason(key) && json_is_string(value))
				note_reason(d, path, key, json_string_value(value));
	for (int nested = 0; nested < 2 && !has_no_value(d, objects); nested++) {
		json_object_foreach(first, key, value) {
			json_t *values[MODE_NR];

			for (size_t i = 0; i < d->nr; i++)
				values[i] = json_object_get(objects[i], key);
			if (is_nested(d, values) == nested && !json_key__is_reason(key))
				print_member(d, path, field__of(fields, key), key, values);
		}
	}
}

static size_t parent_length(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? (size_t)(dot - path) : 0;
}

/* "a.b.c, .d": fields of one object have its path once. */
static void print_fields(FILE *f, json_t *fields)
{
	const char *field, *last = "";
	json_t *null;

	json_object_foreach(fields, field, null) {
		size_t parent = parent_length(field);
		bool again =
			parent && parent == parent_length(last) && !memcmp(field, last, parent);

		fprintf(f, "%s%s", *last ? ", " : "", field + (again ? parent : 0));
		last = field;
	}
}

static void print_reasons(const struct details *d)
{
	const char *reason;
	json_t *fields;

	fputs("\nreasons\n", d->f);
	json_object_foreach(d->reasons, reason, fields) {
		struct text_note note;

		text_note__begin(&note);
		fprintf(note.f, "%s: ", reason);
		print_fields(note.f, fields);
		text_note__end(&note, d->f, d->width, "");
	}
}

static void print_modes(struct details *d, const struct result *r, json_t *summary)
{
	json_t *modes[MODE_NR], *totals[MODE_NR];

	d->nr = json_array_size(summary);
	for (size_t i = 0; i < d->nr; i++) {
		modes[i] = json_array_get(summary, i);
		totals[i] = json_incref(json_object_get(modes[i], "total"));
		json_object_del(modes[i], "total");
		d->head[i] = mode__words(r->summary[i].mode);
	}
	fputc('\n', d->f);
	print_cells(d, "", (char *const *)d->head);
	print_object(d, "", summary_fields, modes);
	print_object(d, "total", run_fields, totals);
	for (size_t i = 0; i < d->nr; i++)
		json_decref(totals[i]);
}

void details__print(const struct result *r, FILE *f, unsigned int columns)
{
	static const char *const in_the_document[] = {"plan", "runs", "summary"};
	struct details d = {.f = f,
			    .nr = 1,
			    .width = columns < WIDTH_MIN ? WIDTH_MIN : columns,
			    .reasons = json_object()};
	json_t *document = json_document__result(r);
	json_t *summary = json_incref(json_object_get(document, "summary"));

	for (size_t i = 0; i < sizeof(in_the_document) / sizeof(in_the_document[0]); i++)
		json_object_del(document, in_the_document[i]);
	fputs("Fields of docs/reference/run.md; those that are 0, false or empty are left out.\n",
	      f);
	print_object(&d, "", result_fields, &document);
	if (json_array_size(summary))
		print_modes(&d, r, summary);
	print_reasons(&d);
	json_decref(summary);
	json_decref(document);
	json_decref(d.reasons);
}
