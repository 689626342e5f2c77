/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text at the end of attach, and its line each interval. The table has a row for each process,
 * connection, port or cgroup and fits the width; a line below names what it leaves out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"
#include "model/result.h"
#include "screen/text_cells.h"

#define CELL     10 /* with the space before it */
#define NAME_MIN 30

#define COLUMNS COLUMN_ZEROCOPY /* the columns before it */

struct text_table {
	FILE *f;
	const struct attach_result *r;
	struct text_column columns[COLUMNS];
	struct text_fit fit;
	int longest;        /* name */
	size_t rows, there; /* rows of --by: shown, and in all */
	bool any_unknown;   /* a row has no known process */
};

/* 0 is a dash, so that other values stand out. */
static char *cell_of(char buf[UNITS_BUF], const struct attach_result *r,
		     const struct socket_ledger *ledger, int column)
{
	struct amount a;

	if (column == COLUMN_COPIES)
		return copies_per_byte__text(buf, r, ledger);
	a = row_value__amount((enum row_value)column, r, ledger);
	if (!amount__is_known(&a) && row_value__bound((enum row_value)column, r, ledger, buf))
		return buf;
	return a.value || !amount__is_known(&a) ? amount__bytes(buf, &a) : strcpy(buf, "-");
}

/* ledger: NULL for the headings. */
static void print_line(const struct text_table *t, const char *name,
		       const struct socket_ledger *ledger)
{
	char cell[UNITS_BUF];

	fprintf(t->f, "%-*s", t->fit.name, name);
	for (int c = 0; c < COLUMNS; c++)
		if (!(t->fit.left_out & 1u << c))
			fprintf(t->f, " %9s",
				ledger ? cell_of(cell, t->r, ledger, c) : t->columns[c].head);
	fputc('\n', t->f);
}

/* Prints the rows, or finds the longest name. */
static void each_row(struct text_table *t, bool print)
{
	const struct attach_options *o = t->r->o;
	char name[ROW_NAME_LEN], shorter[ROW_NAME_LEN];
	struct attach_row row;
	int len;

	t->rows = 0;
	for (size_t i = 0; t->rows < o->top && attach_row__at(&row, t->r, o->by, i); i++) {
		if (!row.ledger.connections && !row.ledger.unconnected)
			continue;
		t->rows++;
		t->any_unknown |= row.process && !row.process->tgid;
		len = (int)strlen(attach_row__name(name, t->r, &row, false));
		if (!print) {
			t->longest = len > t->longest ? len : t->longest;
			continue;
		}
		if (len > t->fit.name)
			attach_row__name(name, t->r, &row, true);
		print_line(t, text_fit__shorten(shorter, sizeof(shorter), name, t->fit.name),
			   &row.ledger);
	}
}

/* The columns left out that have such content. */
static void print_columns(FILE *f, const struct text_table *t, enum text_content content)
{
	static const char *const words[] = {
		"Zero in every row: ", "Unknown in every row: ", "No room in the table for "};
	const char *before = words[content];
	char cell[UNITS_BUF];
	bool any = false;

	for (int c = 0; c < COLUMNS; c++) {
		if (!(t->fit.left_out & 1u << c) || t->columns[c].content != content)
			continue;
		fprintf(f, "%s%s", any ? ", " : before, t->columns[c].head);
		if (content == TEXT_FIGURES)
			fprintf(f, " (%s in all)", cell_of(cell, t->r, &t->r->table.total, c));
		any = true;
	}
	fputs(any ? ". " : "", f);
}

void attach_result__print_table(FILE *f, unsigned int width, const struct attach_result *r)
{
	struct text_table t = {.f = f, .r = r, .there = attach_result__rows(r, r->o->by)};
	const char *by = by__name(r->o->by);
	char cell[UNITS_BUF];
	struct text_note n;

	t.longest = (int)strlen(by);
	each_row(&t, false);
	memcpy(t.columns, attach_columns, sizeof(t.columns));
	t.columns[VALUE_RECEIVED].order = 0; /* both directions stay, however narrow the text */
	/* What the total has none of, no row has. */
	for (int c = 0; c < COLUMNS; c++) {
		cell_of(cell, r, &r->table.total, c);
		t.columns[c].content = !strcmp(cell, "-")         ? TEXT_ZERO
				       : !strcmp(cell, "unknown") ? TEXT_UNKNOWN
								  : TEXT_FIGURES;
	}
	t.fit = text_fit__of((int)width, CELL, t.longest, NAME_MIN, t.columns, COLUMNS);
	print_line(&t, by, NULL);
	each_row(&t, true);
	/* A single process needs no sum. */
	if (r->o->by != BY_PROCESS || t.there > 1)
		print_line(&t, "total", &r->table.total);
	text_note__begin(&n);
	if (t.rows < t.there)
		fprintf(n.f, "%zu more in the total only (--top %zu). ", t.there - t.rows, t.there);
	if (t.any_unknown)
		fputs("(unknown): connections that no process here has accepted, or none of whose "
		      "calls was seen before they ended; --by port has them. ",
		      n.f);
	for (enum text_content c = TEXT_ZERO; c <= TEXT_FIGURES; c++)
		print_columns(n.f, &t, c);
	text_note__end(&n, f, width, "");
}

static void print_head(FILE *f, unsigned int width, const struct attach_result *r)
{
	char items[4][160], time[UNITS_BUF];
	const char *backend = r->plan_nr ? r->plan[0].backend : NULL;
	size_t nr = r->table.total.connections, used = 0;

	snprintf(items[0], sizeof(items[0]), "Linux %s", r->env.kernel);
	snprintf(items[1], sizeof(items[1]), "attach  %s%s",
		 format_ns(time, sizeof(time), (double)(r->ended_ns - r->begun_ns)),
		 r->restarts ? " since the last r" : "");
	snprintf(items[2], sizeof(items[2]), "%zu connection%s", nr, plural(nr));
	snprintf(items[3], sizeof(items[3]), "backend %s", backend ? backend : "none");
	text_item__print(f, width, &used, "netiotrace " NETIOTRACE_VERSION);
	for (size_t i = 0; i < 4; i++)
		text_item__print(f, width, &used, items[i]);
	fputs("\n\n", f);
}

static const char *bytes_text(char buf[UNITS_BUF], uint64_t bytes)
{
	return format_bytes_si(buf, UNITS_BUF, (double)bytes);
}

static void print_unaccounted(FILE *f, const struct socket_ledger *ledger, enum nio_side side)
{
	struct real u = socket_ledger__unaccounted(ledger, side);
	const char *word = side == NIO_SIDE_SENDER ? "sent, " : "received. ";

	if (u.known)
		fprintf(f, "%.0f B %s", u.value, word);
	else
		fprintf(f, "n/a (%s) %s", u.reason, word);
}

/* Comes before all else. */
static void print_unbalanced(FILE *f, const struct attach_result *r)
{
	if (!attach_result__unbalanced(r))
		return;
	fputs("THE BOOKS DO NOT BALANCE: unaccounted are ", f);
	print_unaccounted(f, &r->table.total, NIO_SIDE_SENDER);
	print_unaccounted(f, &r->table.total, NIO_SIDE_RECEIVER);
	fputs("The kinds of these bytes are unknown. ", f);
}

/* " (3 MB mapped by TCP_ZEROCOPY_RECEIVE, without a copy)". */
static void print_uncopied(FILE *f, const struct socket_ledger *ledger)
{
	const struct {
		uint64_t bytes;
		const char *how;
	} ways[] = {
		{ledger->stages[NIO_STAGE_RX_MAP].bytes, "mapped by TCP_ZEROCOPY_RECEIVE"},
		{ledger->stages[NIO_STAGE_RX_DISCARD].bytes, "dropped by MSG_TRUNC"},
		{ledger->stages[NIO_STAGE_RX_SPLICE].bytes, "taken by splice"},
		{ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN],
		 "taken by unknown calls"},
	};
	const char *before = " (", *mark = ledger->divided[NIO_SIDE_RECEIVER] ? "~" : "";
	char text[UNITS_BUF];

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!ways[i].bytes)
			continue;
		fprintf(f, "%s%s%s %s", before, mark, bytes_text(text, ways[i].bytes), ways[i].how);
		before = ", ";
	}
	if (*before == ',')
		fputs(ways[3].bytes ? ", without a visible copy)" : ", without a copy)", f);
}

/* The bytes sent that no figure has: what the others leave. */
static uint64_t unclassified_sent(const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	uint64_t rest =
		u64__minus(row_value__of(VALUE_SENT, ledger), ledger->tls[NIO_SIDE_SENDER].copied);

	for (enum row_value v = VALUE_COPIED; v <= VALUE_SPLICED; v++) {
		struct amount a = row_value__amount(v, r, ledger);

		if (amount__is_known(&a))
			rest = u64__minus(rest, a.value);
	}
	return rest;
}

/* The same of those received. What was peeked at is in rx_copy twice. */
static uint64_t unclassified_received(const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	struct amount a = row_value__amount(VALUE_RX_COPIED, r, ledger);
	uint64_t known = ledger->stages[NIO_STAGE_RX_MAP].bytes +
			 ledger->tls[NIO_SIDE_RECEIVER].copied +
			 ledger->stages[NIO_STAGE_RX_DISCARD].bytes +
			 ledger->stages[NIO_STAGE_RX_SPLICE].bytes;

	if (amount__is_known(&a))
		known += u64__minus(a.value,
				    ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED]);
	return u64__minus(row_value__of(VALUE_RECEIVED, ledger), known);
}

static void print_ledger(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	struct amount sent = row_value__amount(VALUE_SENT, r, ledger);
	struct amount received = row_value__amount(VALUE_RECEIVED, r, ledger);
	uint64_t rest = unclassified_sent(r);
	const char *before = " =", *unseen = socket_ledger__copies_reason(ledger);
	char text[UNITS_BUF];

	fprintf(f, "%s sent", amount__bytes(text, &sent));
	for (enum row_value v = VALUE_COPIED; v <= VALUE_SPLICED; v++) {
		struct amount a = row_value__amount(v, r, ledger);

		if (!amount__is_known(&a))
			continue;
		fprintf(f, "%s %s %s", before, amount__bytes(text, &a), attach_columns[v].head);
		before = " +";
	}
	if (ledger->tls[NIO_SIDE_SENDER].copied) {
		fprintf(f, "%s %s encrypted", before,
			bytes_text(text, ledger->tls[NIO_SIDE_SENDER].copied));
		before = " +";
	}
	if (rest && sent.doubt & DOUBT_LEAST)
		fprintf(f, "%s >=%s unclassified", before, TEXT_LEAST(rest));
	else if (rest)
		fprintf(f, "%s %s unclassified", before, bytes_text(text, rest));
	fprintf(f, "; %s received", amount__bytes(text, &received));
	print_uncopied(f, ledger);
	fputs(". Compared with the sockets' own counters, unaccounted: ", f);
	print_unaccounted(f, ledger, NIO_SIDE_SENDER);
	print_unaccounted(f, ledger, NIO_SIDE_RECEIVER);
	if (!r->sees_kinds)
		fputs("This kernel's hooks cannot distinguish sendfile and splice from other "
		      "sends: copied bytes are an upper bound. ",
		      f);
	if (unseen)
		fprintf(f, "%s%s. ",
			unseen == socket_ledger__deferred_reason(ledger)
				? "The bytes of deferred copies are "
				: "More copies may have been made: ",
			unseen);
}

/* Send calls by kind, with the share of the bytes as an interval if not every call was seen. */
static const char *print_kind(FILE *f, const struct attach_result *r, enum nio_send_call kind,
			      const char *before)
{
	const struct socket_ledger *ledger = &r->table.total;
	const struct nio_amount *calls = &ledger->calls[kind];
	struct sampled_share share = attach_result__sent_share(r, kind);
	bool estimate = ledger->divided[NIO_SIDE_SENDER];
	const char *key = socket_ledger__call_key(kind), *mark = estimate ? "~" : "";
	char count[UNITS_BUF], bytes[UNITS_BUF];

	if (!calls->events)
		return before;
	if (estimate && r->events.sampled && share.high - share.low >= SAMPLED_WIDE) {
		uint64_t least = attach_result__calls(ledger, kind).least;

		fprintf(f, least ? "%s%s (at least %s)" : "%s%s (not known)", before, key,
			TEXT_LEAST(least));
		return ", ";
	}
	/* The figures lack the bytes that are unclassified. */
	if (estimate && r->events.sampled && share.known &&
	    socket_ledger__unclassified(ledger, NIO_SIDE_SENDER) > ledger->socket_tx / 1000) {
		fprintf(f, "%s%s (%s of the bytes)", before, key,
			interval__text((char[INTERVAL_LEN]){0}, share.low, share.high));
		return ", ";
	}
	fprintf(f, "%s%s%s %s%s %s (%s%s", before, mark,
		format_count(count, sizeof(count), calls->events),
		kind == NIO_CALL_SPLICE ? "piece" : "call", plural(calls->events), key, mark,
		bytes_text(bytes, calls->bytes));
	if (estimate && r->events.sampled && share.known)
		fprintf(f, "; %s of the bytes",
			interval__text((char[INTERVAL_LEN]){0}, share.low, share.high));
	fputc(')', f);
	return ", ";
}

static void print_sends(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	char count[UNITS_BUF];
	const char *before = "";

	for (unsigned int i = 0; i < NIO_CALL_NR; i++)
		before = print_kind(f, r, i, before);
	for (unsigned int i = 0; i < NIO_REFUSAL_NR; i++) {
		if (!ledger->refused[i])
			continue;
		fprintf(f, "%s%s%s %s (%s)", before, ledger->unwatched ? "~" : "",
			format_count(count, sizeof(count), ledger->refused[i]),
			i == NIO_REFUSAL_EAGAIN ? "would have blocked" : "refused",
			socket_ledger__refusal_name(i));
		before = ", ";
	}
	if (ledger->empty) {
		fprintf(f, "%s%s%s of 0 bytes", before, ledger->unwatched ? "~" : "",
			format_count(count, sizeof(count), ledger->empty));
		before = ", ";
	}
	if (ledger->inner_eagain)
		fprintf(f, "%s%s%s tries of sendfile, splice or io_uring would have blocked",
			before, ledger->unwatched ? "~" : "",
			format_count(count, sizeof(count), ledger->inner_eagain));
}

static void print_cpu(FILE *f, const struct attach_result *r)
{
	cpu_split__print(f, &r->cpu, &r->cpu_total);
}

/* The records of one direction of kTLS. */
static void print_records(FILE *f, const struct tls_ledger *t, const char *direction)
{
	char bytes[UNITS_BUF], records[UNITS_BUF], overhead[UNITS_BUF];

	if (t->records)
		fprintf(f, "%s %s in %s records, which add %s. ", bytes_text(bytes, t->copied),
			direction, format_count(records, sizeof(records), t->records),
			bytes_text(overhead, t->overhead));
}

/* kTLS copies: its cipher reads the plaintext and writes it elsewhere. */
static void print_tls(FILE *f, const struct attach_result *r)
{
	print_records(f, &r->table.total.tls[NIO_SIDE_SENDER], "encrypted");
	print_records(f, &r->table.total.tls[NIO_SIDE_RECEIVER], "decrypted");
}

static void print_uncovered(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	char text[UNITS_BUF];

	for (int i = 0; i < NIO_SIDE_NR * NIO_UNCOVERED_NR; i++) {
		enum nio_side side = (enum nio_side)(i / NIO_UNCOVERED_NR);
		enum nio_uncovered_kind kind = (enum nio_uncovered_kind)(i % NIO_UNCOVERED_NR);
		uint64_t bytes = ledger->uncovered[side][kind];
		bool known = socket_ledger__uncovered(ledger, side, kind).known;

		if (!bytes && !known)
			fprintf(f, "An unknown number of bytes %s: %s. ",
				side ? "received" : "sent", uncovered__text(kind));
		else if (bytes)
			fprintf(f, "%s%s %s: %s. ",
				!known                                          ? "at least "
				: socket_ledger__is_divided(ledger, side, kind) ? "about "
										: "",
				known ? bytes_text(text, bytes)
				      : format_bytes_least(text, sizeof(text), (double)bytes),
				side ? "received" : "sent", uncovered__text(kind));
	}
}

void attach_result__print_shared(FILE *f, const struct process *p)
{
	bool least = p->ledger.unwatched || p->ledger.left_out;
	char owner[OWNER_LEN];

	if (!p->ledger.shared)
		return;
	fprintf(f, "%s includes %s%s of sockets shared with PID %u. ",
		attach_result__owner(owner, p->comm, p->tgid), least ? "at least " : "",
		least ? TEXT_LEAST(p->ledger.shared) : TEXT_BYTES(p->ledger.shared),
		p->shared_with);
}

/* Processes that are named as sharing sockets. */
#define SHARED_NAMED 3

static void print_shared(FILE *f, const struct attach_result *r)
{
	size_t more = 0, named = 0;

	for (size_t i = 0; i < r->table.processes_nr; i++) {
		const struct process *p = &r->table.processes[i];

		if (!p->ledger.shared)
			continue;
		if (named++ < SHARED_NAMED)
			attach_result__print_shared(f, p);
		else
			more++;
	}
	if (more)
		fprintf(f, "%zu more process%s shared sockets, too. ", more, more == 1 ? "" : "es");
}

static void print_watching(FILE *f, const struct attach_result *r)
{
	const struct groups *g = r->table.groups;
	const struct {
		uint64_t nr;
		const char *noun, *text;
	} left_out[] = {
		{r->loss.sockets_full, "socket", "did not fit (--max-sockets): sums are unknown"},
		{r->loss.tasks_full, "process", "did not fit, or began unseen: sums are unknown"},
		{r->loss.ends_missed, "connection", "began or ended unseen: sums are unknown"},
		{r->table.closed_left_out, "closed connection", "only in the sums"},
		{r->table.processes_left_out, "connection", "of processes that are not listed"},
		{r->o->by == BY_PORT     ? groups__left_out(&g[GROUP_PORT])
		 : r->o->by == BY_CGROUP ? groups__left_out(&g[GROUP_CGROUP])
					 : 0,
		 "connection", "of groups that are not listed"},
	};
	char count[UNITS_BUF];

	if (r->missed.known)
		fprintf(f, "%" PRIu64 " event%s missed. ", r->missed.value,
			plural(r->missed.value));
	else
		fprintf(f, "events missed: n/a (%s). ", r->missed.reason);
	if (r->events.all_ns)
		fprintf(f,
			"Watching calls and copies took about %.2f %% of a CPU (estimated by their "
			"number). ",
			100 * r->events.spent_ns / (double)r->events.all_ns);
	if (attach_result__hides_pins(&r->table.total))
		fputs("Whether pages were pinned is unknown: " ATTACH_RINGS ". ", f);
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].nr)
			fprintf(f, "%s %s%s %s. ",
				format_count(count, sizeof(count), left_out[i].nr),
				left_out[i].noun, plural(left_out[i].nr), left_out[i].text);
}

/* "84 %": 1 to 99, "< 1 %" or "> 99 %" of a part that is neither none nor all. */
static char *part_text(char buf[UNITS_BUF], uint64_t part, uint64_t all)
{
	double percent = 100.0 * (double)part / (double)all;

	if (part && percent < 1)
		return strcpy(buf, "< 1 %");
	if (part < all && percent > 99)
		return strcpy(buf, "> 99 %");
	snprintf(buf, UNITS_BUF, "%.0f %%", percent);
	return buf;
}

/* A direction with less than this part of the other's bytes is left to the line of the books. */
#define NEGLIGIBLE 100

/* What the figures leave open, in one line: the bytes that no figure of the table has. */
static void print_not_known(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;
	uint64_t sent = row_value__of(VALUE_SENT, ledger),
		 received = row_value__of(VALUE_RECEIVED, ledger);
	bool tx = received / NEGLIGIBLE <= sent, rx = sent / NEGLIGIBLE <= received;
	uint64_t unsent = tx ? unclassified_sent(r) : 0;
	uint64_t unread = rx ? unclassified_received(r) : 0;
	char text[UNITS_BUF];

	if (r->table.total.left_out)
		fputs("sums: sockets or processes were left out (watching). ", f);
	if (!unsent && !unread && !(tx && ledger->divided[NIO_SIDE_SENDER]) &&
	    !(rx && ledger->divided[NIO_SIDE_RECEIVER]))
		return;
	/* Of bytes that are not all known there is no part. */
	if (unsent)
		fprintf(f, "how %s of the bytes were sent",
			socket_ledger__is_least(ledger, NIO_SIDE_SENDER)
				? "some"
				: part_text(text, unsent, sent));
	if (unread)
		fprintf(f, "%show %s of the bytes were received", unsent ? ", " : "",
			socket_ledger__is_least(ledger, NIO_SIDE_RECEIVER)
				? "some"
				: part_text(text, unread, received));
	if (!unsent && !unread)
		fputs("the calls of some bytes, which are divided as those that were seen (~)", f);
	if (r->events.sampled && r->events.all_ns)
		fprintf(f, " (watched %s of the time; --count-calls: always)",
			part_text(text, r->events.seen_ns, r->events.all_ns));
	fputs(". ", f);
}

static struct attach_verdict total_verdict(const struct attach_result *r)
{
	const struct attach_row total = attach_row__total(r);
	struct attach_verdict verdict;

	attach_result__verdict(&verdict, r, &total);
	return verdict;
}

static void print_verdict(FILE *f, const struct attach_result *r)
{
	fputs(total_verdict(r).text, f);
}

static void print_advice(FILE *f, const struct attach_result *r)
{
	fputs(total_verdict(r).advice, f);
}

/* Writes nothing if `say` writes nothing. */
static void print_note(FILE *f, unsigned int columns, const struct attach_result *r,
		       const char *label, void (*print)(FILE *f, const struct attach_result *r))
{
	struct text_note n;

	text_note__begin(&n);
	print(n.f, r);
	text_note__end(&n, f, columns, label);
}

static bool saw_no_connection(const struct attach_result *r)
{
	const struct socket_ledger *t = &r->table.total;

	return !t->connections && !t->unconnected && !r->loss.sockets_full && !r->loss.tasks_full &&
	       !r->loss.ends_missed;
}

static void print_no_connection(FILE *f, const struct attach_result *r)
{
	fputs("No TCP connection was open or made, so there is nothing to count.", f);
	if (r->o->target.pids_nr && !r->o->target.children)
		fputs(" --children watches the child processes of --pid as well.", f);
}

void attach_result__print(FILE *f, unsigned int columns, const struct attach_result *r)
{
	static const struct {
		const char *label;
		void (*print)(FILE *f, const struct attach_result *r);
	} notes[] = {{"answer", attach_result__print_answer},
		     {"verdict", print_verdict},
		     {"advice", print_advice},
		     {NULL, NULL}, /* the table */
		     {"not known", print_not_known},
		     {"books", print_ledger},
		     {"sends", print_sends},
		     {"cpu", print_cpu},
		     {"kTLS", print_tls},
		     {"uncovered", print_uncovered},
		     {"shared", print_shared},
		     {"watching", print_watching}};

	print_head(f, columns, r);
	if (saw_no_connection(r)) {
		print_note(f, columns, r, "verdict", print_no_connection);
		print_note(f, columns, r, "watching", print_watching);
		return;
	}
	print_note(f, columns, r, "", print_unbalanced);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (notes[i].label) {
			print_note(f, columns, r, notes[i].label, notes[i].print);
			continue;
		}
		fputc('\n', f);
		attach_result__print_table(f, columns, r);
		fputc('\n', f);
	}
}

/* The rate of a minimum has its mark, and is rounded down; below the last digit it says nothing. */
static void put_rate(char buf[UNITS_BUF], const struct amount *a, double gbit_s)
{
	const char *mark = a->doubt & DOUBT_ESTIMATE ? "~" : amount__mark(a);

	gbit_s = *mark == '>' ? round_least(gbit_s, 2) : gbit_s;
	if (*mark == '>' && !gbit_s)
		strcpy(buf, "n/a");
	else
		snprintf(buf, UNITS_BUF, "%s%.2f", mark, gbit_s);
}

void rate_line__print(FILE *f, struct rate_line *l, const struct attach_result *r)
{
	uint64_t ns = r->ended_ns - (l->at_ns ? l->at_ns : r->begun_ns);
	const struct socket_ledger *ledger = &r->table.total;
	uint64_t more[VALUE_NR];

	if (!l->headed) {
		fprintf(f, "Gbit/s of each interval\n%7s %6s", "s", "conns");
		for (int v = 0; v < VALUE_NR; v++)
			fprintf(f, " %9s", attach_columns[v].head);
		fputc('\n', f);
	}
	fprintf(f, "%7.1f %6zu", (double)(r->ended_ns - r->begun_ns) / 1e9, r->table.open_nr);
	for (int v = 0; v < VALUE_NR; v++) {
		uint64_t now = row_value__of((enum row_value)v, ledger);

		more[v] = now > l->before[v] ? now - l->before[v] : 0;
		l->before[v] = now;
	}
	for (int v = 0; v < VALUE_NR; v++) {
		bool way = v >= VALUE_COPIED && v <= VALUE_SPLICED;
		struct amount a = row_value__amount((enum row_value)v, r, ledger);
		char text[UNITS_BUF] = "n/a";

		/* Above what was sent: bytes of earlier intervals, whose calls are known only now.
		 */
		if (!(a.doubt & (DOUBT_UNKNOWN | DOUBT_WIDE)) &&
		    (!way || (more[VALUE_COPIED] + more[VALUE_PINNED] + more[VALUE_SPLICED] <=
			      more[VALUE_SENT])))
			put_rate(text, &a, ns ? (double)more[v] * 8 / (double)ns : 0);
		fprintf(f, " %9s", text);
	}
	fputc('\n', f);
	l->headed = true;
	l->at_ns = r->ended_ns;
}
