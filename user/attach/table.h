/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What attach knows so far: the connections that are open, the largest of those that are closed,
 * the processes, and the sum of all. Bounded: what does not fit is in the sums, and counted. Pure.
 */
#ifndef NETIOTRACE_ATTACH_TABLE_H
#define NETIOTRACE_ATTACH_TABLE_H

#include "books.h"
#include "cpu_split.h"
#include "groups.h"

/* Closed connections that are kept by themselves. */
#define TABLE_CLOSED_MAX 1024
/* Processes. */
#define TABLE_PROCESSES_MAX 4096

struct process {
	uint32_t tgid;    /* 0: those whose process is not known */
	uint64_t started; /* nio_task.started: with tgid it is one process and no other */
	uint32_t parent;
	char comm[16]; /* as the kernel has it: not for a terminal */
	bool exited;
	bool asked;          /* it was asked for, with connections or without */
	struct books closed; /* of connections that are closed */
	struct books books;  /* of all */
	struct cpu_split cpu;
	struct num read_bytes; /* what it took by read() and sendfile since it is watched */
	uint64_t read_before;
};

/* A connection and what it is sorted by. */
struct ranked {
	bool moved, open;
	uint64_t value;
	const struct sock_state *stream;
};

struct table {
	struct sock_state *open, *closed;
	size_t open_nr, open_room, closed_nr;
	uint64_t closed_bytes[TABLE_CLOSED_MAX]; /* of each of these, sent and received */
	size_t closed_left_out;                  /* in the sums only */
	size_t closed_smallest;
	bool smallest_replaced;
	struct ranked *ranked;                   /* all of both, in the order of the last sort */
	size_t ranked_nr, ranked_room;
	struct process *processes;
	size_t processes_nr, processes_room;
	/* Connections of processes that found no room, in the total only; and the closed of them.
	 */
	size_t processes_left_out, processes_closed_left_out;
	struct groups groups[GROUP_KINDS];
	struct books closed_sum; /* of all closed connections */
	struct books total;
	int err; /* table__error() */
};

void table__clear(struct table *t);

int table__error(const struct table *t); /* 0, or -ENOMEM: something is missing */

/* A refresh: begin, take every stream once, end. Open streams are replaced. */
void table__begin(struct table *t);
void table__take(struct table *t, const struct sock_state *s);
void table__end(struct table *t);

/* This process, entered if it is new; NULL: there is no room for it. */
struct process *table__process(struct table *t, uint32_t tgid, uint64_t started);

/*
 * The how manieth of those with its id it is, by their beginnings, from 1 on; 0: it alone has it.
 */
size_t table__turn(const struct table *t, const struct process *p);

/* Is it one to be listed? Others have CPU time only. By the last sort they come last. */
bool process__is_listed(const struct process *p);

/* What is known of a process that has connections, or was asked for. */
void table__take_task(struct table *t, uint32_t tgid, const struct nio_task *task);

/*
 * What a process has taken so far by read() and sendfile, as the kernel counts it (rchar). new: it
 * began while it was watched, so that all of it counts.
 */
void table__take_read(struct table *t, uint32_t tgid, uint64_t started, uint64_t bytes, bool new);

/* Of all processes whose is known; unknown when none is. */
struct num table__read_bytes(const struct table *t);

enum sort {
	SORT_COPIED, /* bytes copied */
	SORT_BYTES,  /* sent and received */
	SORT_SENT,
	SORT_RECEIVED,
	SORT_ZEROCOPY, /* sends with MSG_ZEROCOPY */
	SORT_NR,
};

const char *sort__name(enum sort sort);
int sort__parse(const char *text, enum sort *out); /* -EINVAL */
uint64_t sort__value(enum sort sort, const struct books *b);

/*
 * Sorts what was taken, largest first: processes, groups, and connections, of which open ones come
 * before closed ones. Before all others come those that moved anything from since_ns on
 * (CLOCK_MONOTONIC; 0: the same to all). The order of connections holds until the next refresh
 * begins.
 */
void table__sort(struct table *t, enum sort sort, uint64_t since_ns);

/* The i-th connection of the last sort; NULL at the end. */
const struct sock_state *table__connection(const struct table *t, size_t i);

#endif
