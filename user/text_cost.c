/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on cost: counters and CPU time of sender and receiver together, for the payload
 * moved. What a machine cannot count is n/a with the reason, each reason once.
 */
#include <string.h>

#include "text_note.h"

struct cost {
	enum perf_counter counter;
	const char *name;
	const char *per;
	double bytes;
};

static const struct cost costs[] = {
	{PERF_CYCLES, "cycles", "byte", 1},
	{PERF_INSTRUCTIONS, "instructions", "byte", 1},
	{PERF_L1D_MISSES, "L1d misses", "kB", 1e3},
	{PERF_LLC_MISSES, "LLC misses", "kB", 1e3},
	{PERF_DTLB_MISSES, "dTLB misses", "kB", 1e3},
	{PERF_BRANCH_MISSES, "branch misses", "kB", 1e3},
	{PERF_CONTEXT_SWITCHES, "context switches", "GB", 1e9},
	{PERF_CPU_MIGRATIONS, "CPU migrations", "GB", 1e9},
	{PERF_PAGE_FAULTS, "page faults", "GB", 1e9},
};
#define COSTS_NR (sizeof(costs) / sizeof(costs[0]))

/* Both sides' counts for each so many bytes received; a sender's alone for those it sent. */
static struct real per_bytes(const struct run_result *run, const struct num *sender,
			     const struct num *receiver, double bytes)
{
	struct real r = {.known = false};
	bool alone = run->sender_side;
	uint64_t payload = run_result__payload(run);

	if (!sender->known || (!receiver->known && !alone))
		r.reason = sender->known ? receiver->reason : sender->reason;
	else if (!payload)
		r.reason = alone ? "no payload was sent" : "no payload was received";
	else
		r = (struct real){
			.known = true,
			.value = ((double)sender->value + (alone ? 0 : (double)receiver->value)) *
				 bytes / (double)payload};
	if (!r.known && !r.reason)
		r.reason = "not measured";
	return r;
}

static struct real cost_of(const struct run_result *run, const struct cost *c)
{
	return per_bytes(run, &run->perf[NIO_SIDE_SENDER][c->counter],
			 &run->perf[NIO_SIDE_RECEIVER][c->counter], c->bytes);
}

/* CPU seconds for a GB: as nanoseconds for a byte. */
static struct real cpu_of(const struct run_result *run)
{
	return per_bytes(run, &run->app.sender_cpu_ns, &run->app.receiver_cpu_ns, 1);
}

static void print_value(FILE *f, struct real v, bool last)
{
	if (!v.known)
		fprintf(f, "n/a");
	else if (v.value < 10)
		fprintf(f, "%.2f", v.value);
	else
		fprintf(f, "%.0f", v.value);
	fprintf(f, "%s", last ? "" : " / ");
}

/* The reason a counter has no value in any mode; NULL if it has one somewhere. */
static const char *unknown_reason(const struct result *r, const struct cost *c)
{
	const char *reason = NULL;
	struct real v;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		v = cost_of(&r->summary[i].total, c);
		if (v.known)
			return NULL;
		reason = v.reason;
	}
	return reason;
}

static void print_known(FILE *f, const struct result *r)
{
	size_t c, i;

	for (c = 0; c < COSTS_NR; c++) {
		if (unknown_reason(r, &costs[c]))
			continue;
		fprintf(f, "%s ", costs[c].name);
		for (i = 0; i < r->summary_nr; i++)
			print_value(f, cost_of(&r->summary[i].total, &costs[c]),
				    i + 1 == r->summary_nr);
		fprintf(f, " per %s; ", costs[c].per);
	}
}

static bool one_reason_for_all(const struct result *r)
{
	const char *first = unknown_reason(r, &costs[0]), *reason;
	size_t c;

	for (c = 1; first && c < COSTS_NR; c++) {
		reason = unknown_reason(r, &costs[c]);
		if (!reason || strcmp(reason, first))
			return false;
	}
	return first != NULL;
}

/* Names the counters that share a reason together, in the order of the first of each. */
static void print_unknown(FILE *f, const struct result *r)
{
	bool said[COSTS_NR] = {false};
	const char *reason, *other;
	size_t c, d;

	if (one_reason_for_all(r)) {
		fprintf(f, "counters: n/a (%s); ", unknown_reason(r, &costs[0]));
		return;
	}

	for (c = 0; c < COSTS_NR; c++) {
		reason = unknown_reason(r, &costs[c]);
		if (!reason || said[c])
			continue;
		for (d = c; d < COSTS_NR; d++) {
			other = unknown_reason(r, &costs[d]);
			if (!other || strcmp(other, reason))
				continue;
			said[d] = true;
			fprintf(f, "%s%s", d == c ? "" : ", ", costs[d].name);
		}
		fprintf(f, ": n/a (%s); ", reason);
	}
}

static void print_cpu(FILE *f, const struct result *r)
{
	const char *reason = NULL;
	struct real v;
	size_t i;

	fprintf(f, "CPU ");
	for (i = 0; i < r->summary_nr; i++) {
		v = cpu_of(&r->summary[i].total);
		print_value(f, v, i + 1 == r->summary_nr);
		if (!v.known)
			reason = v.reason;
	}
	fprintf(f, " s per GB");
	if (reason)
		fprintf(f, " (n/a: %s)", reason);
}

int text_cost__print(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	if (r->summary_nr && r->summary[0].total.sender_side)
		fprintf(n.f, "of the sender alone: ");
	print_known(n.f, r);
	print_unknown(n.f, r);
	print_cpu(n.f, r);
	return text_note__end(&n, f, width, "perf");
}
