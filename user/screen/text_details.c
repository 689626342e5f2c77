/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details behind the end of a run (--details): tables of copies and latencies; the paragraphs
 * below them are text_books.c, text_time.c, text_copies.c, text_cost.c and text_quality.c.
 */
#include <string.h>

#include "base/text_note.h"
#include "text.h"
#include "text_table.h"
#include "common/units.h"
#include "model/figures.h"

#define WIDTH_MIN 60
#define TABLE_MAX 100 /* wider tables are hard to follow along a row */

/* A figure of copies per byte: '-' is a measured zero, and a small figure is not shown as one. */
static void format_copies(char *buf, size_t len, struct real v)
{
	if (!v.known)
		snprintf(buf, len, "n/a");
	else if (v.value <= 0)
		snprintf(buf, len, "-");
	else if (v.value < 0.005)
		snprintf(buf, len, "<0.01");
	else
		snprintf(buf, len, "%.2f", v.value);
}

static bool moved(const struct run_result *run, enum nio_stage stage)
{
	return run->stages[stage].quality != QUALITY_UNAVAILABLE && run->stages[stage].bytes;
}

/* tx says how the bytes went out when they were not copied, or not all of them. */
static void format_tx(char buf[TEXT_CELL_LEN], const struct run_result *run)
{
	struct real copied = figures__per_byte(run, NIO_STAGE_TX_COPY);
	bool pinned = moved(run, NIO_STAGE_TX_PIN), spliced = moved(run, NIO_STAGE_TX_SPLICE);
	char figure[16];

	if (!copied.known || (!pinned && !spliced)) {
		format_copies(buf, TEXT_CELL_LEN, copied);
	} else if (copied.value > 0) {
		format_copies(figure, sizeof(figure), copied);
		snprintf(buf, TEXT_CELL_LEN, "%s+%s", figure, pinned ? "pin" : "spl");
	} else {
		snprintf(buf, TEXT_CELL_LEN, "%s", pinned ? "pinned" : "spliced");
	}
}

static void format_total(char buf[TEXT_CELL_LEN], const struct run_result *run)
{
	struct copies_figure c = figures__copies(run);
	char figure[16];

	format_copies(figure, sizeof(figure), c.value);
	snprintf(buf, TEXT_CELL_LEN, "%s%s", figure, c.value.known && c.excluded ? "*" : " ");
}

/* The columns of copies: one for each stage that copies, then their total. */
static size_t copy_columns(struct text_column columns[NIO_STAGE_NR + 1])
{
	size_t n = 0;

	for (int s = 0; s < NIO_STAGE_NR; s++) {
		unsigned int len = (unsigned int)strlen(stage__heading(s)) + 1;

		if (!stage__is_copy(s))
			continue;
		/* That of the send copy has room for "0.50+pin". */
		if (s == NIO_STAGE_TX_COPY)
			len = 10;
		columns[n++] = (struct text_column){stage__heading(s), len};
	}
	columns[n++] = (struct text_column){"total ", 7};
	return n;
}

/* The stage of a column; NIO_STAGE_NR: the total. */
static int column_stage(size_t column)
{
	int s;

	for (s = 0; s < NIO_STAGE_NR; s++)
		if (stage__is_copy(s) && !column--)
			break;
	return s;
}

static void copies_cell(char buf[TEXT_CELL_LEN], const struct mode_summary *s, size_t column)
{
	int stage = column_stage(column);

	if (stage == NIO_STAGE_TX_COPY)
		format_tx(buf, &s->total);
	else if (stage < NIO_STAGE_NR)
		format_copies(buf, TEXT_CELL_LEN, figures__per_byte(&s->total, stage));
	else
		format_total(buf, &s->total);
}

static void throughput_cell(char buf[TEXT_CELL_LEN], const struct mode_summary *s, size_t column)
{
	const struct spread *t = &s->throughput_gbps;

	if (!column && !t->n)
		snprintf(buf, TEXT_CELL_LEN, "n/a");
	else if (!column)
		snprintf(buf, TEXT_CELL_LEN, "%.1f", t->median);
	else if (t->n > 1)
		snprintf(buf, TEXT_CELL_LEN, "%.1f - %.1f", t->low, t->high);
}

static void latency_cell(char buf[TEXT_CELL_LEN], const struct latency_result *l, double q)
{
	if (!l->hist)
		snprintf(buf, TEXT_CELL_LEN, "n/a");
	else if (!l->hist->count)
		snprintf(buf, TEXT_CELL_LEN, "-");
	else
		format_ns(buf, TEXT_CELL_LEN,
			  (double)(q < 1 ? hist__quantile(l->hist, q) : l->hist->max));
}

static const double latency_quantiles[] = {0.5, 0.99, 0.999, 1};

#define X(id, ...)                                                                                 \
	static void id##_cell(char buf[TEXT_CELL_LEN], const struct mode_summary *s,               \
			      size_t column)                                                       \
	{                                                                                          \
		latency_cell(buf, &s->total.app.latency[LATENCY_##id], latency_quantiles[column]); \
	}
LATENCIES(X)
#undef X

static const struct text_column throughput_columns[] = {{"Gbit/s", 9}, {"range", 14}};
static const struct text_column latency_columns[] = {
	{"p50", 10}, {"p99", 9}, {"p99.9", 9}, {"max", 9}};

static bool any_range(const struct result *r)
{
	size_t i;

	for (i = 0; i < r->summary_nr; i++)
		if (r->summary[i].throughput_gbps.n > 1)
			return true;
	return false;
}

/* The receiver's copies were made on a machine that is not watched, in every mode. */
static bool sender_side(const struct result *r)
{
	return r->summary_nr && r->summary[0].total.sender_side;
}

/* Which stages the totals marked '*' are without. The reasons follow below. */
static int print_footnote(FILE *f, unsigned int width, const struct result *r)
{
	const char *lead = "total without ";
	unsigned int excluded = 0;
	struct text_note n;
	size_t i;
	int err;

	for (i = 0; i < r->summary_nr; i++)
		excluded |= figures__copies(&r->summary[i].total).excluded;
	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!(excluded & 1u << i))
			continue;
		fprintf(n.f, "%s%s", lead, stage__key(i));
		lead = ", ";
	}
	if (excluded)
		fprintf(n.f, ", which was not measured");
	return text_note__end(&n, f, width, "*");
}

/* Those of which there is something to show; two of a send call's quantiles. Returns how many. */
static size_t latency_groups(const struct result *r, struct text_group *groups)
{
	static void (*const cells[])(char *buf, const struct mode_summary *s, size_t column) = {
#define X(id, ...) id##_cell,
		LATENCIES(X)
#undef X
	};
	size_t n = 0;

	for (int k = 0; k < LATENCY_NR; k++)
		if (figures__shows_latency(r, k))
			groups[n++] = (struct text_group){
				latency__heading(k),
				latency_columns,
				k == LATENCY_SEND_CALL ? 2 : 4,
				cells[k],
			};
	return n;
}

/*
 * What was copied and how fast, the footnote to it, then the times. The send call stands in the
 * first table where that is wide enough for it.
 */
static int print_tables(FILE *f, unsigned int width, const struct result *r)
{
	struct text_column copies_columns[NIO_STAGE_NR + 1];
	size_t copies_nr = copy_columns(copies_columns);
	const struct text_group copies = {sender_side(r) ? "sender's copies per byte sent"
							 : "copies per payload byte",
					  copies_columns, copies_nr, copies_cell};
	const struct text_group throughput = {"throughput", throughput_columns,
					      any_range(r) ? 2 : 1, throughput_cell};
	struct text_group groups[2 + LATENCY_NR] = {copies, throughput};
	size_t n = 2 + latency_groups(r, groups + 2);
	size_t first = width < TABLE_MAX ? 2 : 3;
	int err;

	width = width < TABLE_MAX ? width : TABLE_MAX;
	text_table__print(f, width, r, groups, first);
	err = print_footnote(f, width, r);
	text_table__print(f, width, r, groups + first, n - first);
	return err;
}

static int print_rounds(FILE *f, unsigned int width, const struct result *r)
{
	char each[UNITS_BUF], kernel[160];
	struct text_note n;
	int err = text_note__begin(&n);

	if (err)
		return err;
	if (r->messages)
		format_count(each, sizeof(each), r->messages);
	else
		format_ns(each, sizeof(each), (double)r->round_duration_ns);
	fprintf(n.f, "%u round%s x %s%s; %s; backend %s", r->rounds, plural(r->rounds), each,
		r->messages == 0   ? ""
		: r->messages == 1 ? " message"
				   : " messages",
		figures__kernel(kernel, sizeof(kernel), &r->env), r->backend ? r->backend : "none");
	return text_note__end(&n, f, width, "rounds");
}

static int print_measured(FILE *f, unsigned int width, const struct result *r)
{
	int err;

	err = print_tables(f, width, r);
	text_time__print(f, r);
	fputc('\n', f);
	if (!err)
		err = text_load__print(f, width, r);
	if (!err)
		err = text_books__print(f, width, r);
	if (!err)
		err = text_copies__print(f, width, r);
	if (!err)
		err = text_time__reasons(f, width, r);
	if (!err)
		err = text_cost__print(f, width, r);
	if (!err)
		err = text_cpu__print(f, width, r);
	return err ? err : text_quality__print(f, width, r);
}

int text_details__print(const struct result *r, FILE *f, unsigned int columns)
{
	unsigned int width = columns < WIDTH_MIN ? WIDTH_MIN : columns;
	int err;

	if (!r->summary_nr)
		return 0;
	err = print_rounds(f, width, r);
	return err ? err : print_measured(f, width, r);
}
