/* SPDX-License-Identifier: GPL-2.0-only */
/* One row of the live table in detail: ledger, calls, sizes, CPU time, hottest stacks, verdict. */
#ifndef ATTACH_DETAIL_VIEW_H
#define ATTACH_DETAIL_VIEW_H

#include "attach_result.h"
#include "screen/grid.h"

/* A row of the table: a process, a connection, a port or a cgroup. A copy: it outlives a refresh.
 */
struct view_item {
	uint64_t id; /* of tgid and start, cookie, port, or id of the cgroup; 0: not known */
	char name[384];
	char owner[OWNER_LEN]; /* the process of its samples; "": none */
	struct socket_ledger books;
	bool is_process; /* then: */
	struct cpu_split cpu;
	bool is_connection; /* then: */
	struct sock_state stream;
};

/* The verdict on a row and its advice; empty if the row is not in the present table any more. */
void view_item__judge(struct judgement *j, const struct attach_result *r,
		      const struct view_item *item);

/* The id of a row that is a process. */
uint64_t view_item__process_id(const struct process *p);

/* How the row sent its bytes, a sentence without its subject: "copies all it sends". */
void view_item__say(FILE *f, const struct attach_result *r, const struct view_item *item);

/* Fills the grid but for its last row. utf8: block glyphs may be used. */
void detail_view__draw(struct sweep_grid *g, const struct attach_result *r,
		       const struct view_item *item, bool utf8);

#endif
