/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on time: what a send call is made of and what each stage takes for a KiB, as a
 * table with a column per mode, and why times are missing. Everything is computed from the result
 * alone.
 */
#include <string.h>

#include "base/text_note.h"
#include "text_cells.h"
#include "text_details.h"
#include "text_list.h"
#include "model/time_figures.h"
#include "common/units.h"
#include "model/figures.h"

/* Rows: the parts of a send call, what is left outside of them, then the stages. */
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

/* Stages that copy have a row, and only where their bytes are known: else that has been said. */
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

/* The time of the gather stage is the load generator's, known on any kernel: no table for it. */
static bool table_is_worth_it(const struct result *r)
{
	return parts_are_known(r) || any_tells(r, ROW_STAGES + NIO_STAGE_USER_GATHER + 1, ROWS_NR);
}

static void set_value(struct text_cells *t, unsigned int row, unsigned int column, struct real v)
{
	char buf[UNITS_BUF] = "-";

	if (!v.known)
		snprintf(buf, sizeof(buf), "n/a");
	else if (v.value > 0)
		format_ns(buf, sizeof(buf), v.value);
	text_cells__set(t, row, column, "%s", buf);
}

/* Of the send call; nothing for the whole and for what is not a part of it. */
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
static void print_rows(FILE *f, unsigned int width, const struct result *r, size_t first,
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

			set_value(&t, row, column++, v);
			format_percent(percent, sizeof(percent), run, first, v);
			text_cells__set(&t, row, column++, "%s", percent);
		}
	}
	fputc('\n', f);
	text_cells__print(f, &t, width);
}

void text_time__print(FILE *f, unsigned int width, const struct result *r)
{
	if (!table_is_worth_it(r))
		return;
	if (parts_are_known(r))
		print_rows(f, width, r, PATH_SEND_TOTAL, ROW_STAGES, "mean send call");
	if (any_tells(r, ROW_STAGES, ROWS_NR))
		print_rows(f, width, r, ROW_STAGES, ROWS_NR, "time of a KiB");
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

/* What lies outside the parts is unknown for the reasons the parts are, where those are unknown. */
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

/* Where there is no table, the first reason stands for all: nothing else is waiting for one. */
static void print_unknown(FILE *f, const struct result *r, bool first_only)
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

/* Parts are of the calls that were followed: said where those are not all. */
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

/* Where there is no table, what the load generator timed itself is printed here. */
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

/* Of which rounds the times are, where that is not the rounds that the rest is of. */
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

void text_time__reasons(FILE *f, unsigned int width, const struct result *r)
{
	bool table = table_is_worth_it(r);
	struct text_note n;

	text_note__begin(&n);
	print_rounds(n.f, r);
	if (!table)
		print_gather(n.f, r);
	print_unknown(n.f, r, !table);
	for (size_t i = 0; i < r->summary_nr; i++)
		print_followed(n.f, &r->summary[i]);
	text_note__end(&n, f, width, "time");
}
