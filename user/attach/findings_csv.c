/* SPDX-License-Identifier: GPL-2.0-only */
/* A row for each process, connection, port or cgroup of the document of attach: its scalar fields.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "write/csv_cell.h"
#include "write/json.h"

#define COLUMN_MAX 128

/* A walk over a block's fields, in their order, as columns or as cells. */
struct rows {
	FILE *f;
	bool header;
	bool first;
	int err;
};

static void put_cell(struct rows *rows, const char *name, const json_t *value)
{
	char *text = NULL;

	if (!rows->first)
		fputc(',', rows->f);
	rows->first = false;
	if (rows->header) {
		csv_cell__put(rows->f, name);
		return;
	}
	if (json_is_string(value)) {
		csv_cell__put(rows->f, json_string_value(value));
		return;
	}
	if (json_is_null(value))
		return;
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	if (text)
		fputs(text, rows->f);
	else
		rows->err = -ENOMEM;
	free(text);
}

/* Fields that come and go (reasons) and lists are no columns. */
static void put_fields(struct rows *rows, const char *prefix, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		char name[COLUMN_MAX];

		snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] ? "." : "", key);
		if (json_is_object(value))
			put_fields(rows, name, value);
		else if (!json_is_array(value) && !json_key__is_reason(key))
			put_cell(rows, name, value);
	}
}

static void put_row(struct rows *rows, json_t *block, bool header)
{
	rows->header = header;
	rows->first = true;
	put_fields(rows, "", block);
	fputs("\r\n", rows->f);
}

int findings__write_csv(FILE *f, const struct findings *r, const json_t *document)
{
	static const char *const lists[BY_NR] = {"processes", "connections", "ports", "cgroups"};
	const char *list = lists[r->o->by];
	struct rows rows = {.f = f};
	json_t *block;
	size_t i;

	json_array_foreach(json_object_get(document, list), i, block) {
		if (!i)
			put_row(&rows, block, true);
		put_row(&rows, block, false);
	}
	return rows.err ? rows.err : ferror(f) ? -EIO : 0;
}
