/* SPDX-License-Identifier: GPL-2.0-only */
/* One row of the live table in detail: ledger, calls, sizes, CPU time, hottest stacks, verdict. */
#ifndef ATTACH_DETAIL_VIEW_H
#define ATTACH_DETAIL_VIEW_H

#include "attach_result.h"
#include "screen/grid.h"

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

#endif
