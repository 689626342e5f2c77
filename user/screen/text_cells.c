/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of the tables of text_cells.h. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "text_cells.h"

#define GAP      2
#define LINE_LEN (TEXT_COLUMNS_MAX * (TEXT_CELL_MAX + GAP))

void text_cells__begin(struct text_cells *t, unsigned int heads, size_t rows)
{
	memset(t, 0, sizeof(*t));
	t->heads = heads;
	t->rows = heads + (unsigned int)rows;
	t->cell = xcalloc(t->rows, sizeof(*t->cell));
}

void text_cells__clear(struct text_cells *t)
{
	free(t->cell);
	memset(t, 0, sizeof(*t));
}

unsigned int text_cells__add(struct text_cells *t, const char *head, bool left, text_cell_fn fn,
			     const void *of, int what)
{
	unsigned int column = t->columns++;

	snprintf(t->cell[0][column], TEXT_CELL_MAX, "%s", head);
	t->left[column] = left;
	for (unsigned int row = t->heads; row < t->rows; row++)
		fn(t->cell[row][column], of, row - t->heads, what);
	return column;
}

static unsigned int column_width(const struct text_cells *t, unsigned int column)
{
	size_t most = 0;

	for (unsigned int row = 0; row < t->rows; row++) {
		size_t len = strlen(t->cell[row][column]);

		most = len > most ? len : most;
	}
	return (unsigned int)most;
}

static unsigned int table_width(const struct text_cells *t)
{
	unsigned int width = 0;

	for (unsigned int c = 0; c < t->columns; c++)
		width += column_width(t, c) + (c ? GAP : 0);
	return width;
}

/* The labels, and columns first..end - 1. The line does not end in blanks. */
static void print_row(FILE *f, const struct text_cells *t, unsigned int row, unsigned int gap,
		      unsigned int first, unsigned int end)
{
	char line[LINE_LEN + 1];
	int used = 0;

	for (unsigned int c = 0; c < end; c = c ? c + 1 : first) {
		int width = (int)column_width(t, c);

		used += snprintf(line + used, sizeof(line) - (size_t)used, "%*s%*s",
				 c ? (int)gap : 0, "", t->left[c] ? -width : width,
				 t->cell[row][c]);
	}
	while (used && line[used - 1] == ' ')
		used--;
	fprintf(f, "%.*s\n", used, line);
}

void text_cells__print(FILE *f, struct text_cells *t, unsigned int width)
{
	unsigned int gap = table_width(t) > width ? GAP - 1 : GAP;
	unsigned int first = 1, end;

	do {
		unsigned int used = column_width(t, 0);

		for (end = first; end < t->columns; end++) {
			used += gap + column_width(t, end);
			if (used > width && end > first)
				break;
		}
		if (first > 1)
			fputc('\n', f);
		for (unsigned int row = 0; row < t->rows; row++)
			print_row(f, t, row, gap, first, end);
		first = end;
	} while (first < t->columns);
	text_cells__clear(t);
}

static void leave_out(struct text_fit *fit, int cell, int wanted, enum text_content most,
		      const struct text_column *columns, size_t n)
{
	for (unsigned int order = 1; order <= n; order++) {
		for (size_t i = 0; i < n && fit->name < wanted; i++) {
			if (columns[i].order != order || fit->left_out & 1u << i ||
			    columns[i].content > most)
				continue;
			fit->left_out |= 1u << i;
			fit->name += cell;
		}
	}
}

struct text_fit text_fit__of(int width, int cell, int longest, int name_min,
			     const struct text_column *columns, size_t n)
{
	struct text_fit fit = {.name = width - (int)n * cell};

	leave_out(&fit, cell, longest, TEXT_ZERO, columns, n);
	for (enum text_content most = TEXT_UNKNOWN; most <= TEXT_FIGURES; most++)
		leave_out(&fit, cell, longest < name_min ? longest : name_min, most, columns, n);
	if (fit.name > longest)
		fit.name = longest;
	return fit;
}

/* Is this byte the second or a later one of a character? */
static bool is_inside(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* How much of the beginning stays: a connection's own end, if the remote port fits beside it. */
static int head_of(const char *name, int room)
{
	const char *arrow = strchr(name, '>'), *port = strrchr(name, ':');
	int own = arrow ? (int)(arrow - name) + 1 : 0;

	return own && port && own + (int)strlen(port) <= room ? own : room / 2;
}

const char *text_fit__shorten(char *buf, size_t size, const char *name, int width)
{
	int len = (int)strlen(name), room = width - 1, head = head_of(name, room);
	int tail = len - (room - head);

	if (len <= width)
		return name;
	while (head && is_inside(name[head]))
		head--;
	while (is_inside(name[tail]))
		tail++;
	snprintf(buf, size, "%.*s~%s", head, name, name + tail);
	return buf;
}

#define MARGIN     11
#define MARGIN_FIT 9
#define TEXT_MIN   20 /* columns of the text, however few there are */

/* Where the lines of a text go. */
struct note_position {
	const char *label;
	unsigned int margin, width, lines;
};

void text_note__begin(struct text_note *n)
{
	*n = (struct text_note){.text = NULL};
	n->f = xopen_memstream(&n->text, &n->len);
}

void text_note__next(struct text_note *n)
{
	fputc('\0', n->f);
}

/* Prints the lines of a text that have a place, unless f is NULL. Returns how many it has. */
static unsigned int print(FILE *f, const char *text, const struct note_position *p)
{
	unsigned int lines = 0;
	const char *line;
	size_t len;

	while ((len = wrap__next(&text, p->width, &line))) {
		bool cut = ++lines == p->lines && *text;

		if (!f || lines > p->lines)
			continue;
		if (cut && len > p->width - 4)
			len = p->width - 4;
		fprintf(f, "%-*s%.*s%s\n", (int)p->margin, lines == 1 && p->margin ? p->label : "",
			(int)len, line, cut ? " ..." : "");
	}
	return lines;
}

void text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label)
{
	struct note_position p = {label, MARGIN,
				  width > MARGIN + TEXT_MIN ? width - MARGIN : TEXT_MIN, UINT_MAX};

	xclose_memstream(n->f);
	/* Drops the blank after the last sentence. */
	while (n->len && n->text[n->len - 1] == ' ')
		n->text[--n->len] = '\0';
	print(out, printable__lines(n->text), &p);
	free(n->text);
}

/* The first most sentences as one text. *used: how many there were. The caller frees it. */
static char *join(const struct text_note *n, const struct text_note_form *form, size_t most,
		  size_t *used)
{
	const char *sentence = n->text, *last = n->text + n->len, *end = form->end;
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	*used = 0;
	for (; sentence < last; sentence += strlen(sentence) + 1) {
		sentence += strspn(sentence, " ");
		if (!*sentence)
			continue;
		if (*used == most) {
			end = form->cut ? form->cut : form->end;
			break;
		}
		fprintf(f, "%s%s", *used ? form->separator : "", sentence);
		++*used;
	}
	fputs(end ? end : "", f);
	xclose_memstream(f);
	return text;
}

unsigned int text_note__fit(struct text_note *n, FILE *out, const struct text_note_form *form)
{
	unsigned int margin = form->label ? MARGIN_FIT : 0, lines;
	struct note_position p = {form->label, margin, form->columns - margin, form->lines};
	size_t used;
	char *text;

	xclose_memstream(n->f);
	text = join(n, form, SIZE_MAX, &used);
	while (used > 1 && print(NULL, text, &p) > p.lines) {
		free(text);
		text = join(n, form, used - 1, &used);
	}
	lines = used ? print(out, text, &p) : 0;
	free(text);
	free(n->text);
	return lines < p.lines ? lines : p.lines;
}

void text_item__print(FILE *f, unsigned int width, size_t *used, const char *item)
{
	size_t len = strlen(item);

	if (*used && *used + 3 + len > width) {
		fputc('\n', f);
		*used = 0;
	}
	fprintf(f, "%s%s", *used ? "   " : "", item);
	*used += len + (*used ? 3 : 0);
}
