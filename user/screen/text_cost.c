/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details on cost: time of a send call and of a copied KiB, counters and CPU time per payload,
 * and a table of CPU time by class. Unknown figures are n/a with a reason.
 */
#include <string.h>

#include "base/text_note.h"
#include "common/units.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/time_figures.h"
#include "text_cells.h"
#include "text_end.h"
#include "text_list.h"

/* Rows: the parts of a send call, the time outside them, then the stages. */
#define ROW_OUTSIDE ((size_t)PATH_NR)
#define ROW_STAGES  (ROW_OUTSIDE + 1)
#define ROWS_NR     (ROW_STAGES + NIO_STAGE_NR)

static bool is_stage(size_t row)
{
	return row >= ROW_STAGES;
}

static enum nio_stage stage_of(size_t row)
{
	return (enum nio_stage)(row - ROW_STAGES);
}

static const char *row_label(size_t row)
{
	if (is_stage(row))
		return stage__heading(stage_of(row));
	return row == ROW_OUTSIDE ? "outside" : path_part__heading((enum path_part)row);
}

/* Only copying stages with known bytes have a row: others were already reported. */
static bool row_concerns(const struct run_result *run, size_t row)
{
	const char *reason;

	if (!is_stage(row))
		return run->ledger_known;
	return stage__is_copy(stage_of(row)) && figures__stage_known(run, stage_of(row), &reason);
}

static struct real row_value(const struct run_result *run, size_t row)
{
	if (is_stage(row))
		return time_figures__per_kib(run, stage_of(row));
	if (row == ROW_OUTSIDE)
		return time_figures__outside(run);
	return time_figures__part(run, (enum path_part)row);
}

/* Has the row something to tell: a value that is not 0, in any mode? */
static bool row_tells(const struct result *r, size_t row)
{
	struct real v;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		v = row_value(&r->summary[i].total, row);
		if (row_concerns(&r->summary[i].total, row) && v.known && v.value > 0)
			return true;
	}
	return false;
}

static bool any_tells(const struct result *r, size_t first, size_t end)
{
	for (; first < end; first++)
		if (row_tells(r, first))
			return true;
	return false;
}

/* The whole of a send call is in the table above as well; here it heads its parts or is left out.
 */
static bool parts_are_known(const struct result *r)
{
	return any_tells(r, PATH_SEND_TOTAL + 1, PATH_NR);
}

/* The load generator times the gather stage itself, on any kernel: no table for it alone. */
static bool table_is_worth_it(const struct result *r)
{
	return parts_are_known(r) || any_tells(r, ROW_STAGES + NIO_STAGE_USER_GATHER + 1, ROWS_NR);
}

static void set_time(struct text_cells *t, unsigned int row, unsigned int column, struct real v)
{
	char buf[UNITS_BUF] = "-";

	if (!v.known)
		snprintf(buf, sizeof(buf), "n/a");
	else if (v.value > 0)
		format_ns(buf, sizeof(buf), v.value);
	text_cells__set(t, row, column, "%s", buf);
}

/* Share of the send call; nothing for the whole and for rows that are not a part of it. */
static void format_percent(char *buf, size_t len, const struct run_result *run, size_t row,
			   struct real v)
{
	struct real total = time_figures__part(run, PATH_SEND_TOTAL);
	double percent;

	*buf = '\0';
	if (is_stage(row) || row == PATH_SEND_TOTAL || !v.known || !total.known || !(v.value > 0) ||
	    !(total.value > 0))
		return;
	percent = v.value / total.value * 100;
	if (percent < 0.5)
		snprintf(buf, len, "<1 %%");
	else
		snprintf(buf, len, "%.0f %%", percent);
}

/* Rows first..end - 1, a column of times and one of percent for each mode. */
static void print_times(FILE *f, unsigned int width, const struct result *r, size_t first,
			size_t end, const char *title)
{
	struct text_cells t = {.rows = 0};
	char percent[16];

	text_cells__add_column(&t, title, true);
	for (size_t i = 0; i < r->summary_nr; i++) {
		text_cells__add_column(&t, mode__words(r->summary[i].mode), false);
		text_cells__add_column(&t, "", false);
	}
	for (; first < end; first++) {
		unsigned int row, column = 1;

		if (!row_tells(r, first))
			continue;
		row = text_cells__add_row(&t);
		text_cells__set(&t, row, 0, "%s", row_label(first));
		for (size_t i = 0; i < r->summary_nr; i++) {
			const struct run_result *run = &r->summary[i].total;
			struct real v = row_value(run, first);

			set_time(&t, row, column++, v);
			format_percent(percent, sizeof(percent), run, first, v);
			text_cells__set(&t, row, column++, "%s", percent);
		}
	}
	fputc('\n', f);
	text_cells__print(f, &t, width);
}

void text_cost__times(FILE *f, unsigned int width, const struct result *r)
{
	if (!table_is_worth_it(r))
		return;
	if (parts_are_known(r))
		print_times(f, width, r, PATH_SEND_TOTAL, ROW_STAGES, "mean send call");
	if (any_tells(r, ROW_STAGES, ROWS_NR))
		print_times(f, width, r, ROW_STAGES, ROWS_NR, "time of a KiB");
}

/* Why a row has a value in no mode; NULL: it has one, or it concerns none. */
static const char *why_unknown(const struct result *r, size_t row)
{
	const struct run_result *run;
	const char *reason = NULL;
	struct real v;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		if (!row_concerns(run, row))
			continue;
		v = row_value(run, row);
		if (v.known)
			return NULL;
		reason = v.reason;
	}
	return reason;
}

/* The time outside the parts is unknown for the reasons of unknown parts. */
static bool is_listed(size_t row)
{
	return row != PATH_SEND_TOTAL && row != ROW_OUTSIDE;
}

/* The reason that all parts of the send call are unknown for; NULL: they have not the same. */
static const char *reason_of_parts(const struct result *r)
{
	const char *first = why_unknown(r, PATH_SEND_TOTAL + 1);

	for (size_t row = PATH_SEND_TOTAL + 2; first && row < PATH_NR; row++) {
		const char *other = why_unknown(r, row);

		if (!other || strcmp(other, first))
			return NULL;
	}
	return first;
}

/* Without a table, the first reason applies to all rows. */
static void print_untimed(FILE *f, const struct result *r, bool first_only)
{
	const char *parts = reason_of_parts(r);
	struct text_reasons unknown = {.nr = 0};

	if (parts)
		text_reasons__add(&unknown, "the parts of a send call", parts, 0);
	for (size_t row = 0; row < ROWS_NR; row++) {
		const char *reason = is_listed(row) ? why_unknown(r, row) : NULL;

		if (reason && (is_stage(row) || !parts))
			text_reasons__add(&unknown, row_label(row), reason, 0);
	}
	while (text_reasons__left(&unknown)) {
		fputs("n/a for ", f);
		fprintf(f, ": %s. ", text_reasons__tell(f, &unknown)->reason);
		if (first_only)
			return;
	}
}

/* The number of calls followed, if not all. */
static void print_followed(FILE *f, const struct mode_summary *s)
{
	const struct run_result *run = &s->total;
	uint64_t calls = time_figures__calls(run);
	char part[UNITS_BUF], all[UNITS_BUF];

	if (!run->path_calls.known || run->path_calls.value >= calls)
		return;
	fprintf(f, "%s: parts are of %s of %s call%s", mode__words(s->mode),
		format_count(part, sizeof(part), run->path_calls.value),
		format_count(all, sizeof(all), calls), plural(calls));
	fprintf(f, run->path_reason ? " (%s). " : ". ", run->path_reason);
}

/* Without a table, prints the times of the load generator here. */
static void print_gather(FILE *f, const struct result *r)
{
	char buf[UNITS_BUF];
	struct real v;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		v = time_figures__per_kib(&r->summary[i].total, NIO_STAGE_USER_GATHER);
		if (v.known && v.value > 0)
			fprintf(f, "gather %s for a KiB (%s). ",
				format_ns(buf, sizeof(buf), v.value),
				mode__words(r->summary[i].mode));
	}
}

static void print_loss(FILE *f, const char *mode, const char *what, struct num n)
{
	char text[UNITS_BUF];

	if (n.known && n.value)
		fprintf(f, "%s: %s %s while times were taken. ", mode,
			format_count(text, sizeof(text), n.value), what);
}

/* The rounds of the times, if they are timed rounds. */
static void print_rounds(FILE *f, const struct result *r)
{
	char duration[UNITS_BUF];
	bool said = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct times_result *t = &r->summary[i].total.times;
		const char *mode = mode__words(r->summary[i].mode);

		if (t->source == TIMES_NOT_TAKEN)
			fprintf(f, "%s: none were taken (%s). ", mode, t->reason);
		if (t->source != TIMES_OF_ITS_OWN)
			continue;
		if (!said)
			fprintf(f,
				"of short rounds of their own, %s a mode, from which nothing else "
				"comes. ",
				format_ns(duration, sizeof(duration), (double)t->duration_ns));
		said = true;
		print_loss(f, mode, "program runs were refused", t->missed);
		print_loss(f, mode, "events found no room", t->map_full);
		print_loss(f, mode, "events were without their other end", t->unmatched);
	}
}

void text_cost__say_times(FILE *f, const struct result *r)
{
	bool table = table_is_worth_it(r);

	print_rounds(f, r);
	if (!table)
		print_gather(f, r);
	print_untimed(f, r, !table);
	for (size_t i = 0; i < r->summary_nr; i++)
		print_followed(f, &r->summary[i]);
}

/* This paragraph has the figures marked for it: next() of -1 is the first. */
static int next(int d)
{
	do
		d++;
	while (d < DERIVED_NR && !perf_derived__shown((enum perf_derived)d, VISIBILITY_TEXT));
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

/* Figures that are known in no mode, by reason; one word for all where the reason is the same. */
static void print_unknown(FILE *f, const struct result *r)
{
	struct text_reasons unknown = {.nr = 0};
	bool all = true;

	for (int d = next(-1); d < DERIVED_NR; d = next(d)) {
		const char *reason = unknown_reason(r, d);

		all &= reason && !strcmp(reason, unknown.nr ? unknown.list[0].reason : reason);
		if (reason)
			text_reasons__add(&unknown, perf_derived__words((enum perf_derived)d),
					  reason, 0);
	}
	if (all && unknown.nr) {
		fprintf(f, "; counters: n/a (%s)", unknown.list[0].reason);
		return;
	}
	while (text_reasons__left(&unknown)) {
		fputs("; ", f);
		fprintf(f, ": n/a (%s)", text_reasons__tell(f, &unknown)->reason);
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
	return num__sum(count[NIO_SIDE_SENDER], count[NIO_SIDE_RECEIVER]);
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

void text_cost__say_events(FILE *f, const struct result *r)
{
	size_t i, n = r->summary[0].total.perf_asked_nr;

	for (i = 0; i < n; i++) {
		print_asked(f, r, i);
		if (i + 1 < n)
			fprintf(f, "; ");
	}
}

/* The modes of the numbers side by side below. */
static void print_modes(FILE *f, const struct result *r)
{
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr; i++)
		fprintf(f, "%s%s", mode__words(r->summary[i].mode),
			i + 1 == r->summary_nr ? ": " : " / ");
}

void text_cost__say_counters(FILE *f, const struct result *r)
{
	if (r->summary_nr && r->summary[0].total.sender_side)
		fprintf(f, "of the sender alone: ");
	print_modes(f, r);
	print_cpu(f, r);
	print_known(f, r);
	print_unknown(f, r);
	print_scaled(f, r);
}
