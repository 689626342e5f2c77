/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live view of attach: a table like top's on a terminal, of processes or connections, with
 * rates since the last refresh.
 */
#ifndef NETIOTRACE_ATTACH_VIEW_H
#define NETIOTRACE_ATTACH_VIEW_H

#include <stdbool.h>
#include <termios.h>

#include "attach_report.h"

/* Rows whose rates can be told. */
#define VIEW_ROWS_MAX 64

struct view_row {
	uint64_t id; /* tgid, or cookie; 0: none */
	struct books before;
};

struct attach_view {
	bool shown;
	struct termios saved;
	struct view_row rows[VIEW_ROWS_MAX];
	uint64_t at_ns; /* of the last refresh */
};

/* Takes the terminal if stdout and stdin are one. Messages are held back from then on. */
void attach_view__open(struct attach_view *v);
/* Gives it back; takes one that was never opened. */
void attach_view__close(struct attach_view *v);

void attach_view__draw(struct attach_view *v, const struct attach_report *r);

/* Reads keys: b by process or connection, s the next order; true: q, it is over. */
bool attach_view__key(struct attach_view *v, struct attach_options *o);

#endif
