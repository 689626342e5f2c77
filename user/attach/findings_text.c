/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of attach, and its line each interval. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings.h"
#include "base/text_note.h"
#include "common/units.h"
#include "cpu_text.h"
#include "model/uncovered.h"

static const char *const call_words[NIO_CALL_NR] = {
#define X(id, key, text) [NIO_CALL_##id] = key,
	NIO_SEND_KINDS(X)
#undef X
};

static const char *backend_of(const struct findings *r)
{
	return r->plan_nr && r->plan[0].backend ? r->plan[0].backend : "none";
}

static void print_head(FILE *f, unsigned int width, const struct findings *r)
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

static void say_unaccounted(FILE *f, const struct books *b, enum nio_side side, const char *word)
{
	struct real u = books__unaccounted(b, side);

	if (u.known)
		fprintf(f, "%.0f B %s", u.value, word);
	else
		fprintf(f, "n/a %s (%s)", word, u.reason);
}

static void say_books(FILE *f, const struct findings *r)
{
	const struct books *b = &r->table.total;
	char text[5][UNITS_BUF];

	fprintf(f,
		"%s sent = %s copied + %s pinned + %s spliced; %s received. Held against the "
		"sockets' own numbers, unaccounted: ",
		format_bytes_si(text[0], UNITS_BUF, (double)books__booked(b, NIO_SIDE_SENDER)),
		findings__bytes(text[1], UNITS_BUF, b, NIO_STAGE_TX_COPY),
		findings__bytes(text[2], UNITS_BUF, b, NIO_STAGE_TX_PIN),
		findings__bytes(text[3], UNITS_BUF, b, NIO_STAGE_TX_SPLICE),
		format_bytes_si(text[4], UNITS_BUF, (double)books__booked(b, NIO_SIDE_RECEIVER)));
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
static void say_calls(FILE *f, const struct findings *r, int kind)
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

static void say_sends(FILE *f, const struct findings *r)
{
	static const char *const refusals[NIO_REFUSAL_NR] = {
#define X(id, key) [NIO_REFUSAL_##id] = key,
		NIO_REFUSALS(X)
#undef X
	};
	const struct books *b = &r->table.total;
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

static void say_cpu(FILE *f, const struct findings *r)
{
	cpu_text__say(f, &r->cpu);
}

static void say_uncovered(FILE *f, const struct findings *r)
{
	const struct books *b = &r->table.total;
	char bytes[UNITS_BUF];

	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (b->uncovered[side][kind])
				fprintf(f, "%s %s: %s. ",
					format_bytes_si(bytes, sizeof(bytes),
							(double)b->uncovered[side][kind]),
					side ? "received" : "sent",
					uncovered__text((enum nio_uncovered_kind)kind));
}

static void say_watching(FILE *f, const struct findings *r)
{
	const struct groups *groups = findings__groups(r);
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
		{r->netns_left_out, "network namespace was not looked at: sums are not known",
		 "network namespaces were not looked at: sums are not known"},
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
		 void (*say)(FILE *f, const struct findings *r), const struct findings *r)
{
	struct text_note n;

	text_note__begin(&n);
	if (say)
		say(n.f, r);
	else
		fputs(text, n.f);
	text_note__end(&n, f, width, label);
}

void findings__print(FILE *f, unsigned int columns, const struct findings *r)
{
	const struct findings_row total = {.books = &r->table.total};
	struct judgement j;

	findings__judge(&j, r, &total);
	print_head(f, columns, r);
	findings__print_table(f, columns, r);
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

void rate_line__print(FILE *f, struct rate_line *l, const struct findings *r)
{
	const struct books *b = &r->table.total, *was = &l->before;
	uint64_t ns = r->ended_ns - (l->at_ns ? l->at_ns : r->begun_ns);

	if (!l->headed)
		fprintf(f, "Gbit/s of each interval\n%7s %6s %9s %9s %9s %9s %9s %9s\n", "s",
			"conns", "sent", "copied", "pinned", "spliced", "deferred", "received");
	l->headed = true;
	fprintf(f, "%7.1f %6zu %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n",
		(double)(r->ended_ns - r->begun_ns) / 1e9, r->table.open_nr,
		rate(books__booked(b, NIO_SIDE_SENDER), books__booked(was, NIO_SIDE_SENDER), ns),
		rate(b->stages[NIO_STAGE_TX_COPY].bytes, was->stages[NIO_STAGE_TX_COPY].bytes, ns),
		rate(b->stages[NIO_STAGE_TX_PIN].bytes, was->stages[NIO_STAGE_TX_PIN].bytes, ns),
		rate(b->stages[NIO_STAGE_TX_SPLICE].bytes, was->stages[NIO_STAGE_TX_SPLICE].bytes,
		     ns),
		rate(b->stages[NIO_STAGE_DEFERRED_COPY].bytes,
		     was->stages[NIO_STAGE_DEFERRED_COPY].bytes, ns),
		rate(books__booked(b, NIO_SIDE_RECEIVER), books__booked(was, NIO_SIDE_RECEIVER),
		     ns));
	l->before = *b;
	l->at_ns = r->ended_ns;
}
