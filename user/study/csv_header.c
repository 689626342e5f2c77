/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the header of a CSV file is, and which separator the file has: the line, of the first few,
 * in which the most names are known. Titles and comments may stand before it; see csv_reader.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"

#define HEADER_LINES_MAX 20
#define NAMES_MAX        256 /* of a line, that are looked at */

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
		p->known += csv_reader__told(r, name, field) || csv_field__match(name, &m);
	}
}

static bool is_better(const struct place *a, const struct place *b)
{
	if (a->known != b->known)
		return a->known > b->known;
	return !b->pos || (!a->known && a->filled > 1 && a->filled > b->filled);
}

/* The place behind "#" and blanks: some headers are commented out. */
static const char *past_comment_sign(const struct csv_text *t)
{
	const char *pos = t->pos;

	while (pos < t->end && (*pos == '#' || *pos == ' '))
		pos++;
	return pos;
}

/* The best of the first lines under one separator. 0, or -ENOMEM. */
static int try_separator(struct csv_reader *r, const char *text, char separator, struct place *best)
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
		if (more == -ENOMEM)
			return more;
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
	return 0;
}

static int keep_names(struct csv_reader *r)
{
	r->columns = calloc(r->text.cells_nr ? r->text.cells_nr : 1, sizeof(*r->columns));
	if (!r->columns)
		return -ENOMEM;
	r->columns_nr = r->text.cells_nr;
	for (size_t i = 0; i < r->columns_nr; i++) {
		r->columns[i].name = strdup(csv_text__cell(&r->text, i));
		if (!r->columns[i].name)
			return -ENOMEM;
		r->ours |= !strcmp(r->columns[i].name, "app_rx_bytes");
	}
	return 0;
}

int csv_reader__find_header(struct csv_reader *r)
{
	static const char separators[] = ",;\t";
	const char *text = r->text.pos;
	struct place best = {0};
	int more, err = 0;

	for (const char *s = separators; *s && !err; s++)
		err = try_separator(r, text, *s, &best);
	if (err)
		return err;
	r->text.separator = best.pos ? best.separator : ',';
	csv_text__seek(&r->text, best.pos ? best.pos : text, best.pos ? best.line : 1);
	more = csv_reader__next(r);
	if (more < 0)
		return more;
	if (!more || !best.pos)
		return csv_reader__refuse(r, "the file is empty.");
	err = keep_names(r);
	r->text.comments = !r->ours;
	r->body = r->text.pos;
	r->body_line = r->text.next_line;
	r->header_line = r->text.line;
	return err;
}
