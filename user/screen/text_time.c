/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on time: what a send call is made of and what each stage takes for a KiB, as a
 * table with a column per mode, and why times are missing. Everything is computed from the result
 * alone.
 */
#include <string.h>

#include "base/text_note.h"
#include "text.h"
#include "model/time_figures.h"
#include "common/units.h"
#include "model/figures.h"

#define LABEL_COLS   17
#define VALUE_COLS   9
#define PERCENT_COLS 5

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

static void print_value(FILE *f, struct real v)
{
	char buf[UNITS_BUF] = "-";

	if (!v.known)
		snprintf(buf, sizeof(buf), "n/a");
	else if (v.value > 0)
		format_ns(buf, sizeof(buf), v.value);
	fprintf(f, "%*s", VALUE_COLS, buf);
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

static void print_row(FILE *f, const struct result *r, size_t row)
{
	const struct run_result *run;
	char percent[16];
	bool last;
	size_t i;

	fprintf(f, "%-*s", LABEL_COLS, row_label(row));
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		last = i + 1 == r->summary_nr;
		print_value(f, row_value(run, row));
		format_percent(percent, sizeof(percent), run, row, row_value(run, row));
		if (*percent || !last)
			fprintf(f, "%*s", PERCENT_COLS, percent);
	}
	fputc('\n', f);
}

static void print_rows(FILE *f, const struct result *r, size_t first, size_t end)
{
	for (; first < end; first++)
		if (row_tells(r, first))
			print_row(f, r, first);
}

static void print_title(FILE *f, const struct result *r, const char *title)
{
	size_t i;

	fprintf(f, "\n%s\n%-*s", title, LABEL_COLS, "");
	for (i = 0; i < r->summary_nr; i++)
		fprintf(f, "%*s%*s", VALUE_COLS, mode__name(r->summary[i].mode),
			i + 1 == r->summary_nr ? 0 : PERCENT_COLS, "");
	fputc('\n', f);
}

void text_time__print(FILE *f, const struct result *r)
{
	if (!table_is_worth_it(r))
		return;
	if (parts_are_known(r)) {
		print_title(f, r, "mean time of a send call, and its parts inside tcp_sendmsg");
		print_rows(f, r, PATH_SEND_TOTAL, ROW_STAGES);
	}
	if (any_tells(r, ROW_STAGES, ROWS_NR)) {
		print_title(f, r, "time for each KiB copied");
		print_rows(f, r, ROW_STAGES, ROWS_NR);
	}
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

/* Have all parts of the send call this reason? Then they are named together. */
static bool all_parts(const struct result *r, const char *reason)
{
	const char *other;
	size_t row;

	for (row = PATH_SEND_TOTAL + 1; row < PATH_NR; row++) {
		other = why_unknown(r, row);
		if (!other || strcmp(other, reason))
			return false;
	}
	return true;
}

/* The rows from first on that are unknown for one reason, as a list; marks them as said. */
static void print_unknown(FILE *f, const struct result *r, size_t first, bool said[ROWS_NR])
{
	const char *reason = why_unknown(r, first), *other, *lead = "";
	bool together = !is_stage(first) && all_parts(r, reason);
	size_t row;

	fprintf(f, "n/a for ");
	if (together) {
		fprintf(f, "the parts of a send call");
		lead = ", ";
	}
	for (row = first; row < ROWS_NR; row++) {
		other = is_listed(row) ? why_unknown(r, row) : NULL;
		if (!other || strcmp(other, reason))
			continue;
		said[row] = true;
		if (together && !is_stage(row))
			continue;
		fprintf(f, "%s%s", lead, row_label(row));
		lead = ", ";
	}
	fprintf(f, ": %s. ", reason);
}

/* Parts are of the calls that were followed: said where those are not all. */
static void print_followed(FILE *f, const struct mode_summary *s)
{
	const struct run_result *run = &s->total;
	uint64_t calls = time_figures__calls(run);
	char part[UNITS_BUF], all[UNITS_BUF];

	if (!run->path_calls.known || run->path_calls.value >= calls)
		return;
	fprintf(f, "%s: parts are of %s of %s call%s", mode__name(s->mode),
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
				mode__name(r->summary[i].mode));
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
		const char *mode = mode__name(r->summary[i].mode);

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

/* Where there is no table, the first reason stands for all: nothing else is waiting for one. */
int text_time__reasons(FILE *f, unsigned int width, const struct result *r)
{
	bool said[ROWS_NR] = {false}, table = table_is_worth_it(r), done = false;
	struct text_note n;
	size_t row, i;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	print_rounds(n.f, r);
	if (!table)
		print_gather(n.f, r);
	for (row = 0; row < ROWS_NR && !done; row++) {
		if (said[row] || !is_listed(row) || !why_unknown(r, row))
			continue;
		print_unknown(n.f, r, row, said);
		done = !table;
	}
	for (i = 0; i < r->summary_nr; i++)
		print_followed(n.f, &r->summary[i]);
	return text_note__end(&n, f, width, "time");
}
