/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on cost: counters and CPU time of sender and receiver together, for the payload
 * moved. What a machine cannot count is n/a with the reason, each reason once.
 */
#include <string.h>

#include "model/perf_figures.h"
#include "base/text_note.h"
#include "text.h"

/* The figures of this paragraph are those marked for it: next() of -1 is the first. */
static int next(int d)
{
	do
		d++;
	while (d < DERIVED_NR && !perf_derived__shown((enum perf_derived)d, SHOWN_TEXT));
	return d;
}

static struct real figure_of(const struct run_result *run, int d)
{
	struct real r = perf_derive(run, (enum perf_derived)d, perf_whose__here(run));

	if (!r.known && !r.reason)
		r.reason = "not measured";
	return r;
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

/* The reason a figure has no value in any mode; NULL if it has one somewhere. */
static const char *unknown_reason(const struct result *r, int d)
{
	const char *reason = NULL;
	struct real v;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		v = figure_of(&r->summary[i].total, d);
		if (v.known)
			return NULL;
		reason = v.reason;
	}
	return reason;
}

static void print_known(FILE *f, const struct result *r)
{
	size_t i;

	for (int d = next(-1); d < DERIVED_NR; d = next(d)) {
		if (unknown_reason(r, d))
			continue;
		fprintf(f, "; %s ", perf_derived__words((enum perf_derived)d));
		for (i = 0; i < r->summary_nr; i++)
			print_value(f, figure_of(&r->summary[i].total, d), i + 1 == r->summary_nr);
		fprintf(f, " %s", perf_derived__unit((enum perf_derived)d));
	}
}

static const char *one_reason_for_all(const struct result *r)
{
	const char *first = unknown_reason(r, next(-1)), *reason;

	for (int d = next(-1); first && d < DERIVED_NR; d = next(d)) {
		reason = unknown_reason(r, d);
		if (!reason || strcmp(reason, first))
			return NULL;
	}
	return first;
}

/* Names the figures that share a reason together, in the order of the first of each. */
static void print_unknown(FILE *f, const struct result *r)
{
	const char *reason, *other, *all = one_reason_for_all(r);
	bool said[DERIVED_NR] = {false};

	if (all) {
		fprintf(f, "; counters: n/a (%s)", all);
		return;
	}
	for (int c = next(-1); c < DERIVED_NR; c = next(c)) {
		reason = unknown_reason(r, c);
		if (!reason || said[c])
			continue;
		for (int d = c; d < DERIVED_NR; d = next(d)) {
			other = unknown_reason(r, d);
			if (!other || strcmp(other, reason))
				continue;
			said[d] = true;
			fprintf(f, "%s%s", d == c ? "; " : ", ",
				perf_derived__words((enum perf_derived)d));
		}
		fprintf(f, ": n/a (%s)", reason);
	}
}

static void print_cpu(FILE *f, const struct result *r)
{
	const char *reason = NULL;
	struct real v;
	size_t i;

	fprintf(f, "%s ", perf_derived__words(DERIVED_CPU_NS_PER_KIB));
	for (i = 0; i < r->summary_nr; i++) {
		v = figure_of(&r->summary[i].total, DERIVED_CPU_NS_PER_KIB);
		print_value(f, v, i + 1 == r->summary_nr);
		if (!v.known)
			reason = v.reason;
	}
	fprintf(f, " %s", perf_derived__unit(DERIVED_CPU_NS_PER_KIB));
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

static struct num asked_count(const struct run_result *run, size_t event)
{
	const struct num *count = run->perf_asked[event].count;

	if (perf_whose__here(run) == PERF_OF_SENDER)
		return count[NIO_SIDE_SENDER];
	return perf_derive__add(count[NIO_SIDE_SENDER], count[NIO_SIDE_RECEIVER]);
}

/* An event that --perf-events asked for: like the others, of the sides that are here together. */
static void print_asked(FILE *f, const struct result *r, size_t event)
{
	const char *reason = NULL;
	bool known = false;
	struct real v;
	size_t i;

	fprintf(f, "%s ", r->summary[0].total.perf_asked[event].name);
	for (i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		v = perf_derive__per_bytes(run, asked_count(run, event), 1024);
		if (v.known)
			fprintf(f, "%.3g%s", v.value, i + 1 == r->summary_nr ? "" : " / ");
		else
			fprintf(f, "n/a%s", i + 1 == r->summary_nr ? "" : " / ");
		known |= v.known;
		reason = v.known ? reason : v.reason;
	}
	if (known)
		fprintf(f, " per KiB");
	else if (reason && !unknown_reason(r, next(-1)))
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

/* Whose the numbers are that stand beside each other below. */
static void print_modes(FILE *f, const struct result *r)
{
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr; i++)
		fprintf(f, "%s%s", mode__name(r->summary[i].mode),
			i + 1 == r->summary_nr ? ": " : " / ");
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
	print_modes(n.f, r);
	print_cpu(n.f, r);
	print_known(n.f, r);
	print_unknown(n.f, r);
	print_scaled(n.f, r);
	err = text_note__end(&n, f, width, "perf");
	return err ? err : print_events(f, width, r);
}
