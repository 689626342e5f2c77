/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A live table on the grid: named rows with figures, a row of totals, a verdict, and the keys that
 * move, filter, pause and open. Pure; the caller brings the rows and acts on what a key asks for.
 */
#ifndef ATTACH_TABLE_VIEW_H
#define ATTACH_TABLE_VIEW_H

#include <stdint.h>

#include "screen/help_page.h"
#include "screen/text_cells.h"

#define TABLE_MIN_ROWS    8
#define TABLE_MIN_COLS    60
#define TABLE_COLUMNS_MAX 10
#define TABLE_CELL_LEN    16
#define TABLE_CELL_COLS   9 /* with the space before it */
#define TABLE_NAME_LEN    384
#define TABLE_FILTER_MAX  40

struct table_row {
	uint64_t id; /* of the same thing in every frame */
	char name[TABLE_NAME_LEN];
	char cell[TABLE_COLUMNS_MAX][TABLE_CELL_LEN];
};

struct table_frame {
	const char *title, *status;
	const char *by; /* heading of the names */
	const struct text_column *columns;
	size_t columns_nr;
	const struct table_row *rows;
	size_t rows_nr;
	size_t more; /* further rows */
	const struct table_row *total;
	const char *verdict; /* sentences; the most important first */
};

struct table_view {
	uint64_t selected; /* id of the row */
	size_t at;         /* its place, when it was last drawn */
	size_t first;      /* place of the first row on the screen */
	size_t page;       /* rows on the screen */
	size_t rows_nr;
	bool paused, typing;
	struct help_page help;
	char filter[TABLE_FILTER_MAX + 1];
	bool moved;  /* the user has chosen a row */
	size_t move; /* the row to select at the next draw, counted from 1; 0: the selected one */
};

enum table_action {
	TABLE_REDRAW,
	TABLE_QUIT,
	TABLE_OPEN,  /* Enter: the selected row */
	TABLE_OTHER, /* a key that is not of this view */
};

/* key: a character or an enum screen_key. */
enum table_action table_view__key(struct table_view *v, int key);

/* Does a name match the filter? Case is ignored. */
bool table_view__matches(const struct table_view *v, const char *name);

/* utf8: block glyphs may be used. */
void table_view__draw(struct grid *g, struct table_view *v, const struct table_frame *f, bool utf8);

/* One sentence instead of a picture; false: the grid is large enough. */
bool table_view__too_small(struct grid *g);

#endif
