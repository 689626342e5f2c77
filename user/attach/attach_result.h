/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of attach, for its writers: document, text, CSV. Internal to this module. */
#ifndef ATTACH_ATTACH_RESULT_H
#define ATTACH_ATTACH_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "attach_options.h"
#include "common/units.h"
#include "screen/text_cells.h"
#include "table.h"
#include "write/followed_document.h"
#include "write/json.h"

/* A row of an output: the total, or a process, connection, port or cgroup. */
struct attach_row {
	enum by by;  /* BY_NR: the total */
	uint64_t id; /* the same in every refresh; 0: not known */
	struct socket_ledger ledger;
	/* The subject, until the next refresh or sort. NULL unless `by` asks for it. */
	const struct process *process;
	const struct sock_state *socket;
	const struct group *group;
};

/* Columns of bytes in the text and in the live table. */
enum row_value {
	VALUE_SENT,
	VALUE_COPIED,
	VALUE_PINNED,
	VALUE_SPLICED,
	VALUE_DEFERRED,
	VALUE_RECEIVED,
	VALUE_RX_COPIED, /* of the received ones: copied by the CPU */
	VALUE_NR,
};

/* The columns of both: enum row_value, and two more. */
enum {
	COLUMN_COPIES = VALUE_NR,
	COLUMN_ZEROCOPY,
	COLUMN_NR,
};
extern const struct text_column attach_columns[COLUMN_NR];

/* The verdict on zero-copy and the advice, as text. */
struct attach_verdict {
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
	struct table table;    /* sorted */
	struct cpu_result cpu; /* stacks begin with the process: "nginx 4242" */
	struct cpu_split cpu_total;
	const struct baseline *baseline;          /* NULL: none */
	const struct followed_document *followed; /* of --follow-result; NULL: none */
	uint64_t begun_ns, ended_ns;              /* CLOCK_MONOTONIC */
	struct nio_attach_loss loss;
	struct num missed;
	struct attach_events events;
	bool sees_kinds;       /* sendfile and splice are distinguished from sends that copy */
	bool sees_completions; /* completions are reported */
	bool sees_requests;    /* notifications of io_uring's zero-copy requests are seen */
	bool reports_requests; /* the kernel reports their copies if asked: Linux 6.2 */
	bool interrupted;
	uint64_t restarts; /* starts anew: all is since the last of them */
};

#define ATTACH_RINGS                                                                          \
	"something on this machine uses io_uring, whose requests pin pages without ids, and " \
	"not every call was watched"

/* May a request of io_uring have pinned pages that no watched call shows? Why: ATTACH_RINGS. */
bool attach_result__hides_pins(const struct socket_ledger *ledger);

/* Bytes of a stage, of the copies of kTLS, and of kinds of calls: from the plan and the ledger. */
struct amount attach_result__stage(const struct attach_result *r,
				   const struct socket_ledger *ledger, enum nio_stage stage);
struct amount attach_result__tls_copy(const struct socket_ledger *ledger);
struct amount attach_result__calls(const struct socket_ledger *ledger, enum nio_send_call kind);

/*
 * The number of calls of a kind: value, least and most alone. Calls that were not seen have no
 * counter to be compared with: the value and the least take them to be of the sizes that were seen,
 * the most takes each of their bytes for a call.
 */
struct amount attach_result__call_count(const struct socket_ledger *ledger,
					enum nio_send_call kind);

/*
 * Copies per byte with the least, and with the most, that each stage may have copied. The most has
 * a reason also where it is known, if copies may have been made without an event.
 */
struct real attach_result__copies_at_least(const struct attach_result *r,
					   const struct socket_ledger *ledger);
struct real attach_result__copies_at_most(const struct attach_result *r,
					  const struct socket_ledger *ledger);

/* Share of a kind of call in all bytes sent, by the windows in which calls were seen. */
struct sampled_share attach_result__sent_share(const struct attach_result *r,
					       enum nio_send_call kind);

/* Are the return values of send calls recorded? kprobes see them begin, and queue bytes. */
bool attach_result__sees_returns(const struct attach_result *r);

/* Is a number of unaccounted bytes known and not 0? */
bool attach_result__unbalanced(const struct attach_result *r);

/* Verdict and advice of a row. The total and processes name ports. */
void attach_result__verdict(struct attach_verdict *verdict, const struct attach_result *r,
			    const struct attach_row *row);

/* The i-th row in the order of the last sort. false: there is none. */
bool attach_row__at(struct attach_row *row, const struct attach_result *r, enum by by, size_t i);

struct attach_row attach_row__total(const struct attach_result *r);

/*
 * "nginx 4242, 3 connections", "nginx 4242 10.0.0.1:80 > 10.0.0.2:4711", "port 443, 1 connection";
 * brief: "nginx 4242 (3)", "nginx 4242 :80 > 10.0.0.2:4711", "port 443 (1)". Fills buf.
 */
#define ROW_NAME_LEN 640
char *attach_row__name(char buf[ROW_NAME_LEN], const struct attach_result *r,
		       const struct attach_row *row, bool brief);

/* Processes with connections, or connections, ports or cgroups. */
size_t attach_result__rows(const struct attach_result *r, enum by by);

uint64_t row_value__of(enum row_value v, const struct socket_ledger *ledger); /* the best figure */

/*
 * What a column shows of a row: value and doubt alone. The rule for all texts,
 * docs/reference/attach.md
 * ("Marks"): a minimum if the kind of more than a thousandth of the side's bytes is unknown; else
 * an estimate where bytes were divided as the calls that were seen. An estimate whose interval is
 * two fifths of the bytes or more is no answer: its lower end is shown, as a minimum.
 */
struct amount row_value__amount(enum row_value v, const struct attach_result *r,
				const struct socket_ledger *ledger);

/*
 * "<12 MB", the least true bound of a column whose figure is unknown. false: there is none, or one
 * that says nothing, and buf is unchanged.
 */
bool row_value__bound(enum row_value v, const struct attach_result *r,
		      const struct socket_ledger *ledger, char buf[UNITS_BUF]);

/* "1.00", ">=0.33" where calls or deferred copies were missed, "~1.00" (an estimate), "<0.03", or
 * "n/a". */
char *copies_per_byte__text(char buf[UNITS_BUF], const struct attach_result *r,
			    const struct socket_ledger *ledger);

/* "127.0.0.1:5201", "[::1]:80": fills buf, of ADDRESS_TEXT_MAX bytes. */
char *attach_result__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port);

/* "nginx 4242", fit for a terminal. */
#define OWNER_LEN 64
/*
 * One sentence: the bytes of the process's row that other processes may have sent or read, since
 * they use the same sockets. Writes nothing if it shares none. A use that no window showed is not
 * known: then the bytes are a minimum.
 */
void attach_result__print_shared(FILE *f, const struct process *p);

char *attach_result__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid);

/* The path of a connection's cgroup; NULL: unknown. */
const char *attach_result__cgroup(const struct attach_result *r, const struct sock_state *s);

/* netiotrace.attach/3: a new reference, and its keys and units (write/field.h). */
json_t *attach_result__document(const struct attach_result *r);
const struct field *attach_result__fields(void);

/*
 * A line of --json-lines: the total of the document until r->ended_ns, which was at `now`, ns since
 * 1970. A new reference.
 */
json_t *attach_result__line(const struct attach_result *r, uint64_t now);

/* A row for each process, connection, port or cgroup of the document. 0 or -errno. */
int attach_result__write_csv(FILE *f, const struct attach_result *r, const json_t *document);

/*
 * The final table: no line is wider than width, at least 40; a note below names what was left out.
 */
void attach_result__print_table(FILE *f, unsigned int width, const struct attach_result *r);

/*
 * How the sockets moved their bytes, a sentence without its subject: "copies all it sends; it
 * receives without a copy in the kernel". Shares are intervals that hold the truth.
 */
void attach_result__print_ways(FILE *f, const struct attach_result *r,
			       const struct socket_ledger *ledger);

/*
 * The answer to what the program does with its bytes: sentences on it, or on the largest rows where
 * programs differ; and what copies, small calls and pacing cost, where samples show it. Each
 * sentence ends with a space.
 */
void attach_result__print_answer(FILE *f, const struct attach_result *r);

/* The text at the end. */
void attach_result__print(FILE *f, unsigned int columns, const struct attach_result *r);

/* A line of the total since the line before. */
struct rate_line {
	uint64_t at_ns;
	uint64_t before[VALUE_NR];
	bool headed;
};
void rate_line__print(FILE *f, struct rate_line *l, const struct attach_result *r);

/* Doubts about a figure. A figure may have several. */
enum doubt {
	DOUBT_UNKNOWN = 1,   /* the figure is not known: it may be anything from least to most */
	DOUBT_LEAST = 2,     /* the figure is a minimum, by more than a text rounds away */
	DOUBT_ESTIMATE = 4,  /* estimated from a part of the events */
	DOUBT_UNBOUNDED = 8, /* least and most are not known either */
	DOUBT_PIECES = 16,   /* events are pieces of calls: at most as many calls, at least one */
	DOUBT_OPEN = 64,     /* the most is not known */
	DOUBT_WIDE = 32, /* an estimate whose interval is too wide for a figure: the least of it */
};

struct amount {
	uint64_t value;  /* bytes: the best figure */
	uint64_t events; /* calls, copies or records that moved them */
	uint64_t least, most;
	enum quality quality;
	const char *reason; /* why less than exact: a static string, or NULL */
	unsigned int doubt; /* enum doubt, or-ed */
};

static inline bool amount__is_known(const struct amount *a)
{
	return !(a->doubt & DOUBT_UNKNOWN);
}

/* ">=", "~" or "". A minimum that is also an estimate has ">=". */
const char *amount__mark(const struct amount *a);

/* Bytes of the amount or of its rate, without mark: a minimum is rounded down. Fills buf. */
char *amount__format(char buf[UNITS_BUF], const struct amount *a, double bytes);

/* "1.5 MB", ">=1.5 MB", "~1.5 MB", "unknown". Fills buf. */
char *amount__bytes(char buf[UNITS_BUF], const struct amount *a);

#endif
