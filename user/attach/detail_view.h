/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One row of the live table by itself: its ledger, how its calls were made, sizes of its sends and
 * receives as histograms, where its CPU time goes, its verdict.
 */
#ifndef NETIOTRACE_DETAIL_VIEW_H
#define NETIOTRACE_DETAIL_VIEW_H

#include "findings.h"

/* A row of the table: a process, a connection, a port or a cgroup. */
struct view_item {
	uint64_t id; /* of tgid and started, cookie, port, or id of the cgroup; 0: not known */
	char name[384];
	struct books books;
	const struct process *process;   /* NULL: it is none */
	const struct sock_state *stream; /* NULL: it is none */
	const struct group *group;       /* NULL: it is none */
};

/* Draws lines from the top, each with its end cleared, in a screen of so many rows and columns. */
void detail_view__draw(FILE *f, const struct findings *r, const struct view_item *item,
		       unsigned int rows, unsigned int columns);

#endif
