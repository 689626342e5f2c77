/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view of attach: rows of what attach found, with rates since the last refresh, in the
 * table of table_view.h; Enter opens one row (detail_view.h).
 */
#ifndef ATTACH_TOP_VIEW_H
#define ATTACH_TOP_VIEW_H

#include "detail_view.h"
#include "table_view.h"

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
