/* SPDX-License-Identifier: GPL-2.0-only */
/* How rows of attach move their bytes and what that costs, in words; see attach_result.h. Pure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"
#include "model/congestion.h"
#include "model/sampled_share.h"
#include "screen/grid.h"

/* Rows that the answer names where programs differ. */
#define ROWS_ANSWERED 3

/* From this many times the bytes of the other direction on, a row is about one direction. */
#define MOSTLY 10

/* Send calls and pieces of sendfile below these sizes are named. */
#define SMALL_CALL  1024
#define SMALL_PIECE 16384

/* The least and the most of a share, 0..1. */
struct range {
	double low, high;
};

static struct range range_of(double least, double most, uint64_t all)
{
	double low = fmin(least / (double)all, 1), high = fmin(most / (double)all, 1);

	return (struct range){fmax(low, 0), fmax(high, 0)};
}

/* "80.0%", "58 to 97 %", "< 3 %", with a space after it. Both ends are rounded outwards. */
static void print_range(FILE *f, struct range s)
{
	char text[UNITS_BUF], interval[INTERVAL_LEN];

	format_share(text, sizeof(text), s.low);
	if (s.high - s.low < 0.0005)
		fprintf(f, "%s ", text);
	else if (s.low < 0.01)
		fprintf(f, "< %.0f %% ", fmin(round_least(s.high * 100, 0) + 1, 100));
	else
		fprintf(f, "%s ", interval__text(interval, s.low, s.high));
}

/* The share that a stage has in the bytes of its side. What was peeked at is in rx_copy twice. */
static struct range share_of(const struct attach_result *r, const struct socket_ledger *ledger,
			     enum nio_stage stage)
{
	struct amount a = attach_result__stage(r, ledger, stage);
	bool reads = stage == NIO_STAGE_RX_COPY;
	enum nio_side side = reads ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	double peeked = reads ? (double)ledger->uncovered[side][NIO_UNCOVERED_PEEKED] : 0;
	uint64_t all = socket_ledger__payload(ledger, side);

	if (a.doubt & DOUBT_UNBOUNDED)
		return (struct range){0, 1};
	/* Of more bytes than are known. */
	if (socket_ledger__is_least(ledger, side))
		a.least = 0;
	return range_of((double)a.least - peeked,
			a.doubt & DOUBT_OPEN ? (double)all : (double)a.most - peeked, all);
}

/* An interval that says nothing. */
static bool is_vague(struct range s)
{
	return s.high - s.low > 0.9;
}

/* verb: "sends" or "receives". */
static void print_copied(FILE *f, struct range copied, const char *verb)
{
	if (is_vague(copied)) {
		fprintf(f, "%s, and not all of how is known", verb);
	} else if (copied.low > 0.9995) {
		fprintf(f, "copies all it %s", verb);
	} else {
		fputs("copies ", f);
		print_range(f, copied);
		fprintf(f, "of what it %s", verb);
	}
}

static void print_receives(FILE *f, const struct attach_result *r,
			   const struct socket_ledger *ledger)
{
	struct range copied = share_of(r, ledger, NIO_STAGE_RX_COPY);

	if (copied.high <= 0)
		fputs("receives without a copy in the kernel", f);
	else
		print_copied(f, copied, "receives");
}

/* Bytes by reference may be copied by a device: then sendfile is all that is said. */
static void print_referenced(FILE *f, const struct socket_ledger *ledger, struct range share)
{
	fputs("sends ", f);
	if (share.low <= 0.9995)
		print_range(f, share);
	fputs(socket_ledger__unseen_reason(ledger, NIO_STAGE_TX_SPLICE)
		      ? "by sendfile or splice"
		      : "without a copy (sendfile, splice)",
	      f);
}

static void print_sends(FILE *f, const struct attach_result *r, const struct socket_ledger *ledger)
{
	struct range copied = share_of(r, ledger, NIO_STAGE_TX_COPY);
	struct range referenced = share_of(r, ledger, NIO_STAGE_TX_SPLICE);
	double tls = (double)ledger->tls[NIO_SIDE_SENDER].copied /
		     (double)socket_ledger__payload(ledger, NIO_SIDE_SENDER);

	if (referenced.low > fmax(copied.high, tls) ||
	    (is_vague(copied) && referenced.low >= 0.01)) {
		print_referenced(f, ledger, referenced);
	} else if (tls > copied.high) {
		fputs("has kTLS encrypt what it sends, which copies it", f);
	} else {
		print_copied(f, copied, "sends");
		if (referenced.low >= 0.01) {
			fputs(" and ", f);
			print_referenced(f, ledger, referenced);
		}
	}
}

/* Zero-copy sends with less than this part of the bytes sent are left to the verdict. */
#define FEW_ZEROCOPY 100

static bool sent_few_zerocopy(const struct socket_ledger *ledger)
{
	uint64_t most = attach_result__calls(ledger, NIO_CALL_ZEROCOPY).most +
			attach_result__calls(ledger, NIO_CALL_IO_URING).most;

	return (most || socket_ledger__ended(ledger)) &&
	       most < socket_ledger__payload(ledger, NIO_SIDE_SENDER) / FEW_ZEROCOPY;
}

/* What became of zero-copy sends. false: none was asked for, or few. */
static bool print_zerocopy(FILE *f, const struct socket_ledger *ledger)
{
	bool known = socket_ledger__copied_fraction(ledger).known;
	uint64_t ended = known ? socket_ledger__ended(ledger) : 0;
	uint64_t copied = socket_ledger__ended_copied(ledger);
	const char *seen = socket_ledger__misses_requests(ledger) ? " seen" : "";
	char n[UNITS_BUF], of[UNITS_BUF];

	if (sent_few_zerocopy(ledger))
		return false;
	format_count(of, sizeof(of), ended);
	if (ended && copied == ended)
		fprintf(f, "was not zero-copy: all %s%s zero-copy sends were copied", of, seen);
	else if (ended && copied)
		fprintf(f, "was partly zero-copy: %s of %s%s zero-copy sends were copied",
			format_count(n, sizeof(n), copied), of, seen);
	else if (ended && !ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes)
		fprintf(f, "was zero-copy: none of %s%s zero-copy sends was copied", of, seen);
	else if (socket_ledger__pins(ledger) || ledger->calls[NIO_CALL_ZEROCOPY].events)
		fputs("asked for zero-copy; whether it was is not known", f);
	else
		return false;
	return true;
}

void attach_result__print_ways(FILE *f, const struct attach_result *r,
			       const struct socket_ledger *ledger)
{
	uint64_t sent = socket_ledger__payload(ledger, NIO_SIDE_SENDER);
	uint64_t received = socket_ledger__payload(ledger, NIO_SIDE_RECEIVER);

	if (print_zerocopy(f, ledger))
		return;
	if (!sent && !received) {
		fputs("moved nothing yet", f);
		return;
	}
	if (received / MOSTLY <= sent && sent)
		print_sends(f, r, ledger);
	if (received / MOSTLY <= sent && sent && sent / MOSTLY <= received && received)
		fputs("; it ", f);
	if (sent / MOSTLY <= received && received)
		print_receives(f, r, ledger);
}

/* The mean size of calls; `none` without a call. */
static uint64_t mean_size(const struct nio_amount *calls, uint64_t none)
{
	return calls->events ? calls->bytes / calls->events : none;
}

/* Send calls, and pieces of sendfile and splice. */
static uint64_t all_sends(const struct socket_ledger *ledger)
{
	uint64_t all = 0;

	for (int kind = 0; kind < NIO_CALL_NR; kind++)
		all += ledger->calls[kind].events;
	return all;
}

/* A cost whose interval begins below this share is not shown by the samples. */
#define COST_SHOWN 0.01

/* Copies, small calls and pacing, by their CPU time where samples show enough of it. */
static void print_costs(FILE *f, const struct attach_result *r, const struct socket_ledger *ledger,
			const struct cpu_samples *cpu)
{
	const struct nio_amount copying = {
		ledger->calls[NIO_CALL_PLAIN].bytes + ledger->calls[NIO_CALL_VECTORED].bytes,
		ledger->calls[NIO_CALL_PLAIN].events + ledger->calls[NIO_CALL_VECTORED].events};
	const struct nio_amount *pieces = &ledger->calls[NIO_CALL_SPLICE];
	uint64_t sends = all_sends(ledger), call = mean_size(&copying, SMALL_CALL);
	uint64_t piece = mean_size(pieces, SMALL_PIECE);
	bool paces = congestion__paces(r->env.congestion.system).value;
	bool small = call < SMALL_CALL && copying.events > sends / 2;
	bool small_pieces = piece < SMALL_PIECE && pieces->events > sends / 2;
	char size[UNITS_BUF], interval[INTERVAL_LEN], calls[160], timers[96] = "timers and pacing";
	const struct {
		bool said;
		enum cpu_class class;
		double least;
		const char *what;
	} costs[] = {
		{copying.events, CPU_CLASS_TX_COPY, COST_SHOWN, "the copy in its send calls"},
		{small || small_pieces, CPU_CLASS_SYSCALL, ADVICE_COST_MIN, calls},
		{true, CPU_CLASS_TIMERS, ADVICE_COST_MIN, timers},
	};
	const char *before = "Of its CPU time ", *goes = " goes";

	snprintf(calls, sizeof(calls),
		 "its system calls (all, also accept, open, read; most sends are %s of %s on "
		 "average)",
		 small ? "calls" : "pieces of sendfile or splice",
		 format_size(size, sizeof(size), small ? call : piece));
	if (paces)
		snprintf(timers, sizeof(timers),
			 "timers and pacing (the system's congestion control is %s)",
			 r->env.congestion.system);
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct cpu_share s = cpu_time__share(cpu, costs[i].class);

		if (!costs[i].said || !cpu->samples || s.low < costs[i].least ||
		    (s.high - s.low >= SAMPLED_USEFUL && s.low < ADVICE_COST_SURE) ||
		    !socket_ledger__payload(ledger, NIO_SIDE_SENDER))
			continue;
		fprintf(f, "%s%s%s to %s", before, interval__text(interval, s.low, s.high), goes,
			costs[i].what);
		before = ", ";
		goes = "";
	}
	fputs(*goes ? "" : ". ", f);
}

/*
 * The process of all rows: one, or several of one name; NULL: programs differ. nr: how many; cpu:
 * their samples, without those of processes of this name that moved nothing.
 */
static const struct process *only_program(const struct table *t, size_t *nr,
					  struct cpu_samples *cpu)
{
	const struct process *first = NULL;

	*nr = 0;
	*cpu = (struct cpu_samples){0};
	for (size_t i = 0; i < t->processes_nr; i++) {
		const struct process *p = &t->processes[i];

		if (!socket_ledger__bytes(&p->ledger))
			continue;
		if (first && strncmp(first->comm, p->comm, sizeof(p->comm)) != 0)
			return NULL;
		first = first ? first : p;
		num__add_counts(cpu, &p->cpu.samples, sizeof(*cpu));
		++*nr;
	}
	return first;
}

/* "nginx 4242", "nginx (8 processes)". */
static void print_program(FILE *f, const struct process *p, size_t nr)
{
	char owner[OWNER_LEN];

	attach_result__owner(owner, p->comm, p->tgid);
	if (nr == 1)
		fputs(owner, f);
	else
		fprintf(f, "%.*s (%zu processes)", (int)(strrchr(owner, ' ') - owner), owner, nr);
}

static void print_row(FILE *f, const struct attach_result *r, const struct socket_ledger *ledger,
		      const struct cpu_samples *cpu)
{
	fputc(' ', f);
	attach_result__print_ways(f, r, ledger);
	fputs(". ", f);
	print_costs(f, r, ledger, cpu);
}

void attach_result__print_answer(FILE *f, const struct attach_result *r)
{
	struct cpu_samples cpu, none = {0};
	size_t nr, said = 0;
	const struct process *p = only_program(&r->table, &nr, &cpu);
	char name[ROW_NAME_LEN];
	struct attach_row row;

	/* Ports and cgroups of one program may differ. */
	if (p && p->tgid && (r->o->by == BY_PROCESS || r->o->by == BY_CONNECTION)) {
		print_program(f, p, nr);
		print_row(f, r, &r->table.total, &cpu);
		return;
	}
	for (size_t i = 0; said < ROWS_ANSWERED && attach_row__at(&row, r, r->o->by, i); i++) {
		if (!socket_ledger__bytes(&row.ledger))
			continue;
		fputs(attach_row__name(name, r, &row, true), f);
		print_row(f, r, &row.ledger, row.process ? &row.process->cpu.samples : &none);
		said++;
	}
}
