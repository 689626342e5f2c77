/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the tables of a page of docs/reference with the rows that a document is written from
 * (write/field.h): each row is described with its unit, and no other is. Run from the root of the
 * source tree.
 */
#ifndef SUPPORT_DESCRIBED_H
#define SUPPORT_DESCRIBED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"

struct described {
	char path[128], unit[64];
	bool written;
};

struct description {
	const char *page;
	struct described row[512];
	size_t nr;
};

/* docs/reference/PAGE.md, in a buffer that the next call overwrites. */
static inline char *read_reference(const char *page)
{
	static char text[1 << 18];
	char path[64];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "docs/reference/%s.md", page);
	f = fopen(path, "r");
	if (!f) {
		fail_msg("%s: %s: run this test from the root of the source tree", path,
			 strerror(errno));
		return NULL;
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static inline struct described *described__find(struct description *d, const char *path)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(d->row[i].path, path))
			return &d->row[i];
	return NULL;
}

/* The rows "| `path` | unit |" of a page. */
static inline void description__read(struct description *d, const char *page)
{
	char *p = read_reference(page);

	d->page = page;
	d->nr = 0;
	while ((p = strstr(p, "\n| `"))) {
		struct described row = {0};

		p++;
		assert_int_equal(sscanf(p, "| `%127[^`]` | %63[^|\n]", row.path, row.unit) >= 1, 1);
		row.unit[strcspn(row.unit, "|")] = '\0';
		while (row.unit[0] && row.unit[strlen(row.unit) - 1] == ' ')
			row.unit[strlen(row.unit) - 1] = '\0';
		if (described__find(d, row.path))
			fail_msg("%s.md describes %s twice", page, row.path);
		assert_true(d->nr < 512);
		d->row[d->nr++] = row;
	}
}

/* Marks the described object or list that contains the path as written. */
static inline bool description__has_around(struct description *d, const char *path)
{
	char around[256];
	bool found = false;

	snprintf(around, sizeof(around), "%s", path);
	while (strrchr(around, '.')) {
		struct described *row;
		size_t len;

		*strrchr(around, '.') = '\0';
		row = described__find(d, around);
		if (row)
			row->written = found = true;
		len = strlen(around);
		if (len > 2 && !strcmp(around + len - 2, "[]")) {
			around[len - 2] = '\0';
			row = described__find(d, around);
			if (row && !strcmp(row->unit, "list"))
				row->written = true;
			strcpy(around + len - 2, "[]");
		}
	}
	return found;
}

/* The row of that path, or of "path[]", if its unit is the same. */
static inline bool description__has(struct description *d, const char *path, const char *unit)
{
	char list[300];
	struct described *row = described__find(d, path);

	snprintf(list, sizeof(list), "%s[]", path);
	if (!row)
		row = described__find(d, list);
	if (!row)
		return false;
	row->written = true;
	if (unit[0] && strcmp(row->unit, unit) != 0)
		fail_msg("%s.md: the unit of %s is '%s', but it is written as '%s'", d->page, path,
			 row->unit, unit);
	return true;
}

static inline void description__check_all_written(const struct description *d)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!d->row[i].written)
			fail_msg("%s.md describes %s, which is never written", d->page,
				 d->row[i].path);
}

/* Calls take() with the path and unit of each value of the rows; reason members are left out. */
static inline void fields__walk(const struct field *rows, const char *prefix,
				void (*take)(struct description *d, const char *path,
					     const char *unit),
				struct description *d)
{
	char path[256];

	for (; rows->key || rows->unit || rows->fields; rows++) {
		const char *key = rows->key ? rows->key : rows->stands;

		if (rows->is_reason && json_key__is_reason(key) && strcmp(key, "reason") != 0)
			continue;
		snprintf(path, sizeof(path), "%s%s%s%s", prefix, prefix[0] ? "." : "", key,
			 rows->is_list ? "[]" : "");
		if (rows->key && rows->stands)
			snprintf(path + strlen(path), sizeof(path) - strlen(path), ".%s",
				 rows->stands);
		if (rows->fields)
			fields__walk(rows->fields, path, take, d);
		else
			take(d, path, rows->unit);
	}
}

#endif
