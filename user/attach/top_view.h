/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view of attach: rows of what attach found, with rates since the last refresh, in the
 * table of table_view.h; Enter opens one row: ledger, calls, sizes, CPU time, hottest stacks,
 * verdict (detail_view.c).
 */
#ifndef ATTACH_TOP_VIEW_H
#define ATTACH_TOP_VIEW_H

#include "attach_result.h"
#include "table_view.h"

/* A row of the live table, which outlives the refresh that it is of. */
struct view_item {
	struct attach_row row; /* its pointers are not valid any more */
	char name[ROW_NAME_LEN];
	char owner[OWNER_LEN];    /* the process of its samples; "": none */
	struct cpu_split cpu;     /* of a process */
	struct sock_state socket; /* of a connection */
};

/* The verdict on a row and its advice; empty if the row is not in the present table any more. */
void view_item__verdict(struct attach_verdict *j, const struct attach_result *r,
			const struct view_item *item);

/* How the row sent its bytes, a sentence without its subject: "copies all it sends". */
void view_item__print(FILE *f, const struct attach_result *r, const struct view_item *item);

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

/* The values of a row at the refresh before. */
struct top_before {
	uint64_t id;
	uint64_t value[TOP_VALUES_NR];
};

struct top_view {
	struct table_view table;
	struct top_row *rows; /* in the order on the screen; freed by top_view__clear() */
	size_t rows_nr, more;
	struct top_row total;
	struct top_before *before;
	size_t before_nr;
	uint64_t at_ns, since_ns; /* of the last refresh, of the one before; 0: none */
	uint64_t elapsed_ns;      /* when the rows were taken */
	bool opened;              /* one row is shown in detail: */
	struct view_item item;
};

void top_view__clear(struct top_view *v); /* takes a zeroed one */

/* Draws r, after a refresh or a change of the view. */
void top_view__draw(struct grid *g, struct top_view *v, const struct attach_result *r, bool utf8);

/* Acts on a key. true: q, it is over. What r shows may have to be sorted again. */
bool top_view__key(struct top_view *v, struct attach_options *o, int key);

#endif
