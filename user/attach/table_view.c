/* SPDX-License-Identifier: GPL-2.0-only */
/* The live table; see table_view.h. Pure. */
#include <stdio.h>
#include <string.h>

#include "screen/curses_screen.h"
#include "table_view.h"

#define NAME_MIN 22
#define HEAD_ROW 2
#define BESIDE   5 /* title, status, heads, total, keys */
#define ROOMY    30

static const char keys[] = "q quit  Enter open  / filter  p pause  ? help  b by  s sort";

static const char *const help_of_keys[][2] = {
	{"b", "a row per process, connection, port or cgroup"},
	{"s", "largest first: copied, bytes, sent, received, zero-copy sends"},
	{"up down", "select a row; also j, k, page up and down, home and end"},
	{"Enter", "open the selected row by itself; Enter or Escape closes it"},
	{"/", "show only rows whose name contains a text; Escape shows all"},
	{"p, space", "pause the picture and go on; counting never stops"},
	{"q, Ctrl-C", "end, and print the result"},
	{NULL, NULL},
};

/* A key that is typed into the filter. */
static void type(struct table_view *v, int key)
{
	size_t len = strlen(v->filter);

	if (key == '\n') {
		v->typing = false;
	} else if (key == SCREEN_KEY_ESCAPE) {
		v->typing = false;
		v->filter[0] = '\0';
	} else if (key == SCREEN_KEY_BACKSPACE && len) {
		v->filter[len - 1] = '\0';
	} else if (key >= 0x20 && key < 0x7f && len < TABLE_FILTER_MAX) {
		v->filter[len] = (char)key;
		v->filter[len + 1] = '\0';
	}
}

static bool move_by_key(struct table_view *v, int key)
{
	size_t at = v->move ? v->move - 1 : v->at, last = v->rows_nr ? v->rows_nr - 1 : 0;

	switch (key) {
	case SCREEN_KEY_UP:
	case 'k':
		at -= at > 0;
		break;
	case SCREEN_KEY_DOWN:
	case 'j':
		at++;
		break;
	case SCREEN_KEY_PAGE_UP:
		at = at > v->page ? at - v->page : 0;
		break;
	case SCREEN_KEY_PAGE_DOWN:
		at += v->page;
		break;
	case SCREEN_KEY_HOME:
		at = 0;
		break;
	case SCREEN_KEY_END:
		at = last;
		break;
	default:
		return false;
	}
	v->move = (at < last ? at : last) + 1;
	return true;
}

enum table_action table_view__key(struct table_view *v, int key)
{
	if (v->help.shown) {
		help_page__key(&v->help, key);
		return TABLE_REDRAW;
	}
	if (v->typing) {
		type(v, key);
		return TABLE_REDRAW;
	}
	if (move_by_key(v, key))
		return TABLE_REDRAW;
	switch (key) {
	case 'q':
	case 'Q':
		return TABLE_QUIT;
	case '\n':
		return TABLE_OPEN;
	case 'p':
	case ' ':
		v->paused = !v->paused;
		return TABLE_REDRAW;
	case '/':
		v->typing = true;
		return TABLE_REDRAW;
	case '?':
		v->help.shown = true;
		return TABLE_REDRAW;
	case SCREEN_KEY_ESCAPE:
		v->filter[0] = '\0';
		return TABLE_OTHER;
	default:
		return TABLE_OTHER;
	}
}

bool table_view__matches(const struct table_view *v, const char *name)
{
	return strcasestr(name, v->filter) != NULL;
}

/* Follows the selected row to its place in this frame. */
static void select_row(struct table_view *v, const struct table_frame *f)
{
	size_t at = v->move ? v->move - 1 : f->rows_nr;

	v->moved |= v->move != 0;
	v->move = 0;
	/* Until the user chooses a row, the first one is selected, whichever it is. */
	if (!v->moved)
		at = 0;
	for (size_t i = 0; i < f->rows_nr && at == f->rows_nr; i++)
		if (f->rows[i].id == v->selected && v->selected)
			at = i;
	if (at >= f->rows_nr)
		at = v->at < f->rows_nr ? v->at : f->rows_nr ? f->rows_nr - 1 : 0;
	v->at = at;
	v->selected = f->rows_nr ? f->rows[at].id : 0;
	v->rows_nr = f->rows_nr;
	if (v->first > at)
		v->first = at;
	if (at >= v->first + v->page)
		v->first = at + 1 - v->page;
	if (v->first + v->page > f->rows_nr)
		v->first = f->rows_nr > v->page ? f->rows_nr - v->page : 0;
}

struct layout {
	struct text_fit fit;
	const struct table_frame *f;
	bool utf8;
};

static struct layout layout_of(const struct grid *g, const struct table_frame *f, bool utf8)
{
	size_t longest = strlen(f->by);

	for (size_t i = 0; i < f->rows_nr; i++)
		if (strlen(f->rows[i].name) > longest)
			longest = strlen(f->rows[i].name);
	if (longest < NAME_MIN)
		longest = NAME_MIN;
	return (struct layout){
		.fit = text_fit__of(g->cols, TABLE_CELL_COLS, (int)longest, NAME_MIN, f->columns,
				    f->columns_nr),
		.f = f,
		.utf8 = utf8,
	};
}

static void draw_row(struct grid *g, int row, const struct layout *l, const struct table_row *r,
		     unsigned int attr)
{
	char brief[TABLE_NAME_LEN];
	int col = l->fit.name;

	grid__put(g, row, 0, col, attr,
		  text_fit__shorten(brief, sizeof(brief), r->name, l->fit.name));
	for (size_t i = 0; i < l->f->columns_nr; i++) {
		bool zero = !strcmp(r->cell[i], "-");

		if (l->fit.left_out & 1u << i)
			continue;
		grid__put_right(g, row, col + 1, TABLE_CELL_COLS - 1,
				attr | (zero ? GRID_DIM : l->f->columns[i].attr), r->cell[i]);
		col += TABLE_CELL_COLS;
	}
}

/* The column of the order has a mark before its heading. */
static void draw_heads(struct grid *g, const struct layout *l)
{
	int col = l->fit.name;

	grid__put(g, HEAD_ROW, 0, col, GRID_BOLD, l->f->by);
	for (size_t i = 0; i < l->f->columns_nr; i++) {
		const struct text_column *c = &l->f->columns[i];

		if (l->fit.left_out & 1u << i)
			continue;
		grid__put_right(g, HEAD_ROW, col + 1, TABLE_CELL_COLS - 1, GRID_BOLD, c->head);
		col += TABLE_CELL_COLS;
		if (c->sorted)
			grid__glyph(g, HEAD_ROW, col - (int)strlen(c->head) - 1, GRID_BOLD,
				    l->utf8 ? "\u25bc" : ">");
	}
}

static void draw_status(struct grid *g, const struct table_view *v, const struct table_frame *f)
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

static int draw_rows(struct grid *g, int row, const struct layout *l, const struct table_view *v)
{
	const struct table_frame *f = l->f;

	for (size_t i = v->first; i < f->rows_nr && i < v->first + v->page; i++, row++) {
		draw_row(g, row, l, &f->rows[i], GRID_PLAIN);
		if (i == v->at)
			grid__paint(g, row, 0, g->cols, GRID_REVERSE);
	}
	if (!f->rows_nr)
		grid__put(g, row++, 0, g->cols, GRID_DIM,
			  v->filter[0] ? "no row has this text in its name"
				       : "nothing was seen yet");
	return row;
}

static void draw_total(struct grid *g, int row, const struct layout *l, const struct table_view *v)
{
	struct table_row total = *l->f->total;
	size_t below = l->f->rows_nr - v->first;

	below = (below > v->page ? below - v->page : 0) + l->f->more;
	if (below || v->first)
		snprintf(total.name, sizeof(total.name), "total  (%zu more rows)",
			 below + v->first);
	draw_row(g, row, l, &total, GRID_BOLD);
}

bool table_view__too_small(struct grid *g)
{
	return grid__too_small(g, TABLE_MIN_COLS, TABLE_MIN_ROWS) != 0;
}

/* Rows of the verdict: those that the table leaves free, and never fewer than it needs at least. */
static int verdict_rows(const struct grid *g, const struct table_frame *f)
{
	int least = g->rows >= ROOMY ? 4 : g->rows > TABLE_MIN_ROWS + 4 ? 3 : 1;
	int needed = grid__text_rows(f->verdict, g->cols);
	int rows = f->rows_nr < GRID_SIDE_MAX ? (int)f->rows_nr : GRID_SIDE_MAX;
	int spare = g->rows - BESIDE - (rows ? rows : 1);

	if (spare < least)
		spare = least;
	return needed < least ? least : needed < spare ? needed : spare;
}

static void draw_help(struct grid *g, struct table_view *v, const struct table_frame *f)
{
	const char *columns[TABLE_COLUMNS_MAX + 2][2] = {
		{"per second",
		 "bytes since the refresh before; - is a measured zero, n/a is not known"}};

	for (size_t i = 0; i < f->columns_nr; i++) {
		columns[i + 1][0] = f->columns[i].head;
		columns[i + 1][1] = f->columns[i].help;
	}
	help_page__draw(g, &v->help, "netiotrace attach: what is shown", columns, help_of_keys);
}

void table_view__draw(struct grid *g, struct table_view *v, const struct table_frame *f, bool utf8)
{
	struct layout l;
	int verdict, row;

	if (v->help.shown) {
		draw_help(g, v, f);
		return;
	}
	if (table_view__too_small(g))
		return;
	verdict = verdict_rows(g, f);
	v->page = (size_t)(g->rows - BESIDE - verdict);
	select_row(v, f);
	l = layout_of(g, f, utf8);
	grid__title(g, f->title);
	draw_status(g, v, f);
	draw_heads(g, &l);
	row = draw_rows(g, HEAD_ROW + 1, &l, v);
	draw_total(g, row, &l, v);
	grid__text(g, g->rows - 1 - verdict, g->rows - 2, 0, g->cols, GRID_PLAIN, f->verdict);
	grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, keys);
}
