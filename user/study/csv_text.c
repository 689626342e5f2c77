/* SPDX-License-Identifier: GPL-2.0-only */
/* Records and cells of a CSV text; see csv_text.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv_text.h"

void csv_text__init(struct csv_text *t, const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";

	*t = (struct csv_text){
		.pos = text, .end = text + len, .separator = ',', .line = 1, .next_line = 1};
	if (len >= 3 && !memcmp(text, mark, 3))
		t->pos += 3;
}

static int grow(void **memory, size_t *room, size_t nr, size_t size)
{
	size_t more = *room ? *room * 2 : 256;
	void *p;

	if (nr < *room)
		return 0;
	p = reallocarray(*memory, more, size);
	if (!p)
		return -ENOMEM;
	*memory = p;
	*room = more;
	return 0;
}

static int put(struct csv_text *t, char c)
{
	int err;

	if (t->text_len - t->cell[t->cells_nr - 1] >= CSV_CELL_MAX)
		return -E2BIG;
	err = grow((void **)&t->text, &t->text_room, t->text_len, 1);
	if (!err)
		t->text[t->text_len++] = c;
	return err;
}

static int begin_cell(struct csv_text *t)
{
	int err;

	if (t->cells_nr == CSV_CELLS_MAX)
		return -E2BIG;
	err = grow((void **)&t->cell, &t->cells_room, t->cells_nr, sizeof(*t->cell));
	if (!err)
		t->cell[t->cells_nr++] = t->text_len;
	return err;
}

const char *csv_text__cell(const struct csv_text *t, size_t i)
{
	return t->text + t->cell[i];
}

/* The rest of a quoted cell, past its closing quote. */
static int read_quoted(struct csv_text *t)
{
	int err = 0;

	while (t->pos < t->end && !err) {
		if (*t->pos == '"') {
			if (t->pos + 1 == t->end || t->pos[1] != '"') {
				t->pos++;
				return 0;
			}
			t->pos++;
		}
		if (*t->pos == '\n')
			t->next_line++;
		err = put(t, *t->pos++);
	}
	return err ? err : -EBADMSG;
}

static int read_cell(struct csv_text *t)
{
	int err = begin_cell(t);

	if (!err && t->pos < t->end && *t->pos == '"') {
		t->pos++;
		err = read_quoted(t);
	}
	while (!err && t->pos < t->end && *t->pos != t->separator && *t->pos != '\n' &&
	       *t->pos != '\r')
		err = put(t, *t->pos++);
	return err ? err : put(t, '\0');
}

void csv_text__seek(struct csv_text *t, const char *pos, unsigned long line)
{
	t->pos = pos;
	t->next_line = line;
}

void csv_text__skip_line(struct csv_text *t)
{
	const char *end = memchr(t->pos, '\n', (size_t)(t->end - t->pos));

	csv_text__seek(t, end ? end + 1 : t->end, t->next_line + 1);
}

int csv_text__next(struct csv_text *t)
{
	int err;

	while (t->comments && t->pos < t->end && *t->pos == '#')
		csv_text__skip_line(t);
	t->text_len = 0;
	t->cells_nr = 0;
	t->line = t->next_line;
	if (t->pos == t->end)
		return 0;
	for (;;) {
		err = read_cell(t);
		if (err)
			return err;
		if (t->pos == t->end || *t->pos != t->separator)
			break;
		t->pos++;
	}
	if (t->pos < t->end && *t->pos == '\r')
		t->pos++;
	if (t->pos < t->end && *t->pos == '\n')
		t->pos++;
	t->next_line++;
	return 1;
}

void csv_text__clear(struct csv_text *t)
{
	free(t->text);
	free(t->cell);
}
