/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view of attach: rows of what attach found, with rates since the last refresh, in a table
 * that moves, filters and pauses (table_view.c); Enter opens one row: ledger, calls, sizes, CPU
 * time, hottest stacks, verdict (detail_view.c). Pure.
 */
#ifndef ATTACH_TOP_VIEW_H
#define ATTACH_TOP_VIEW_H

#include "attach_result.h"
#include "screen/help_page.h"

/* A row of the live table, which outlives the refresh that it is of. */
struct view_item {
	struct attach_row row; /* its pointers are not valid any more */
	char name[ROW_NAME_LEN];
	char owner[OWNER_LEN];    /* the process of its samples; "": none */
	struct cpu_split cpu;     /* of a process */
	struct sock_state socket; /* of a connection */
};

/* The verdict on a row and its advice; empty if the row is not in the present table any more. */
void view_item__verdict(struct attach_verdict *verdict, const struct attach_result *r,
			const struct view_item *item);

/* Fills the grid but for its last row. utf8: block glyphs may be used. */
void detail_view__draw(struct grid *g, const struct attach_result *r, const struct view_item *item,
		       bool utf8);

/* Rows that are kept; a filter chooses among all. */
#define TOP_ROWS_MAX 256

/* Values that have rates: enum row_value, then those that rows are sorted by (enum sort). */
#define TOP_SORT      VALUE_NR
#define TOP_VALUES_NR (TOP_SORT + SORT_NR)

struct top_row {
	struct view_item item;
	uint64_t value[TOP_VALUES_NR]; /* so far */
	double rate[TOP_VALUES_NR];    /* per second */
	bool rates_known;
	struct amount amount[VALUE_NR]; /* what is said of the values */
	char copies[UNITS_BUF];         /* a byte, as text */
};

/* Of one refresh, in the order on the screen. */
struct top_rows {
	struct top_row *list; /* room for TOP_ROWS_MAX */
	size_t nr;
	struct top_row total;
};

#define TABLE_MIN_ROWS   8
#define TABLE_MIN_COLS   60
#define TABLE_FILTER_MAX 40

struct top_view {
	struct top_rows now, before; /* freed by top_view__clear() */
	size_t more;                 /* rows beyond these */
	uint64_t at_ns, since_ns;    /* of the last refresh, of the one before; 0: none */
	uint64_t elapsed_ns;         /* when the rows were taken */
	bool opened;                 /* one row is shown in detail: */
	struct view_item item;
	/* The table. */
	const struct top_row *shown[TOP_ROWS_MAX]; /* whose names match the filter */
	size_t shown_nr;
	uint64_t selected; /* id of the row */
	size_t at;         /* its place, when it was last drawn */
	size_t first;      /* place of the first row on the screen */
	size_t page;       /* rows on the screen */
	bool paused, typing;
	bool restarts; /* r: the watching is to start anew */
	struct help_page help;
	char filter[TABLE_FILTER_MAX + 1];
	bool moved;  /* the user has chosen a row */
	size_t move; /* the row to select at the next draw, counted from 1; 0: the selected one */
};

void top_view__clear(struct top_view *v); /* takes a zeroed one */

/* Draws r, after a refresh or a change of the view. */
void top_view__draw(struct grid *g, struct top_view *v, const struct attach_result *r, bool utf8);

/* Acts on a key. true: q, or r (v->restarts): it is over. What r shows may have to be sorted again.
 */
bool top_view__key(struct top_view *v, struct attach_options *o, int key);

/* What a row has in a column. */
#define TABLE_CELL_LEN 16
void top_row__cell(char cell[TABLE_CELL_LEN], const struct top_row *row, int column);

/* What surrounds the rows. */
struct table_frame {
	const char *title, *status;
	const char *by; /* heading of the names */
	const struct text_column *columns;
	const char *verdict; /* sentences; the most important first */
};

/* Does a name match the filter? Case is ignored. */
bool table_view__matches(const struct top_view *v, const char *name);

/* utf8: block glyphs may be used. The grid is at least TABLE_MIN_ROWS and TABLE_MIN_COLS. */
void table_view__draw(struct grid *g, struct top_view *v, const struct table_frame *f, bool utf8);

#endif
