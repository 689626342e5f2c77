/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the live view: rows, totals, verdict, help; see top_view.h. Pure. */
#include <stdio.h>
#include <string.h>

#include "top_view.h"

#define NAME_MIN 22
#define CELL     9 /* with the space before it */
#define HEAD_ROW 2
#define BESIDE   5 /* title, status, heads, total, keys */
#define ROOMY    30

static const char keys[] = "q quit  Enter open  / filter  p pause  ? help  b by  s sort  r restart";

static const char *const help_of_keys[][2] = {
	{"b", "a row per process, connection, port or cgroup"},
	{"s", "largest first: copied, bytes, sent, received, zero-copy sends"},
	{"up down", "select a row; also j, k, page up and down, home and end"},
	{"Enter", "open the selected row by itself; Enter or Escape closes it"},
	{"/", "show only rows whose name contains a text; Escape shows all"},
	{"p, space", "pause the picture and go on; counting never stops"},
	{"r", "start anew: forget what was counted, and watch every call again"},
	{"q, Ctrl-C", "end, and print the result"},
	{NULL, NULL},
};

bool table_view__matches(const struct top_view *v, const char *name)
{
	return strcasestr(name, v->filter) != NULL;
}

static void choose_rows(struct top_view *v)
{
	v->shown_nr = 0;
	for (size_t i = 0; i < v->now.nr; i++)
		if (table_view__matches(v, v->now.list[i].item.name))
			v->shown[v->shown_nr++] = &v->now.list[i];
}

/* Follows the selected row to its place in this frame. */
static void select_row(struct top_view *v)
{
	size_t nr = v->shown_nr, at = v->move ? v->move - 1 : nr;

	v->moved |= v->move != 0;
	v->move = 0;
	/* Until the user chooses a row, the first one is selected, whichever it is. */
	if (!v->moved)
		at = 0;
	for (size_t i = 0; i < nr && at == nr; i++)
		if (v->shown[i]->item.row.id == v->selected && v->selected)
			at = i;
	if (at >= nr)
		at = v->at < nr ? v->at : nr ? nr - 1 : 0;
	v->at = at;
	v->selected = nr ? v->shown[at]->item.row.id : 0;
	if (v->first > at)
		v->first = at;
	if (at >= v->first + v->page)
		v->first = at + 1 - v->page;
	if (v->first + v->page > nr)
		v->first = nr > v->page ? nr - v->page : 0;
}

struct layout {
	struct text_fit fit;
	const struct table_frame *f;
	bool utf8;
};

static struct layout layout_of(const struct grid *g, const struct top_view *v,
			       const struct table_frame *f, bool utf8)
{
	size_t longest = strlen(f->by) > NAME_MIN ? strlen(f->by) : NAME_MIN;

	for (size_t i = 0; i < v->shown_nr; i++)
		if (strlen(v->shown[i]->item.name) > longest)
			longest = strlen(v->shown[i]->item.name);
	return (struct layout){
		.fit = text_fit__of(g->cols, CELL, (int)longest, NAME_MIN, f->columns, COLUMN_NR),
		.f = f,
		.utf8 = utf8,
	};
}

static void draw_row(struct grid *g, int row, const struct layout *l, const char *name,
		     const struct top_row *r, unsigned int attr)
{
	char brief[ROW_NAME_LEN], cell[TABLE_CELL_LEN];
	int col = l->fit.name;

	grid__put(g, row, 0, col, attr, text_fit__shorten(brief, sizeof(brief), name, l->fit.name));
	for (int i = 0; i < COLUMN_NR; i++) {
		if (l->fit.left_out & 1u << i)
			continue;
		top_row__cell(cell, r, i);
		grid__put_right(g, row, col + 1, CELL - 1,
				attr | (strcmp(cell, "-") ? l->f->columns[i].attr : GRID_DIM),
				cell);
		col += CELL;
	}
}

/* The column of the order has a mark before its heading. */
static void draw_heads(struct grid *g, const struct layout *l)
{
	int col = l->fit.name;

	grid__put(g, HEAD_ROW, 0, col, GRID_BOLD, l->f->by);
	for (int i = 0; i < COLUMN_NR; i++) {
		const struct text_column *c = &l->f->columns[i];

		if (l->fit.left_out & 1u << i)
			continue;
		grid__put_right(g, HEAD_ROW, col + 1, CELL - 1, GRID_BOLD, c->head);
		col += CELL;
		if (c->sorted)
			grid__glyph(g, HEAD_ROW, col - (int)strlen(c->head) - 1, GRID_BOLD,
				    l->utf8 ? "\u25bc" : ">");
	}
}

static void draw_status(struct grid *g, const struct top_view *v, const struct table_frame *f)
{
	static const char paused[] = " PAUSED ";
	int col = 0;

	if (v->paused) {
		grid__put(g, 1, 0, g->cols, GRID_BOLD | GRID_REVERSE, paused);
		col = (int)sizeof(paused);
	}
	if (v->typing || v->filter[0]) {
		char text[TABLE_FILTER_MAX + 16];

		snprintf(text, sizeof(text), "filter: %s%s", v->filter, v->typing ? "_" : "");
		grid__put(g, 1, col, g->cols - col, GRID_BOLD, text);
		col += (int)strlen(text) + 3;
	}
	grid__put(g, 1, col, g->cols - col, GRID_PLAIN, f->status);
}

static int draw_rows(struct grid *g, int row, const struct layout *l, const struct top_view *v)
{
	for (size_t i = v->first; i < v->shown_nr && i < v->first + v->page; i++, row++) {
		draw_row(g, row, l, v->shown[i]->item.name, v->shown[i], GRID_PLAIN);
		if (i == v->at)
			grid__paint(g, row, 0, g->cols, GRID_REVERSE);
	}
	if (!v->shown_nr)
		grid__put(g, row++, 0, g->cols, GRID_DIM,
			  v->filter[0] ? "no row has this text in its name"
				       : "nothing was seen yet");
	return row;
}

static void draw_total(struct grid *g, int row, const struct layout *l, const struct top_view *v)
{
	size_t more = v->shown_nr > v->page ? v->shown_nr - v->page : 0;
	char name[64];

	more += v->more;
	snprintf(name, sizeof(name), more ? "total  (%zu more rows)" : "total", more);
	draw_row(g, row, l, name, &v->now.total, GRID_BOLD);
}

/* Rows of the verdict: those that the table leaves free, and never fewer than it needs at least. */
static int verdict_rows(const struct grid *g, const struct top_view *v, const char *verdict)
{
	int least = g->rows >= ROOMY ? 4 : g->rows > TABLE_MIN_ROWS + 4 ? 3 : 1;
	int needed = grid__text_rows(verdict, g->cols);
	int spare = g->rows - BESIDE - (v->shown_nr ? (int)v->shown_nr : 1);

	if (spare < least)
		spare = least;
	return needed < least ? least : needed < spare ? needed : spare;
}

static void draw_help(struct grid *g, struct top_view *v)
{
	const char *columns[COLUMN_NR + 2][2] = {
		{"per second",
		 "bytes since the refresh before; copies/B, zc cop. and the text are since the "
		 "start (r); - is a measured zero, n/a is not known"}};

	for (int i = 0; i < COLUMN_NR; i++) {
		columns[i + 1][0] = attach_columns[i].head;
		columns[i + 1][1] = attach_columns[i].help;
	}
	help_page__draw(g, &v->help, "netiotrace attach: what is shown", columns, help_of_keys);
}

void table_view__draw(struct grid *g, struct top_view *v, const struct table_frame *f, bool utf8)
{
	struct layout l;
	int verdict, row;

	if (v->help.shown) {
		draw_help(g, v);
		return;
	}
	choose_rows(v);
	verdict = verdict_rows(g, v, f->verdict);
	v->page = (size_t)(g->rows - BESIDE - verdict);
	select_row(v);
	l = layout_of(g, v, f, utf8);
	grid__title(g, f->title);
	draw_status(g, v, f);
	draw_heads(g, &l);
	row = draw_rows(g, HEAD_ROW + 1, &l, v);
	draw_total(g, row, &l, v);
	/* Below a line apart, if there is one. */
	row = row + 2 < g->rows - 1 - verdict ? row + 2 : g->rows - 1 - verdict;
	grid__text(g, row, g->rows - 2, 0, g->cols, GRID_PLAIN, f->verdict);
	grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, keys);
}
