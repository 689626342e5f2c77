/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on cost: counters and CPU time of sender and receiver together, for the payload
 * moved. What a machine cannot count is n/a with the reason, each reason once.
 */
#include <string.h>

#include "model/perf_figures.h"
#include "base/text_note.h"
#include "text.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* A figure: derived, or a counter for each so many bytes. */
struct cost {
	const char *name;
	const char *unit;
	bool derived;
	int index;
	double bytes;
};

#define FIGURE(name, unit, d)                    \
	{                                        \
		name, unit, true, DERIVED_##d, 0 \
	}
#define COUNTER(name, unit, c, bytes)              \
	{                                          \
		name, unit, false, PERF_##c, bytes \
	}

/* clang-format off */
static const struct cost costs[] = {
	FIGURE("cycles", "per byte", CYCLES_PER_BYTE),
	FIGURE("instructions", "per cycle", IPC),
	FIGURE("kernel share", "of the cycles", KERNEL_SHARE),
	FIGURE("L1d misses", "per KiB", L1D_MISSES_PER_KIB),
	FIGURE("LLC misses", "per KiB", LLC_MISSES_PER_KIB),
	FIGURE("dTLB misses", "per KiB", DTLB_MISSES_PER_KIB),
	FIGURE("branch misses", "per KiB", BRANCH_MISSES_PER_KIB),
	FIGURE("context switches", "per s", SWITCHES_PER_S),
	COUNTER("CPU migrations", "per GiB", CPU_MIGRATIONS, GIB),
	COUNTER("page faults", "per GiB", PAGE_FAULTS, GIB),
};
/* clang-format on */
#define COSTS_NR (sizeof(costs) / sizeof(costs[0]))

static struct real cost_of(const struct run_result *run, const struct cost *c)
{
	/* Of a receiver on another machine nothing is known: the sender alone, per byte sent. */
	enum perf_whose whose = run->sender_side ? PERF_OF_SENDER : PERF_OF_BOTH;
	struct real r;

	if (c->derived)
		r = perf_derive(run, (enum perf_derived)c->index, whose);
	else
		r = perf_derive__per_bytes(
			run, perf_derive__count(run, (enum perf_counter)c->index, whose), c->bytes);
	if (!r.known && !r.reason)
		r.reason = "not measured";
	return r;
}

/* CPU seconds for a GB: as nanoseconds for a byte. */
static struct real cpu_of(const struct run_result *run)
{
	return perf_derive__per_bytes(
		run, perf_derive__add(run->app.sender_cpu_ns, run->app.receiver_cpu_ns), 1);
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
		fprintf(f, " %s; ", costs[c].unit);
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

static void print_scaled(FILE *f, const struct result *r)
{
	struct real lowest = {.known = false}, running;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		running = perf_derive__lowest_running(&r->summary[i].total);
		if (running.known && (!lowest.known || running.value < lowest.value))
			lowest = running;
	}
	if (lowest.known && lowest.value < PERF_RUNNING_MIN)
		fprintf(f, "; counters took turns, down to %.0f %% of the time, and are scaled up",
			lowest.value * 100);
}

/* An event that --perf-events asked for: like the others, both sides together. */
static void print_asked(FILE *f, const struct result *r, size_t event)
{
	const char *reason = NULL;
	bool known = false;
	struct real v;
	size_t i;

	fprintf(f, "%s ", r->summary[0].total.perf_asked[event].name);
	for (i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct num *count = run->perf_asked[event].count;

		v = perf_derive__per_bytes(
			run, perf_derive__add(count[NIO_SIDE_SENDER], count[NIO_SIDE_RECEIVER]),
			1024);
		if (v.known)
			fprintf(f, "%.3g%s", v.value, i + 1 == r->summary_nr ? "" : " / ");
		else
			fprintf(f, "n/a%s", i + 1 == r->summary_nr ? "" : " / ");
		known |= v.known;
		reason = v.known ? reason : v.reason;
	}
	if (known)
		fprintf(f, " per KiB");
	else if (reason && !unknown_reason(r, &costs[0]))
		fprintf(f, " (%s)", reason);
}

static int print_events(FILE *f, unsigned int width, const struct result *r)
{
	size_t i, n = r->summary[0].total.perf_asked_nr;
	struct text_note note;
	int err;

	err = text_note__begin(&note);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		print_asked(note.f, r, i);
		if (i + 1 < n)
			fprintf(note.f, "; ");
	}
	return text_note__end(&note, f, width, "events");
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
	print_scaled(n.f, r);
	err = text_note__end(&n, f, width, "perf");
	return err ? err : print_events(f, width, r);
}
