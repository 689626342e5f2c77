/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text at the end of attach, and its line each interval. The table has a row for each process,
 * connection, port or cgroup and fits the width; a line below names what it leaves out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/address.h"
#include "base/text_note.h"
#include "common/units.h"
#include "attach_result.h"
#include "model/unsupported_paths.h"
#include "screen/text_cells.h"

#define CELL     10 /* with the space before it */
#define NAME_MIN 30
#define NAME_LEN (GROUP_NAME_LEN + 32)

enum column {
	COLUMN_SENT,
	COLUMN_COPIED,
	COLUMN_PINNED,
	COLUMN_SPLICED,
	COLUMN_DEFERRED,
	COLUMN_RECEIVED,
	COLUMN_COPIES,
	COLUMN_NR,
};

static const char *const heads[COLUMN_NR] = {"sent",     "copied",   "pinned",  "spliced",
					     "deferred", "received", "copies/B"};

/* In which columns are left out, those that are missed least first; 0: never. */
static const unsigned int order_of[COLUMN_NR] = {
	[COLUMN_DEFERRED] = 1,
	[COLUMN_SPLICED] = 2,
	[COLUMN_COPIES] = 3,
	[COLUMN_PINNED] = 4,
};

struct row {
	const char *name;
	const char *brief; /* the same without the least important parts */
	const struct socket_ledger *books;
};

/* Sums for the table, over all its rows. */
struct making {
	FILE *f;
	struct text_fit fit;
	int longest;        /* name */
	size_t rows, there; /* rows of --by: shown, and in all */
};

typedef void (*take_row)(struct making *m, const struct row *row);

static char *word_cell(char buf[UNITS_BUF], const char *word)
{
	snprintf(buf, UNITS_BUF, "%s", word);
	return buf;
}

/* 0 is a dash, so that other values stand out. */
static char *bytes_cell(char buf[UNITS_BUF], uint64_t bytes)
{
	if (!bytes)
		return word_cell(buf, "-");
	return format_bytes_si(buf, UNITS_BUF, (double)bytes);
}

/* Deferred copies may have been missed: the figure is a lower bound. */
static char *least_cell(char buf[UNITS_BUF], const struct socket_ledger *b)
{
	char bytes[UNITS_BUF];

	format_bytes_si(bytes, sizeof(bytes), (double)b->stages[NIO_STAGE_DEFERRED_COPY].bytes);
	snprintf(buf, UNITS_BUF, ">=%.*s", UNITS_BUF - 3, bytes);
	return buf;
}

static char *stage_cell(char buf[UNITS_BUF], const struct socket_ledger *b, enum nio_stage stage)
{
	if (stage == NIO_STAGE_DEFERRED_COPY && socket_ledger__arrivals_missed(b))
		return least_cell(buf, b);
	return bytes_cell(buf, b->stages[stage].bytes);
}

static char *copies_cell(char buf[UNITS_BUF], const struct socket_ledger *b)
{
	struct real copies = socket_ledger__copies_per_byte(b);

	if (!copies.known)
		return word_cell(buf, "n/a");
	snprintf(buf, UNITS_BUF, "%s%.2f", socket_ledger__arrivals_missed(b) ? ">=" : "",
		 copies.value);
	return buf;
}

static char *cell_of(char buf[UNITS_BUF], const struct socket_ledger *b, enum column c)
{
	switch (c) {
	case COLUMN_SENT:
		return bytes_cell(buf, socket_ledger__booked(b, NIO_SIDE_SENDER));
	case COLUMN_COPIED:
		return stage_cell(buf, b, NIO_STAGE_TX_COPY);
	case COLUMN_PINNED:
		return stage_cell(buf, b, NIO_STAGE_TX_PIN);
	case COLUMN_SPLICED:
		return stage_cell(buf, b, NIO_STAGE_TX_SPLICE);
	case COLUMN_DEFERRED:
		return stage_cell(buf, b, NIO_STAGE_DEFERRED_COPY);
	case COLUMN_RECEIVED:
		return bytes_cell(buf, socket_ledger__booked(b, NIO_SIDE_RECEIVER));
	default:
		return copies_cell(buf, b);
	}
}

/* Then it is 0 in every row. */
static bool is_zero(const struct socket_ledger *total, enum column c)
{
	char cell[UNITS_BUF];

	return !strcmp(cell_of(cell, total, c), "-");
}

static void each_connection(struct making *m, const struct attach_result *r, take_row take)
{
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX], owner[OWNER_LEN];
	char name[3 * ADDRESS_TEXT_MAX], brief[3 * ADDRESS_TEXT_MAX];
	const struct sock_state *s;

	for (size_t i = 0; i < r->o->top && (s = table__connection(&r->table, i)); i++) {
		struct socket_ledger b = {0};

		socket_ledger__add_socket(&b, s);
		attach_result__address(local, sizeof(local), s->family, s->local, s->local_port);
		attach_result__address(remote, sizeof(remote), s->family, s->remote,
				       s->remote_port);
		attach_result__owner(owner, s->comm, s->tgid);
		snprintf(name, sizeof(name), "%s %s > %s", owner, local, remote);
		snprintf(brief, sizeof(brief), "%s :%u > %s", owner, s->local_port, remote);
		take(m, &(struct row){name, brief, &b});
	}
}

static void take_connections(struct making *m, take_row take, const char *whose,
			     const struct socket_ledger *b)
{
	char name[NAME_LEN];

	snprintf(name, sizeof(name), "%s, %zu connection%s", whose, b->connections,
		 plural(b->connections));
	take(m, &(struct row){name, name, b});
}

static void each_process(struct making *m, const struct attach_result *r, take_row take)
{
	char process[PROCESS_LEN];
	size_t taken = 0;

	for (size_t i = 0; i < r->table.processes_nr && taken < r->o->top; i++) {
		const struct process *p = &r->table.processes[i];

		if (!p->books.connections)
			continue;
		take_connections(m, take, attach_result__process(process, r, p), &p->books);
		taken++;
	}
}

static void each_group(struct making *m, const struct attach_result *r, take_row take)
{
	const struct groups *g = attach_result__groups(r);
	char group[GROUP_NAME_LEN];

	for (size_t i = 0; i < g->nr && i < r->o->top; i++)
		take_connections(m, take, attach_result__group(group, r, &g->list[i]),
				 &g->list[i].books);
}

static void each_row(struct making *m, const struct attach_result *r, take_row take)
{
	if (r->o->by == BY_PROCESS)
		each_process(m, r, take);
	else if (attach_result__groups(r))
		each_group(m, r, take);
	else
		each_connection(m, r, take);
}

size_t attach_result__rows(const struct attach_result *r)
{
	size_t nr = 0;

	if (attach_result__groups(r))
		return attach_result__groups(r)->nr;
	if (r->o->by == BY_CONNECTION)
		return r->table.ranked_nr;
	for (size_t i = 0; i < r->table.processes_nr; i++)
		nr += r->table.processes[i].books.connections != 0;
	return nr;
}

static void make_room(struct making *m, const char *name)
{
	int len = (int)strlen(name);

	m->longest = len > m->longest ? len : m->longest;
}

static void measure(struct making *m, const struct row *row)
{
	make_room(m, row->name);
	m->rows++;
}

static struct text_fit fit_of(int width, int longest, const struct socket_ledger *total)
{
	struct text_fit_column columns[COLUMN_NR];

	for (int c = 0; c < COLUMN_NR; c++)
		columns[c] = (struct text_fit_column){is_zero(total, (enum column)c), order_of[c]};
	return text_fit__of(width, CELL, longest, NAME_MIN, columns, COLUMN_NR);
}

static void print_row(struct making *m, const struct row *row)
{
	bool fits = (int)strlen(row->name) <= m->fit.name;
	char name[NAME_LEN], cell[UNITS_BUF];

	fprintf(m->f, "%-*s", m->fit.name,
		fits ? row->name : text_fit__shorten(name, sizeof(name), row->brief, m->fit.name));
	for (int c = 0; c < COLUMN_NR; c++)
		if (!(m->fit.left_out & 1u << c))
			fprintf(m->f, " %9s", cell_of(cell, row->books, (enum column)c));
	fputc('\n', m->f);
}

static void print_heads(const struct making *m, const char *name)
{
	fprintf(m->f, "%-*s", m->fit.name, name);
	for (int c = 0; c < COLUMN_NR; c++)
		if (!(m->fit.left_out & 1u << c))
			fprintf(m->f, " %9s", heads[c]);
	fputc('\n', m->f);
}

/* The columns left out that are 0 in every row, or the others: which, in list. How many. */
static int list_left_out(const struct text_fit *fit, const struct socket_ledger *total, bool zero,
			 enum column list[COLUMN_NR])
{
	int nr = 0;

	for (int c = 0; c < COLUMN_NR; c++)
		if (fit->left_out & 1u << c && is_zero(total, (enum column)c) == zero)
			list[nr++] = (enum column)c;
	return nr;
}

/* It took no room from anybody: their heads are words for what did not happen. */
static void say_nothing(FILE *f, const enum column list[COLUMN_NR], int nr)
{
	for (int i = 0; i < nr; i++)
		fprintf(f, "%s%s",
			!i           ? "Nothing was "
			: i + 1 < nr ? ", "
				     : " or ",
			heads[list[i]]);
	fputs(nr ? ". " : "", f);
}

static void say_no_room(FILE *f, const enum column list[COLUMN_NR], int nr,
			const struct socket_ledger *total)
{
	char cell[UNITS_BUF];

	for (int i = 0; i < nr; i++)
		fprintf(f, "%s%s (%s in all)", !i ? "No room in the table for " : ", ",
			heads[list[i]], cell_of(cell, total, list[i]));
	fputs(nr ? "." : "", f);
}

static void say_left_out(const struct making *m, unsigned int width,
			 const struct socket_ledger *total)
{
	enum column list[COLUMN_NR] = {0};
	struct text_note n;

	text_note__begin(&n);
	if (m->rows < m->there)
		fprintf(n.f, "%zu more %s in the total only: --top %zu shows %s. ",
			m->there - m->rows, m->there - m->rows == 1 ? "is" : "are", m->there,
			m->there - m->rows == 1 ? "it" : "them");
	say_nothing(n.f, list, list_left_out(&m->fit, total, true, list));
	say_no_room(n.f, list, list_left_out(&m->fit, total, false, list), total);
	text_note__end(&n, m->f, width, "");
}

void attach_result__print_table(FILE *f, unsigned int width, const struct attach_result *r)
{
	const struct socket_ledger *total = &r->table.total;
	const char *by = by__name(r->o->by);
	struct making m = {.f = f};
	bool summed;

	each_row(&m, r, measure);
	m.there = attach_result__rows(r);
	/* A single process needs no sum. */
	summed = r->o->by != BY_PROCESS || m.there > 1;
	make_room(&m, by);
	make_room(&m, "total");
	m.fit = fit_of((int)width, m.longest, total);
	print_heads(&m, by);
	each_row(&m, r, print_row);
	if (summed)
		print_row(&m, &(struct row){"total", "total", total});
	say_left_out(&m, width, total);
}

static const char *const call_words[NIO_CALL_NR] = {
#define X(id, key, text) [NIO_CALL_##id] = key,
	NIO_SEND_KINDS(X)
#undef X
};

static const char *backend_of(const struct attach_result *r)
{
	return r->plan_nr && r->plan[0].backend ? r->plan[0].backend : "none";
}

static void print_head(FILE *f, unsigned int width, const struct attach_result *r)
{
	char item[160], time[UNITS_BUF];
	size_t used = 0;

	text_item__print(f, width, &used, "netiotrace " NETIOTRACE_VERSION);
	snprintf(item, sizeof(item), "Linux %s", r->env.kernel);
	text_item__print(f, width, &used, item);
	text_item__print(f, width, &used, "attach");
	format_ns(time, sizeof(time), (double)(r->ended_ns - r->begun_ns));
	text_item__print(f, width, &used, time);
	snprintf(item, sizeof(item), "%zu connection%s", r->table.total.connections,
		 plural(r->table.total.connections));
	text_item__print(f, width, &used, item);
	snprintf(item, sizeof(item), "backend %s", backend_of(r));
	text_item__print(f, width, &used, item);
	fputs("\n\n", f);
}

static void say_unaccounted(FILE *f, const struct socket_ledger *b, enum nio_side side,
			    const char *word)
{
	struct real u = socket_ledger__unaccounted(b, side);

	if (u.known)
		fprintf(f, "%.0f B %s", u.value, word);
	else
		fprintf(f, "n/a %s (%s)", word, u.reason);
}

static void say_books(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *b = &r->table.total;
	char text[5][UNITS_BUF];

	fprintf(f,
		"%s sent = %s copied + %s pinned + %s spliced; %s received. Held against the "
		"sockets' own numbers, unaccounted: ",
		format_bytes_si(text[0], UNITS_BUF,
				(double)socket_ledger__booked(b, NIO_SIDE_SENDER)),
		attach_result__bytes(text[1], UNITS_BUF, b, NIO_STAGE_TX_COPY),
		attach_result__bytes(text[2], UNITS_BUF, b, NIO_STAGE_TX_PIN),
		attach_result__bytes(text[3], UNITS_BUF, b, NIO_STAGE_TX_SPLICE),
		format_bytes_si(text[4], UNITS_BUF,
				(double)socket_ledger__booked(b, NIO_SIDE_RECEIVER)));
	say_unaccounted(f, b, NIO_SIDE_SENDER, "sent");
	fputs(", ", f);
	say_unaccounted(f, b, NIO_SIDE_RECEIVER, "received");
	fputs(". ", f);
	if (!r->told)
		fputs("This kernel's hooks do not tell sendfile and splice from other sends: what "
		      "is copied is an upper bound. ",
		      f);
	if (b->divided[NIO_SIDE_SENDER] || b->divided[NIO_SIDE_RECEIVER])
		fprintf(f,
			"Bytes sent and received are exact; how they were copied is estimated from "
			"the calls that were seen, %.0f %% of the bytes. ",
			100.0 * (double)(b->seen_tx + b->seen_rx) /
				(double)(b->socket_tx + b->socket_rx));
}

/* One kind of send call; its share of the bytes as an interval if not every call was seen. */
static void say_calls(FILE *f, const struct attach_result *r, int kind)
{
	const struct nio_amount *calls = &r->table.total.calls[kind];
	char count[UNITS_BUF], bytes[UNITS_BUF];

	fprintf(f, "%s call%s %s (%s", format_count(count, sizeof(count), calls->events),
		plural(calls->events), call_words[kind],
		format_bytes_si(bytes, sizeof(bytes), (double)calls->bytes));
	if (r->events.sampled && r->events.sent[kind].high - r->events.sent[kind].low >= 0.01)
		fprintf(f, "; %.0f to %.0f %% of the bytes", r->events.sent[kind].low * 100,
			r->events.sent[kind].high * 100);
	fputc(')', f);
}

static void say_sends(FILE *f, const struct attach_result *r)
{
	static const char *const refusals[NIO_REFUSAL_NR] = {
#define X(id, key) [NIO_REFUSAL_##id] = key,
		NIO_REFUSALS(X)
#undef X
	};
	const struct socket_ledger *b = &r->table.total;
	const char *before = "";
	char calls[UNITS_BUF];

	for (int i = 0; i < NIO_CALL_NR; i++) {
		if (!b->calls[i].events)
			continue;
		fputs(before, f);
		say_calls(f, r, i);
		before = ", ";
	}
	for (int i = 0; i < NIO_REFUSAL_NR; i++) {
		if (!b->refused[i])
			continue;
		fprintf(f, "%s%s refused (%s)", before,
			format_count(calls, sizeof(calls), b->refused[i]), refusals[i]);
		before = ", ";
	}
}

static void say_cpu(FILE *f, const struct attach_result *r)
{
	cpu_found__say(f, &r->cpu);
}

static void say_uncovered(FILE *f, const struct attach_result *r)
{
	const struct socket_ledger *b = &r->table.total;
	char bytes[UNITS_BUF];

	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (b->uncovered[side][kind])
				fprintf(f, "%s %s: %s. ",
					format_bytes_si(bytes, sizeof(bytes),
							(double)b->uncovered[side][kind]),
					side ? "received" : "sent",
					unsupported_paths__text((enum nio_uncovered_kind)kind));
}

static void say_watching(FILE *f, const struct attach_result *r)
{
	const struct groups *groups = attach_result__groups(r);
	const struct {
		uint64_t nr;
		const char *one, *several;
	} left_out[] = {
		{r->loss.sockets_full, "socket found no room (--max-sockets): sums are not known",
		 "sockets found no room (--max-sockets): sums are not known"},
		{r->loss.tasks_full, "process found no room: sums are not known",
		 "processes found no room: sums are not known"},
		{r->loss.ends_missed, "end of a connection was not seen: sums are not known",
		 "ends of connections were not seen: sums are not known"},
		{r->table.closed_left_out, "closed connection is in the sums only, not by itself",
		 "closed connections are in the sums only, not by themselves"},
		{r->table.processes_left_out, "connection is of a process that is not listed",
		 "connections are of processes that are not listed"},
		{groups ? groups__left_out(groups) : 0,
		 "connection belongs to a group that is not listed",
		 "connections belong to groups that are not listed"},
		{r->netns_left_out, "network namespace was not read: sums are unknown",
		 "network namespaces were not read: sums are unknown"},
	};
	char count[UNITS_BUF];

	if (r->missed.known)
		fprintf(f, "%" PRIu64 " event%s missed. ", r->missed.value,
			plural(r->missed.value));
	else
		fprintf(f, "events missed: n/a (%s). ", r->missed.reason);
	if (r->events.sampled && r->events.all_ns)
		fprintf(f, "Calls and copies were watched %.0f %% of the time, in %zu periods. ",
			100.0 * (double)r->events.seen_ns / (double)r->events.all_ns,
			r->events.windows);
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].nr)
			fprintf(f, "%s %s. ", format_count(count, sizeof(count), left_out[i].nr),
				left_out[i].nr == 1 ? left_out[i].one : left_out[i].several);
}

/* A paragraph; nothing if say() writes nothing. */
static void note(FILE *f, unsigned int width, const char *label, const char *text,
		 void (*say)(FILE *f, const struct attach_result *r), const struct attach_result *r)
{
	struct text_note n;

	text_note__begin(&n);
	if (say)
		say(n.f, r);
	else
		fputs(text, n.f);
	text_note__end(&n, f, width, label);
}

void attach_result__print(FILE *f, unsigned int columns, const struct attach_result *r)
{
	const struct attach_row total = {.books = &r->table.total};
	struct judgement j;

	attach_result__judge(&j, r, &total);
	print_head(f, columns, r);
	attach_result__print_table(f, columns, r);
	fputc('\n', f);
	note(f, columns, "books", NULL, say_books, r);
	note(f, columns, "sends", NULL, say_sends, r);
	note(f, columns, "verdict", j.text, NULL, r);
	note(f, columns, "advice", j.advice, NULL, r);
	note(f, columns, "cpu", NULL, say_cpu, r);
	note(f, columns, "besides", NULL, say_uncovered, r);
	note(f, columns, "watching", NULL, say_watching, r);
}

static double rate(uint64_t now, uint64_t before, uint64_t ns)
{
	return now > before && ns ? (double)(now - before) * 8 / (double)ns : 0;
}

void rate_line__print(FILE *f, struct rate_line *l, const struct attach_result *r)
{
	const struct socket_ledger *b = &r->table.total, *was = &l->before;
	uint64_t ns = r->ended_ns - (l->at_ns ? l->at_ns : r->begun_ns);

	if (!l->headed)
		fprintf(f, "Gbit/s of each interval\n%7s %6s %9s %9s %9s %9s %9s %9s\n", "s",
			"conns", "sent", "copied", "pinned", "spliced", "deferred", "received");
	l->headed = true;
	fprintf(f, "%7.1f %6zu %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n",
		(double)(r->ended_ns - r->begun_ns) / 1e9, r->table.open_nr,
		rate(socket_ledger__booked(b, NIO_SIDE_SENDER),
		     socket_ledger__booked(was, NIO_SIDE_SENDER), ns),
		rate(b->stages[NIO_STAGE_TX_COPY].bytes, was->stages[NIO_STAGE_TX_COPY].bytes, ns),
		rate(b->stages[NIO_STAGE_TX_PIN].bytes, was->stages[NIO_STAGE_TX_PIN].bytes, ns),
		rate(b->stages[NIO_STAGE_TX_SPLICE].bytes, was->stages[NIO_STAGE_TX_SPLICE].bytes,
		     ns),
		rate(b->stages[NIO_STAGE_DEFERRED_COPY].bytes,
		     was->stages[NIO_STAGE_DEFERRED_COPY].bytes, ns),
		rate(socket_ledger__booked(b, NIO_SIDE_RECEIVER),
		     socket_ledger__booked(was, NIO_SIDE_RECEIVER), ns));
	l->before = *b;
	l->at_ns = r->ended_ns;
}
