/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of attach, and its line each interval. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings.h"
#include "base/text_note.h"
#include "common/units.h"
#include "judge.h"
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

static void note_books(FILE *f, unsigned int width, const struct findings *r)
{
	const struct books *b = &r->table.total;
	char text[6][UNITS_BUF];
	struct text_note n;

	text_note__begin(&n);
	fprintf(n.f,
		"%s sent = %s copied + %s pinned + %s spliced; %s received. Held against the "
		"sockets' own numbers, unaccounted: ",
		format_bytes_si(text[0], UNITS_BUF, (double)books__booked(b, NIO_SIDE_SENDER)),
		findings__bytes(text[1], UNITS_BUF, b, NIO_STAGE_TX_COPY),
		findings__bytes(text[2], UNITS_BUF, b, NIO_STAGE_TX_PIN),
		format_bytes_si(text[3], UNITS_BUF, (double)b->stages[NIO_STAGE_TX_SPLICE].bytes),
		format_bytes_si(text[4], UNITS_BUF, (double)books__booked(b, NIO_SIDE_RECEIVER)));
	say_unaccounted(n.f, b, NIO_SIDE_SENDER, "sent");
	fputs(", ", n.f);
	say_unaccounted(n.f, b, NIO_SIDE_RECEIVER, "received");
	fputs(". ", n.f);
	if (!r->told)
		fputs("This kernel's hooks do not tell sendfile and splice from other sends: what "
		      "is copied is an upper bound. ",
		      n.f);
	if (b->divided[NIO_SIDE_SENDER] || b->divided[NIO_SIDE_RECEIVER])
		fprintf(n.f,
			"Bytes sent and received are exact; how they were copied is estimated from "
			"the calls that were seen, %.0f %% of the bytes. ",
			100.0 * (double)(b->seen_tx + b->seen_rx) /
				(double)(b->socket_tx + b->socket_rx));
	text_note__end(&n, f, width, "books");
}

static const char *const refusal_keys[NIO_REFUSAL_NR] = {
#define X(id, key) [NIO_REFUSAL_##id] = key,
	NIO_REFUSALS(X)
#undef X
};

static void say_refused(FILE *f, const struct books *b, const char *before)
{
	for (int i = 0; i < NIO_REFUSAL_NR; i++) {
		char calls[UNITS_BUF];

		if (!b->refused[i])
			continue;
		fprintf(f, "%s%s refused (%s)", before,
			format_count(calls, sizeof(calls), b->refused[i]), refusal_keys[i]);
		before = ", ";
	}
}

static void note_sends(FILE *f, unsigned int width, const struct findings *r)
{
	const struct books *b = &r->table.total;
	const char *before = "";
	struct text_note n;

	text_note__begin(&n);
	for (int i = 0; i < NIO_CALL_NR; i++) {
		char calls[UNITS_BUF], bytes[UNITS_BUF];

		if (!b->calls[i].events)
			continue;
		fprintf(n.f, "%s%s call%s %s (%s)", before,
			format_count(calls, sizeof(calls), b->calls[i].events),
			plural(b->calls[i].events), call_words[i],
			format_bytes_si(bytes, sizeof(bytes), (double)b->calls[i].bytes));
		before = ", ";
	}
	say_refused(n.f, b, before);
	text_note__end(&n, f, width, "sends");
}

static void note_text(FILE *f, unsigned int width, const char *label, const char *text)
{
	struct text_note n;

	text_note__begin(&n);
	fputs(text, n.f);
	text_note__end(&n, f, width, label);
}

static void note_cpu(FILE *f, unsigned int width, const struct findings *r)
{
	struct text_note n;

	text_note__begin(&n);
	cpu_found__say(n.f, &r->cpu);
	text_note__end(&n, f, width, "cpu");
}

static void note_uncovered(FILE *f, unsigned int width, const struct findings *r)
{
	const struct books *b = &r->table.total;
	struct text_note n;

	text_note__begin(&n);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			char bytes[UNITS_BUF];

			if (!b->uncovered[side][kind])
				continue;
			fprintf(n.f, "%s %s: %s. ",
				format_bytes_si(bytes, sizeof(bytes),
						(double)b->uncovered[side][kind]),
				side ? "received" : "sent",
				uncovered__text((enum nio_uncovered_kind)kind));
		}
	}
	text_note__end(&n, f, width, "besides");
}

static void say_left_out(FILE *f, uint64_t n, const char *one, const char *several)
{
	char count[UNITS_BUF];

	if (n)
		fprintf(f, "%s %s. ", format_count(count, sizeof(count), n),
			n == 1 ? one : several);
}

static void note_watching(FILE *f, unsigned int width, const struct findings *r)
{
	struct text_note n;

	text_note__begin(&n);
	if (r->missed.known)
		fprintf(n.f, "%" PRIu64 " event%s missed. ", r->missed.value,
			plural(r->missed.value));
	else
		fprintf(n.f, "events missed: n/a (%s). ", r->missed.reason);
	if (r->events.sampled && r->events.all_ns)
		fprintf(n.f, "Calls and copies were watched %.0f %% of the time, in %zu periods. ",
			100.0 * (double)r->events.seen_ns / (double)r->events.all_ns,
			r->events.windows);
	say_left_out(n.f, r->loss.sockets_full, "socket found no room (--max-sockets)",
		     "sockets found no room (--max-sockets)");
	say_left_out(n.f, r->loss.tasks_full, "process found no room", "processes found no room");
	say_left_out(n.f, r->loss.ends_missed,
		     "end of a connection was not seen: sums are not known",
		     "ends of connections were not seen: sums are not known");
	say_left_out(n.f, r->table.closed_left_out,
		     "closed connection is in the sums only, not by itself",
		     "closed connections are in the sums only, not by themselves");
	say_left_out(n.f, r->table.processes_left_out,
		     "connection is of a process that is not listed",
		     "connections are of processes that are not listed");
	if (findings__groups(r))
		say_left_out(n.f, groups__left_out(findings__groups(r)),
			     "connection is of another than are listed",
			     "connections are of others than are listed");
	say_left_out(n.f, r->netns_left_out, "network namespace was not looked at",
		     "network namespaces were not looked at");
	text_note__end(&n, f, width, "watching");
}

void findings__print(FILE *f, unsigned int columns, const struct findings *r)
{
	struct grounds grounds = findings__grounds(r, NULL);
	struct judgement j;

	judge__give(&j, &grounds);
	print_head(f, columns, r);
	findings__print_table(f, columns, r);
	fputc('\n', f);
	note_books(f, columns, r);
	note_sends(f, columns, r);
	note_text(f, columns, "zero-copy", j.text);
	note_text(f, columns, "advice", j.advice);
	note_cpu(f, columns, r);
	note_uncovered(f, columns, r);
	note_watching(f, columns, r);
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
