/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view of attach: a table like top's on a terminal, of processes, connections, ports or
 * cgroups, with rates since the last refresh; Enter opens one row (detail_view.h).
 */
#ifndef NETIOTRACE_TOP_VIEW_H
#define NETIOTRACE_TOP_VIEW_H

#include <stdbool.h>
#include <termios.h>

#include "findings.h"

/* Rows whose rates can be told. */
#define VIEW_ROWS_MAX 64

struct view_row {
	uint64_t id; /* struct view_item; 0: none */
	struct books books;
};

struct top_view {
	bool shown;
	size_t selected; /* row */
	bool opened;     /* the row of opened_id is shown by itself */
	uint64_t opened_id;
	struct termios saved;
	struct view_row rows[VIEW_ROWS_MAX];   /* as they are shown */
	struct view_row before[VIEW_ROWS_MAX]; /* as they were at the refresh before */
	size_t rows_nr;                        /* of them that are shown */
	uint64_t at_ns, since_ns;              /* of the last refresh, of the one before; 0: none */
};

/* Takes the terminal if stdout and stdin are one. Messages are held back from then on. */
void top_view__open(struct top_view *v);
/* Gives it back; takes one that was never opened. */
void top_view__close(struct top_view *v);

/* Draws r: as it is after a refresh, or otherwise than it was drawn since. */
void top_view__draw(struct top_view *v, const struct findings *r);

/*
 * Reads keys: b by process, connection, port or cgroup, s the next order, up and down, Enter opens
 * a row and closes it; true: q, it is over.
 */
bool top_view__key(struct top_view *v, struct attach_options *o);

#endif
