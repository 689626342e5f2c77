/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says, in which order; see doc.h. Knows no HTML and no Markdown. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "doc.h"
#include "study/first_screen.h"
#include "study/test_family.h"
#include "study/first_screen.h"
#include "study/dataset.h"
#include "study/phrases.h"

#define CELL_LEN     (3 * PHRASE_BUF)
#define COLUMNS_MAX  16
#define ROWS_MAX     500               /* of a table */
#define FIRST_FIGURE FIGURE_THROUGHPUT /* on the first screen */
#define POINTS_MAX   40                /* sentences of one answer */

struct body {
	const struct report_form *form;
	FILE *f;
	const struct report *r;
};

__attribute__((format(printf, 2, 3))) static void say(const struct body *b, const char *format, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return;
	b->form->paragraph(b->f, text);
	free(text);
}

const char *report_body__diagram_name(enum mode mode)
{
	static const char *const names[] = {
#define X(id, name, ...) [MODE_##id] = "diagram-" #name,
		MODES(X)
#undef X
	};

	return names[mode];
}

/* Before any answer. */
static void write_conditions(const struct body *b)
{
	char *text = first_screen__conditions(b->r->a->dataset);

	if (text && *text)
		b->form->strong(b->f, text);
	free(text);
}

/* How the columns of others were read. */
static void write_import(const struct body *b)
{
	char *text;

	for (size_t i = 0; (text = dataset__import_note(b->r->a->dataset, i)); i++) {
		b->form->paragraph(b->f, text);
		free(text);
	}
}

static void write_head(const struct body *b)
{
	const struct analysis *a = b->r->a;
	const struct dataset *d = a->dataset;
	char rounds[64];

	if (a->rounds_min == a->rounds_max)
		snprintf(rounds, sizeof(rounds), "%zu round%s each", a->rounds_max,
			 plural(a->rounds_max));
	else
		snprintf(rounds, sizeof(rounds), "%zu to %zu rounds each", a->rounds_min,
			 a->rounds_max);
	say(b, "%s", b->r->system);
	write_conditions(b);
	say(b, "%zu run%s: %zu cell%s of mode, size and thread count, %s%s%s%s%s.", d->rows_nr,
	    plural(d->rows_nr), a->cells_nr, plural(a->cells_nr), rounds,
	    d->version ? "; measured with netiotrace " : "", d->version ? d->version : "",
	    d->backend ? ", backend " : "", d->backend ? d->backend : "");
	if (d->interrupted)
		say(b, "%u of the runs %s ended early; %s numbers are of the time %s had.",
		    d->interrupted, d->interrupted == 1 ? "was" : "were",
		    d->interrupted == 1 ? "its" : "their", d->interrupted == 1 ? "it" : "they");
	write_import(b);
}

static void put_row(const struct body *b, const char *question, char *answer)
{
	const char *row[2] = {question, answer ? answer : "n/a: out of memory"};

	b->form->table_row(b->f, row, 2);
	free(answer);
}

/* The first screen: three questions that everybody has, and the picture of throughput. */
static void write_first_screen(const struct body *b)
{
	static const char *const heads[] = {"Question", "Answer"};
	const struct analysis *a = b->r->a;
	enum metric cost = analysis__has(a, METRIC_CPU_NS_PER_KIB) ? METRIC_CPU_NS_PER_KIB
								   : METRIC_CPU_S_NS_PER_KIB;
	bool sender = analysis__has(a, cost) && cost == METRIC_CPU_S_NS_PER_KIB;

	b->form->table_begin(b->f, heads, 2);
	put_row(b, "Was zero-copy zero-copy?", first_screen__zerocopy(a));
	put_row(b, "Fastest", first_screen__best(a, METRIC_GBPS));
	put_row(b, sender ? "Cheapest for the sender (CPU time)" : "Cheapest (CPU time)",
		first_screen__best(a, cost));
	b->form->table_end(b->f);
	if (a->threads_nr > 1)
		say(b, "Fastest and cheapest: at each message size, over all thread counts.");
}

static void write_diagrams(const struct body *b)
{
	static const char legend[] =
		"Drawn from the measured ledger. Solid arrows copy, the wider "
		"the more; dashed ones only reference the sender's pages; grey "
		"ones pass on.";
	char alt[128];
	int m, drawn = 0;

	b->form->heading(b->f, 2, "What the kernel did");
	for (m = 0; m < MODE_NR; m++) {
		if (!b->r->diagram_svg[m])
			continue;
		if (!drawn++)
			b->form->paragraph(b->f, legend);
		snprintf(alt, sizeof(alt), "What the kernel did: %s", phrases__mode((enum mode)m));
		b->form->picture(b->f, report_body__diagram_name((enum mode)m),
				 b->r->diagram_svg[m], alt, NULL);
	}
	if (!drawn)
		say(b, "No diagram can be drawn without a copy ledger: %s.",
		    analysis__reason(b->r->a, METRIC_BYTES_RX_COPY));
}

/* The pictures bear their own captions. */
static void write_figure(const struct body *b, int i)
{
	const struct figure *f = &b->r->figures[i];

	b->form->picture(b->f, f->name, b->r->figure_svg[i], f->title, NULL);
}

static void write_figures(const struct body *b)
{
	b->form->heading(b->f, 2, "Pictures");
	for (int i = 0; i < FIGURE_NR; i++)
		if (i != FIRST_FIGURE)
			write_figure(b, i);
}

static void write_evidence(const struct body *b, const struct answer_text *answer)
{
	static const char *const heads[] = {"Mode",   "Size",     "Threads", "Number",
					    "Median", "Interval", "Rounds"};
	char size[UNITS_BUF], threads[UNITS_BUF], words[PHRASE_BUF], median[PHRASE_BUF],
		interval[CELL_LEN], rounds[UNITS_BUF];
	const char *row[] = {NULL, size, threads, words, median, interval, rounds};
	const struct evidence *e;
	size_t i, n = answer->evidence_nr < ROWS_MAX ? answer->evidence_nr : ROWS_MAX;

	b->form->fold_begin(b->f, "Evidence: the numbers this rests on");
	if (n < answer->evidence_nr)
		say(b, "The first %zu of %zu numbers.", n, answer->evidence_nr);
	b->form->table_begin(b->f, heads, 7);
	for (i = 0; i < n; i++) {
		e = &answer->evidence[i];
		row[0] = phrases__mode(e->cell->mode);
		format_size(size, sizeof(size), e->cell->size);
		snprintf(threads, sizeof(threads), e->cell->threads ? "%u" : "n/a",
			 e->cell->threads);
		snprintf(words, sizeof(words), "%s", metric__words(e->metric));
		phrases__value(median, sizeof(median), e->metric, e->estimate.median);
		phrases__interval(interval, sizeof(interval), e->metric, &e->estimate);
		snprintf(rounds, sizeof(rounds), "%u", e->estimate.n);
		b->form->table_row(b->f, row, 7);
	}
	b->form->table_end(b->f);
	b->form->fold_end(b->f);
}

static void write_points(const struct body *b, const struct answer_text *answer)
{
	size_t n = answer->points_nr < POINTS_MAX ? answer->points_nr : POINTS_MAX;

	if (n)
		b->form->list(b->f, answer->points, n);
	if (n < answer->points_nr)
		say(b, "And %zu more of the same kinds.", answer->points_nr - n);
}

static void write_answer_tables(const struct body *b, const struct answer_text *answer)
{
	for (size_t i = 0; i < answer->tables_nr; i++) {
		const struct answer_table *t = &answer->tables[i];
		const char **cells = (const char **)t->cells;

		say(b, "%s", t->title);
		b->form->table_begin(b->f, cells, t->columns);
		for (size_t row = 1; row < t->rows; row++)
			b->form->table_row(b->f, cells + row * t->columns, t->columns);
		b->form->table_end(b->f);
	}
}

static void write_answers(const struct body *b)
{
	const struct answer_text *answer;
	char title[256];
	int q;

	b->form->heading(b->f, 2, "The six questions");
	for (q = 0; q < QUESTION_NR; q++) {
		answer = &b->r->answers[q];
		snprintf(title, sizeof(title), "%d. %s", q + 1, answer->question);
		b->form->heading(b->f, 3, title);
		b->form->strong(b->f, answer->headline);
		if (answer->cannot)
			b->form->paragraph(b->f, answer->cannot);
		write_points(b, answer);
		write_answer_tables(b, answer);
		if (answer->evidence_nr)
			write_evidence(b, answer);
	}
}

#define KEY_COLUMNS 4

struct cell_table {
	enum metric column[METRIC_NR]; /* marked for this table, and the data has it */
	size_t nr;
	char text[KEY_COLUMNS + METRIC_NR][CELL_LEN];
	const char *row[KEY_COLUMNS + METRIC_NR];
};

static void cell_table__row(struct cell_table *t, const struct analysis *a, struct cell *cell)
{
	struct estimate e;
	size_t i;

	snprintf(t->text[0], CELL_LEN, "%s", phrases__mode(cell->mode));
	format_size(t->text[1], CELL_LEN, cell->size);
	snprintf(t->text[2], CELL_LEN, cell->threads ? "%u" : "n/a", cell->threads);
	snprintf(t->text[3], CELL_LEN, "%zu", cell->rows_nr);
	for (i = 0; i < t->nr; i++) {
		e = analysis__estimate(a, cell, t->column[i]);
		if (metric__shown(t->column[i], SHOWN_INTERVAL) && a->rounds_max > 1)
			phrases__estimate(t->text[KEY_COLUMNS + i], CELL_LEN, t->column[i], &e);
		else
			phrases__value(t->text[KEY_COLUMNS + i], CELL_LEN, t->column[i], e.median);
	}
}

static void write_cells(const struct body *b)
{
	static const char *const key_heads[KEY_COLUMNS] = {"Mode", "Size", "Threads", "Rounds"};
	const struct analysis *a = b->r->a;
	struct cell_table t = {.nr = 0};
	size_t i, n = a->cells_nr < ROWS_MAX ? a->cells_nr : ROWS_MAX;

	for (i = 0; i < KEY_COLUMNS; i++)
		t.row[i] = key_heads[i];
	for (int m = 0; m < METRIC_NR; m++) {
		if (!metric__shown((enum metric)m, SHOWN_REPORT) ||
		    !analysis__has(a, (enum metric)m))
			continue;
		t.row[KEY_COLUMNS + t.nr] = metric__words((enum metric)m);
		t.column[t.nr++] = (enum metric)m;
	}
	b->form->heading(b->f, 2, "All cells");
	if (n < a->cells_nr)
		say(b, "The first %zu of %zu cells.", n, a->cells_nr);
	b->form->table_begin(b->f, t.row, KEY_COLUMNS + t.nr);
	for (i = 0; i < KEY_COLUMNS + t.nr; i++)
		t.row[i] = t.text[i];
	for (i = 0; i < n; i++) {
		cell_table__row(&t, a, &a->cells[i]);
		b->form->table_row(b->f, t.row, KEY_COLUMNS + t.nr);
	}
	b->form->table_end(b->f);
}

static void write_failures(const struct body *b)
{
	static const char *const heads[] = {"Mode", "Size", "Threads", "Round", "Reason"};
	const struct dataset *d = b->r->a->dataset;
	char size[UNITS_BUF], threads[UNITS_BUF], round[UNITS_BUF];
	const char *row[] = {NULL, size, threads, round, NULL};
	size_t i;

	if (!d->failures_nr)
		return;
	b->form->heading(b->f, 2, "Runs that failed");
	b->form->table_begin(b->f, heads, 5);
	for (i = 0; i < d->failures_nr; i++) {
		row[0] = d->failures[i].mode;
		row[4] = d->failures[i].reason;
		format_size(size, sizeof(size), d->failures[i].size);
		snprintf(threads, sizeof(threads), "%u", d->failures[i].threads);
		snprintf(round, sizeof(round), "%u", d->failures[i].round);
		b->form->table_row(b->f, row, 5);
	}
	b->form->table_end(b->f);
}

static bool is_missed(const struct analysis *a, enum metric m)
{
	return metric__shown(m, SHOWN_EXPECTED) && !analysis__has(a, m);
}

/* Those that are missing for this reason, apart by commas; marked as said. Caller frees. */
static char *missing_for(const struct analysis *a, const char *reason, bool said[METRIC_NR])
{
	char *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);
	const char *comma = "";

	if (!f)
		return NULL;
	for (int m = 0; m < METRIC_NR; m++) {
		if (!is_missed(a, (enum metric)m) ||
		    strcmp(analysis__reason(a, (enum metric)m), reason))
			continue;
		fprintf(f, "%s%s", comma, metric__words((enum metric)m));
		comma = ", ";
		said[m] = true;
	}
	fclose(f);
	return list;
}

/* Numbers whose absence a reader should know the reason of, a row for each reason. */
static void write_missing(const struct body *b)
{
	static const char *const heads[] = {"Not measured", "Why"};
	bool said[METRIC_NR] = {false}, any = false;
	const char *row[2];
	char *list;

	for (int m = 0; m < METRIC_NR; m++) {
		if (said[m] || !is_missed(b->r->a, (enum metric)m))
			continue;
		if (!any) {
			b->form->heading(b->f, 2, "What could not be measured");
			b->form->table_begin(b->f, heads, 2);
			any = true;
		}
		row[1] = analysis__reason(b->r->a, (enum metric)m);
		list = missing_for(b->r->a, row[1], said);
		row[0] = list ? list : metric__words((enum metric)m);
		b->form->table_row(b->f, row, 2);
		free(list);
	}
	if (any)
		b->form->table_end(b->f);
}

/* One figure worked out, so that it can be checked by hand. */
static void write_example(const struct body *b)
{
	struct cell *cell = analysis__peak(b->r->a, MODE_NR, METRIC_GBPS);
	char name[PHRASE_BUF], cycles[PHRASE_BUF], quotient[PHRASE_BUF];
	double c, payload;

	if (!cell)
		return;
	c = cell->rows[0].value[METRIC_CYCLES];
	payload = cell->rows[0].value[METRIC_PAYLOAD];
	if (isnan(c) || !(payload > 0))
		return;
	say(b, "For example, round %u of %s: %s cycles / %.0f bytes = %s cycles per byte.",
	    cell->rows[0].round, phrases__cell(name, sizeof(name), cell),
	    phrases__value(cycles, sizeof(cycles), METRIC_CYCLES, c), payload,
	    phrases__number(quotient, sizeof(quotient), c / payload));
}

/* The rule of base/rank_test.h, as docs/GUIDE.md has it. */
static void write_rule(const struct body *b)
{
	static const char *const rule[] = {
		"Divide each value by the pace of its round: the median, over the runs of the "
		"other "
		"modes in that round, of value / median of its cell. With fewer than 4 such runs "
		"in "
		"a round, no value is divided.",
		"Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m "
		"quotients.",
		"The interval of A / B runs from the k-th smallest to the k-th largest quotient. k "
		"is the largest rank with 2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U "
		"of n and m rounds. T is the number of comparisons that are made together: here "
		"all "
		"of one number between modes, between thread counts, or between sizes.",
		"There is a difference only if the whole interval is above 1 or the whole interval "
		"is below 1.",
		"If no k is possible, there are too few rounds; one round each is a point without "
		"an interval.",
	};
	const struct analysis *a = b->r->a;

	say(b, "Two numbers are called different by this rule, which run and compare use, too:");
	for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++)
		say(b, "%zu. %s", i + 1, rule[i]);
	say(b,
	    "Here T is %zu for throughput between modes, so that %u rounds of each are needed. "
	    "Where nothing differs, any of the T comparisons is called different in at most %.0f "
	    "%% "
	    "of reports. Differences of sampled stages are those of pairs of rounds; their "
	    "interval "
	    "is between the k-th smallest and the k-th largest pair, by the binomial distribution.",
	    test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS),
	    rank_test__rounds_needed(test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS)),
	    100 * RANK_LEVEL);
	if (a->rounds_max < 2)
		say(b, "One run per cell: there are no intervals, and each difference is a point "
		       "difference.");
	else
		say(b,
		    "Numbers are medians over the rounds. Brackets, and the bars of the pictures, "
		    "are the interval between two rounds that holds the true median in %.1f %% of "
		    "cases with %zu rounds.",
		    100 * estimate__coverage(a->rounds_max), a->rounds_max);
}

static void write_method(const struct body *b)
{
	static const char *const heads[] = {"Derived number", "Formula", "Unit"};
	const char *row[3], *unit;
	int m;

	b->form->heading(b->f, 2, "How this was measured");
	write_rule(b);
	b->form->table_begin(b->f, heads, 3);
	for (m = METRIC_READ_NR; m < METRIC_NR; m++) {
		if (!analysis__has(b->r->a, (enum metric)m))
			continue;
		unit = metric__unit((enum metric)m);
		row[0] = metric__words((enum metric)m);
		row[1] = metric__formula((enum metric)m);
		row[2] = *unit ? unit : "-";
		b->form->table_row(b->f, row, 3);
	}
	b->form->table_end(b->f);
	write_example(b);
	say(b,
	    "The data of each picture is in the directory data beside this report, as CSV with "
	    "the settings gnuplot was given. To make it again: %s",
	    b->r->command);
}

void report_body__write(const struct report_form *form, FILE *f, const struct report *r)
{
	struct body b = {form, f, r};
	char title[512];

	snprintf(title, sizeof(title), "netiotrace report: %s", r->source);
	form->begin(f, title);
	write_head(&b);
	write_first_screen(&b);
	write_figure(&b, FIRST_FIGURE);
	write_answers(&b);
	write_figures(&b);
	write_diagrams(&b);
	report_flames__write(form, f, r);
	write_cells(&b);
	write_failures(&b);
	write_missing(&b);
	write_method(&b);
	form->end(f);
}
