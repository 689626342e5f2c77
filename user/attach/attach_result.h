/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of attach, for its writers: document, text, CSV. Internal to this module. */
#ifndef ATTACH_ATTACH_RESULT_H
#define ATTACH_ATTACH_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "attach_options.h"
#include "table.h"
#include "write/json.h"

/* A row of an output: the total unless a process, a group or a socket is set. */
struct attach_row {
	const struct socket_ledger *books;
	const struct process *process;
	const struct group *group;
	enum group_kind kind; /* of group */
	const struct sock_state *socket;
};

/* The verdict on zero-copy and the advice, as text. */
struct judgement {
	struct real copied_fraction; /* of the zero-copy sends that completed */
	const char *cause;           /* zc_cause__key(); NULL: nothing to explain */
	char text[1024];             /* sentences; empty: nothing to say */
	char advice[1024];           /* empty: none that the evidence carries */
};

struct attach_result {
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
	bool notices; /* completions are reported */
	struct attach_events events;
	bool splices; /* receives by splice are seen */
	bool interrupted;
};

/* Quality of a stage of these books, and why it is less than exact: from the plan and the books. */
enum quality attach_result__quality(const struct attach_result *r, const struct socket_ledger *b,
				    enum nio_stage stage, const char **reason);

/* Is it seen what send calls return? A hook that sees calls begin has quality derived. */
bool attach_result__sees_returns(const struct attach_result *r);

/* Verdict and advice of a row. Those of the total and of processes name ports. */
void attach_result__judge(struct judgement *j, const struct attach_result *r,
			  const struct attach_row *row);

/* Bytes of a stage as text, or "n/a" where the books do not tell them: buf. */
char *attach_result__bytes(char *buf, size_t len, const struct socket_ledger *b,
			   enum nio_stage stage);

/* "127.0.0.1:5201", "[::1]:80": fills buf, of ADDRESS_TEXT_MAX bytes. */
char *attach_result__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port);

/* "nginx 4242", fit for a terminal. */
#define OWNER_LEN 64
char *attach_result__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid);

/* The same, with "(no. 2)" if it is the second of those that had its id one after another. */
#define PROCESS_LEN (OWNER_LEN + 30)
char *attach_result__process(char buf[PROCESS_LEN], const struct attach_result *r,
			     const struct process *p);

/* The groups that --by asks for; NULL: it asks for processes or connections. */
const struct groups *attach_result__groups(const struct attach_result *r);

/* "port 443", or the path of a cgroup, of the i-th of them; "(unknown)" where it is not known. */
#define GROUP_NAME_LEN 512
char *attach_result__group(char buf[GROUP_NAME_LEN], const struct attach_result *r,
			   const struct group *g);

/* The cgroup of a connection. */
const char *attach_result__cgroup(const struct attach_result *r, const struct sock_state *s);

/* netiotrace.attach/1: a new reference, and its keys and units (write/field.h). */
json_t *attach_result__document(const struct attach_result *r);
const struct field *attach_result__fields(void);

/* A row for each process, connection, port or cgroup of the document. 0 or -errno. */
int attach_result__write_csv(FILE *f, const struct attach_result *r, const json_t *document);

/* Processes, connections, ports or cgroups that there are, as --by asks for. */
size_t attach_result__rows(const struct attach_result *r);

/*
 * The final table: no line is wider than width, at least 60; a note below names what was left out.
 */
void attach_result__print_table(FILE *f, unsigned int width, const struct attach_result *r);

/* The text at the end. */
void attach_result__print(FILE *f, unsigned int columns, const struct attach_result *r);

/* A line of the total since the line before. */
struct rate_line {
	uint64_t at_ns;
	struct socket_ledger before;
	bool headed;
};
void rate_line__print(FILE *f, struct rate_line *l, const struct attach_result *r);

#endif
