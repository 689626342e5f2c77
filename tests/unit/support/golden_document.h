/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON documents as golden files: a row per object, "PATH: key=value key=value", with the members
 * that are no objects. Include after support/golden.c.
 *
 * One document of a kind is stored whole. Every other one is stored as its differences from that
 * one: changed and new members with their values, missing members as "-key", lists of another
 * length as "key[]=LENGTH".
 */
#ifndef SUPPORT_GOLDEN_DOCUMENT_H
#define SUPPORT_GOLDEN_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>

#define GOLDEN_ROW_WIDTH 100

struct golden_row {
	FILE *f;
	const char *path;
	size_t column; /* 0: the row is empty */
};

/* Adds "key=value", or "-key" if value is NULL. Breaks long rows. */
static inline void golden_row__put(struct golden_row *row, const char *key, const json_t *value)
{
	const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);
	char *text = value ? json_dumps(value, flags) : NULL;
	size_t len = strlen(key) + (text ? strlen(text) : 0) + 2;

	if (!row->column)
		row->column = (size_t)fprintf(row->f, "%s:", *row->path ? row->path : "document");
	if (row->column + len > GOLDEN_ROW_WIDTH)
		row->column = (size_t)fprintf(row->f, "\n   ") - 1;
	if (text)
		fprintf(row->f, " %s=%s", key, text);
	else
		fprintf(row->f, " -%s", key);
	row->column += len;
	free(text);
}

static inline void golden_document__put(FILE *f, const char *path, json_t *object, json_t *base);

/* Objects, and objects in lists, have rows of their own. */
static inline bool golden_document__has_rows(const json_t *value)
{
	return json_object_size(value) || json_is_object(json_array_get(value, 0));
}

static inline void golden_document__put_parts(FILE *f, const char *path, json_t *value,
					      json_t *base)
{
	char element[256];

	if (json_is_object(value))
		golden_document__put(f, path, value, base);
	for (size_t i = 0; i < json_array_size(value); i++) {
		assert_true(strlen(path) < sizeof(element) - 24);
		snprintf(element, sizeof(element), "%.220s[%zu]", path, i);
		golden_document__put(f, element, json_array_get(value, i), json_array_get(base, i));
	}
}

/* Writes what base does not have or has otherwise; base NULL: everything. */
static inline void golden_document__put(FILE *f, const char *path, json_t *object, json_t *base)
{
	struct golden_row row = {.f = f, .path = path};
	const char *key;
	json_t *value;
	char name[256];

	json_object_foreach(object, key, value) {
		json_t *old = json_object_get(base, key);

		if (!golden_document__has_rows(value) && !(old && json_equal(value, old)))
			golden_row__put(&row, key, value);
		if (!golden_document__has_rows(value) || !json_is_array(value) ||
		    json_array_size(value) == json_array_size(old))
			continue;
		snprintf(name, sizeof(name), "%s[]", key);
		value = json_integer((json_int_t)json_array_size(value));
		golden_row__put(&row, name, value);
		json_decref(value);
	}
	json_object_foreach(base, key, value)
		if (!json_object_get(object, key))
			golden_row__put(&row, key, NULL);
	fputs(row.column ? "\n" : "", f);
	json_object_foreach(object, key, value) {
		snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
		if (golden_document__has_rows(value))
			golden_document__put_parts(f, name, value, json_object_get(base, key));
	}
}

/* Fails the running test if document, less what base has too, differs from golden/NAME.txt. */
static inline void golden_document__check(const char *name, json_t *document, json_t *base)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	golden_document__put(f, "", document, base);
	fclose(f);
	golden__check(name, text);
	free(text);
}

#endif
