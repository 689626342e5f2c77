/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What attach knows so far: the open connections, the largest of the closed ones, the processes,
 * ports and cgroups, and the sum of all. Bounded: what does not fit is in the sums, and counted.
 * Pure.
 */
#ifndef ATTACH_TABLE_H
#define ATTACH_TABLE_H

#include "cpu_split.h"
#include "advice.h"
#include "kernel/attach_probes.h"
#include "model/socket_ledger.h"

/* Closed connections that are kept by themselves. */
#define TABLE_CLOSED_MAX 1024
/* Processes. */
#define TABLE_PROCESSES_MAX 4096
/* Ports, and cgroups. */
#define GROUPS_MAX 4096
/* Ports of a process that have sums of their own. */
#define PROCESS_PORTS_MAX 8

enum group_kind {
	GROUP_PORT, /* of the service */
	GROUP_CGROUP,
	GROUP_KINDS,
};

/* What rows are sorted by: first the larger class, then the larger value. */
struct rank {
	unsigned int class;
	uint64_t value;
};

struct group {
	struct rank rank;            /* first, as in every row */
	uint64_t id;                 /* group__id() */
	char *name;                  /* of a cgroup: its path, owned; NULL: not known (yet) */
	struct socket_ledger closed; /* of closed connections */
	struct socket_ledger ledger; /* of all */
	uint64_t copied_read; /* of a port of a process: sent by copy when the process was read */
};

struct groups {
	struct group *list;
	size_t nr;
	/* Connections of groups that found no room: closed ones, and open ones of this refresh. */
	size_t closed_left_out, open_left_out;
};

struct process {
	struct rank rank;
	uint32_t tgid;    /* 0: those whose process is not known */
	uint64_t started; /* nio_task.started: with tgid it identifies one process */
	uint32_t parent;
	char comm[16]; /* as the kernel has it: not fit for a terminal */
	bool exited;
	uint32_t shared_with;        /* the last other process seen to use its sockets; 0: none */
	bool asked;                  /* it was asked for, with connections or without */
	struct socket_ledger closed; /* of closed connections */
	struct socket_ledger ledger; /* of all */
	struct cpu_split cpu;
	struct num read_bytes; /* by read() and sendfile since it is watched */
	uint64_t read_before;
	uint64_t read_refresh;                             /* the refresh that read_bytes is of */
	uint64_t copied_read, spliced_read, received_read; /* of its sockets, in that refresh */
	struct groups ports; /* of this process; without groups that found no room */
};

/* A connection. */
struct ranked {
	struct rank rank;
	const struct sock_state *stream;
};

struct table {
	struct sock_state *open, *closed;
	size_t open_nr, open_room, closed_nr;
	uint64_t closed_bytes[TABLE_CLOSED_MAX]; /* of each of these, sent and received */
	size_t closed_left_out;                  /* in the sums only */
	size_t closed_smallest;
	bool smallest_replaced;
	struct ranked *ranked; /* all of both, in the order of the last sort */
	size_t ranked_nr;
	struct process *processes;
	size_t processes_nr;
	/* Connections of processes that found no room, in the total only; and the closed ones. */
	size_t processes_left_out, processes_closed_left_out;
	struct groups groups[GROUP_KINDS];
	struct socket_ledger closed_sum; /* of all closed connections */
	struct socket_ledger total;
	uint64_t refresh; /* refreshes so far */
	struct copy_evidence evidence;
	/* Requests of io_uring pin pages without ids. NULL: none does, or each is seen. */
	const volatile bool *rings;
};

void table__clear(struct table *t);

/* The ledger of one connection. */
struct socket_ledger table__ledger_of(const struct table *t, const struct sock_state *s);

/* A refresh: begin, take every stream once, end. Open streams are replaced. */
void table__begin(struct table *t);
void table__add(struct table *t, const struct sock_state *s);
void table__end(struct table *t);

/*
 * left_out: sockets or processes that are missing: every sum is unknown. refused_runs: see struct
 * socket_ledger. Call after table__end().
 */
void table__set_gaps(struct table *t, size_t left_out, uint64_t refused_runs);

/* Divides bytes without a seen call in each sum, by what windows showed. After table__end(). */
void table__divide_missed(struct table *t, const struct attach_events *e);

/* The process of a connection; NULL: it is not listed. */
const struct process *table__owner(const struct table *t, const struct sock_state *s);

/* The process, added if new; NULL: the table is full. */
struct process *table__process(struct table *t, uint32_t tgid, uint64_t started);

/* Its ordinal among the listed processes that have had this PID, from 1; 0: no other had it. */
size_t table__ordinal(const struct table *t, const struct process *p);

/* Is the process to be listed? Others have CPU time only. The last sort puts them last. */
bool process__is_listed(const struct process *p);

/* A process with connections, or one that was selected. */
void table__add_task(struct table *t, uint32_t tgid, const struct nio_task *task);

/*
 * Bytes that a process has taken so far by read() and sendfile (rchar), in the same refresh as its
 * sockets. new: it started while watched, so all of them count.
 */
void table__add_read(struct table *t, uint32_t tgid, uint64_t started, uint64_t bytes, bool new);

/*
 * What a connection is listed under: the port of its service, which is the remote one if connect()
 * chose the local one, otherwise the local one; or the id of its socket's cgroup. 0: not known.
 */
uint64_t group__id(enum group_kind kind, const struct sock_state *s);

size_t groups__left_out(const struct groups *g); /* connections */

bool groups__any_encrypts(const struct groups *ports); /* by the protocol of a port */

const struct group *groups__find(const struct groups *g, uint64_t id); /* NULL: there is none */

/*
 * Adds the samples of the listed processes with this name, as printable() makes it. only: NULL or
 * the only process to look at. false: there is none.
 */
bool table__samples_of(const struct table *t, const struct process *only, const char *comm,
		       struct cpu_samples *cpu);

/*
 * The processes that use a port (0: any port), for advice on it, and the bytes they had sent there
 * by copy when they were read. process NULL: all, otherwise only this one. false: no process uses
 * it.
 */
bool table__program(const struct table *t, const struct process *only, uint16_t port,
		    struct advice_program *program, uint64_t *copied);

/* In the order of the enum. */
#define SORT_WORDS "copied|bytes|sent|received|zerocopy"

enum sort {
	SORT_COPIED, /* bytes copied */
	SORT_BYTES,  /* sent and received */
	SORT_SENT,
	SORT_RECEIVED,
	SORT_ZEROCOPY, /* sends with MSG_ZEROCOPY */
	SORT_NR,
};

const char *sort__name(enum sort sort);
uint64_t sort__value(enum sort sort, const struct socket_ledger *ledger);

/*
 * Sorts rows, largest first: processes, groups, and connections, open before closed. Rows that
 * moved bytes since since_ns (CLOCK_MONOTONIC; 0: ignored) come first. The order of connections is
 * valid until the next refresh.
 */
void table__sort(struct table *t, enum sort sort, uint64_t since_ns);

/* The i-th connection of the last sort; NULL at the end. */
const struct sock_state *table__connection(const struct table *t, size_t i);

#endif
