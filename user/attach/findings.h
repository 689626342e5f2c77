/* SPDX-License-Identifier: GPL-2.0-only */
/* What attach found, for those that write it: document, text, CSV. Internal to this room. */
#ifndef NETIOTRACE_FINDINGS_H
#define NETIOTRACE_FINDINGS_H

#include <jansson.h>
#include <stdio.h>

#include "attach_options.h"
#include "table.h"
#include "write/json.h"

/* A row of an output: the total unless a process, a group or a socket is set. */
struct findings_row {
	const struct books *books;
	const struct process *process;
	const struct group *group;
	enum group_kind kind; /* of group */
	const struct sock_state *socket;
};

/* Was zero-copy zero-copy, and what could be had for less, in words. */
struct judgement {
	struct real copied_fraction; /* of the zero-copy sends that completed */
	const char *cause;           /* zc_cause__key(); NULL: nothing to explain */
	char text[1024];             /* sentences; empty: nothing to say */
	char advice[1024];           /* empty: none that the evidence carries */
};

struct findings {
	const struct attach_options *o;
	struct environment env;
	const struct plan_row *plan;
	size_t plan_nr;
	struct table table; /* sorted */
	struct cpu_found cpu;
	const struct baseline *baseline; /* NULL: none */
	uint64_t begun_ns, ended_ns;     /* CLOCK_MONOTONIC */
	struct nio_attach_loss loss;
	struct num missed;
	size_t netns, netns_left_out;
	bool told;    /* how a send was made is seen */
	bool notices; /* completions are told */
	struct watcher_events events;
	bool splices; /* receives by splice are seen */
	bool interrupted;
};

/* Quality of a stage of these books, and why less than exact: as the plan has it, and what they
 * show. */
enum quality findings__quality(const struct findings *r, const struct books *b,
			       enum nio_stage stage, const char **reason);

/* Is it seen what send calls return? A hook that sees calls begin has quality derived. */
bool findings__sees_returns(const struct findings *r);

/* The verdict and the advice of a row. Those of the total and of processes name the ports. */
void findings__judge(struct judgement *j, const struct findings *r, const struct findings_row *row);

/* Bytes of a stage as text, or "n/a" where the books do not tell them: buf. */
char *findings__bytes(char *buf, size_t len, const struct books *b, enum nio_stage stage);

/* "127.0.0.1:5201", "[::1]:80": fills buf, of ADDRESS_TEXT_MAX bytes. */
char *findings__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			uint16_t port);

/* "nginx 4242", fit for a terminal. */
#define OWNER_LEN 64
char *findings__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid);

/* The same, with "(no. 2)" if it is the second of those that had its id one after another. */
#define PROCESS_LEN (OWNER_LEN + 30)
char *findings__process(char buf[PROCESS_LEN], const struct findings *r, const struct process *p);

/* The groups that --by asks for; NULL: it asks for processes or connections. */
const struct groups *findings__groups(const struct findings *r);

/* "port 443", or the path of a cgroup, of the i-th of them; "(unknown)" where it is not known. */
#define GROUP_NAME_LEN 512
char *findings__group(char buf[GROUP_NAME_LEN], const struct findings *r, const struct group *g);

/* The cgroup of a connection, likewise. */
const char *findings__cgroup(const struct findings *r, const struct sock_state *s);


/* netiotrace.attach/1: a new reference, and the keys and units of it (write/field.h). */
json_t *findings__document(const struct findings *r);
const struct field *findings__fields(void);

/* A row for each process, connection, port or cgroup of the document. 0 or -errno. */
int findings__write_csv(FILE *f, const struct findings *r, const json_t *document);

/* Processes, connections, ports or cgroups that there are, as --by asks for. */
size_t findings__rows(const struct findings *r);

/*
 * The table of the text at the end: no line is wider than width, of which there must be 60; what
 * has no room is said below.
 */
void findings__print_table(FILE *f, unsigned int width, const struct findings *r);

/* The text at the end. */
void findings__print(FILE *f, unsigned int columns, const struct findings *r);

/* A line of the total since the line before. */
struct rate_line {
	uint64_t at_ns;
	struct books before;
	bool headed;
};
void rate_line__print(FILE *f, struct rate_line *l, const struct findings *r);

#endif
