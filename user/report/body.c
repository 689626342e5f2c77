/* SPDX-License-Identifier: GPL-2.0-only */
/* The content and order of a report; see doc.h. Independent of HTML and Markdown. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "doc.h"
#include "study/first_screen.h"
#include "study/test_family.h"
#include "study/dataset.h"
#include "study/phrases.h"

#define COLUMNS_MAX  (1 + 2 * MODE_NR)
#define ROWS_MAX     500 /* of a table */
#define POINTS_MAX   40  /* sentences of one answer */
#define SECTIONS_MAX 12

/* Sections that answers link to. */
#define CELLS_TITLE  "All cells"
#define METHOD_TITLE "How this was measured"
#define FLAMES_TITLE "Where the CPU time goes"

struct body {
	const struct report_form *form;
	FILE *f;
	const struct report *r;
	struct report_link sections[SECTIONS_MAX]; /* for the table of contents */
	size_t sections_nr;
};

__attribute__((format(printf, 2, 3))) static void say(const struct body *b, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	b->form->paragraph(b->f, text);
	free(text);
}

void report_body__slug(char *buf, size_t len, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < len; text++) {
		if (isalnum((unsigned char)*text) || *text == '-' || *text == '_')
			buf[n++] = (char)tolower((unsigned char)*text);
		else if (*text == ' ')
			buf[n++] = '-';
	}
	buf[n] = '\0';
}

/* A section, with its line in the table of contents. title is static. */
static void begin_section(struct body *b, const char *title)
{
	b->sections[b->sections_nr++] = (struct report_link){.text = title};
	b->form->heading(b->f, 2, title);
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

const char *report_body__flame_name(int flame)
{
	static const char *const names[FLAME_NR] = {
#define X(id, name, ...) [MODE_##id] = "diagram-flame-" #name,
		MODES(X)
#undef X
			[FLAME_DIFFERENCE] = "diagram-flame-difference",
	};

	return names[flame];
}

/* Before any answer. */
static void write_conditions(const struct body *b)
{
	char *text = first_screen__conditions(b->r->a->dataset);

	if (*text)
		b->form->strong(b->f, text);
	free(text);
}

/* How columns of foreign files were read. */
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
	const struct dataset *d = b->r->a->dataset;

	say(b, "%s", b->r->system);
	write_conditions(b);
	if (d->interrupted)
		say(b, "%u of the runs %s ended early; %s numbers are of the time %s had.",
		    d->interrupted, d->interrupted == 1 ? "was" : "were",
		    d->interrupted == 1 ? "its" : "their", d->interrupted == 1 ? "it" : "they");
	write_import(b);
}

/* ---- the first screen ---- */

static void put_row(const struct body *b, const char *question, char *answer)
{
	const char *row[2] = {question, answer};

	b->form->table_row(b->f, row, 2);
	free(answer);
}

/* Three questions that everybody has. */
static void write_questions(const struct body *b)
{
	static const char *const heads[] = {"Question", "Answer"};
	const struct analysis *a = b->r->a;
	enum metric cost = figure__cost_metric(a);

	b->form->table_begin(b->f, heads, 2);
	put_row(b, "Was zero-copy zero-copy?", first_screen__zerocopy(a));
	put_row(b, "Fastest", first_screen__best(a, METRIC_GBPS));
	put_row(b,
		cost == METRIC_CPU_NS_PER_KIB     ? "Cheapest (CPU time)"
		: cost == METRIC_CPU_S_NS_PER_KIB ? "Cheapest for the sender (CPU time)"
						  : "Cheapest (CPU cycles)",
		first_screen__best(a, cost));
	b->form->table_end(b->f);
}

/* Is the mode better than every other one at this size, by the rule? */
static bool is_best(const struct analysis *a, enum mode mode, uint64_t size, enum metric m)
{
	bool lower = metric__better(m) == BETTER_LOWER, any = false;

	for (int other = 0; other < MODE_NR; other++) {
		struct finding c = figure__compare(a, mode, (enum mode)other, size, m);

		if (other == (int)mode || c.difference == DIFFERENCE_UNKNOWN)
			continue;
		if (c.difference != (lower ? DIFFERENCE_LOWER : DIFFERENCE_HIGHER))
			return false;
		any = true;
	}
	return any;
}

static bool all_modes_have(const struct analysis *a, uint64_t size, unsigned int threads,
			   enum metric m)
{
	for (int mode = 0; mode < MODE_NR; mode++)
		if (a->has_mode[mode] &&
		    !analysis__estimate(a, analysis__cell(a, (enum mode)mode, size, threads), m).n)
			return false;
	return true;
}

/* Mean of the medians over the thread counts that all modes have. NaN: there are none. */
static double mean_over_threads(const struct analysis *a, enum mode mode, uint64_t size,
				enum metric m)
{
	double sum = 0, n = 0;

	for (size_t t = 0; t < a->threads_nr; t++) {
		if (!all_modes_have(a, size, a->threads[t], m))
			continue;
		sum += analysis__estimate(a, analysis__cell(a, mode, size, a->threads[t]), m)
			       .median;
		n++;
	}
	return n > 0 ? sum / n : (double)NAN;
}

struct mode_column {
	enum mode mode;
	enum metric metric;
};

/* The modes by size, the best of each marked. Returns whether any is. */
static bool write_mode_rows(const struct body *b, const struct mode_column *columns, size_t n)
{
	const struct analysis *a = b->r->a;
	char text[COLUMNS_MAX][PHRASE_BUF];
	const char *row[COLUMNS_MAX];
	bool marked = false;

	for (size_t i = 0; i < a->sizes_nr && i < ROWS_MAX; i++) {
		format_size(text[0], sizeof(text[0]), a->sizes[i]);
		row[0] = text[0];
		for (size_t c = 0; c < n; c++) {
			enum mode mode = columns[c].mode;
			enum metric m = columns[c].metric;
			double value = mean_over_threads(a, mode, a->sizes[i], m);
			bool best = !isnan(value) && is_best(a, mode, a->sizes[i], m);

			snprintf(text[c + 1], PHRASE_BUF, "%s%.100s", best ? REPORT_WINNER : "",
				 isnan(value) ? "n/a" : phrases__number(value).text);
			row[c + 1] = text[c + 1];
			marked |= best;
		}
		b->form->table_row(b->f, row, n + 1);
	}
	return marked;
}

static void write_mode_table(const struct body *b)
{
	const struct analysis *a = b->r->a;
	const enum metric metrics[] = {METRIC_GBPS, figure__cost_metric(a)};
	const char *heads[COLUMNS_MAX] = {"Size"}, *of_threads = "";
	struct mode_column columns[COLUMNS_MAX - 1];
	char text[COLUMNS_MAX][PHRASE_BUF];
	size_t n = 0;
	bool marked;

	for (size_t i = 0; i < 2; i++)
		for (int m = 0; m < MODE_NR; m++) {
			if (!a->has_mode[m] || !analysis__has(a, metrics[i]))
				continue;
			columns[n++] = (struct mode_column){(enum mode)m, metrics[i]};
			snprintf(text[n], sizeof(text[n]), "%s, %s", phrases__mode((enum mode)m),
				 *metric__unit(metrics[i]) ? metric__unit(metrics[i]) : "cycles/B");
			heads[n] = text[n];
		}
	if (!n)
		return;
	if (a->threads_nr > 1)
		of_threads = " Each number is the mean over the thread counts.";
	b->form->table_begin(b->f, heads, n + 1);
	marked = write_mode_rows(b, columns, n);
	b->form->table_end(b->f);
	say(b, "Median throughput%s by message size.%s %s",
	    !analysis__has(a, metrics[1])           ? ""
	    : metrics[1] == METRIC_CPU_NS_PER_KIB   ? " and CPU time of both sides"
	    : metrics[1] == METRIC_CPU_S_NS_PER_KIB ? " and CPU time of the sender"
						    : " and CPU cycles",
	    of_threads,
	    marked ? REPORT_WINNER "better than every other mode, outside the noise."
	    : answer__can_claim(a) ? "No mode is better than every other one outside the noise."
				   : "There are too few rounds to mark the best.");
}

static void write_figure(const struct body *b, enum figure_id i)
{
	const struct figure *f = &b->r->figures[i];

	b->form->picture(b->f, f->name, b->r->figure_svg[i], f->title, NULL);
}

/* On the first screen: the modes relative to two-copy; without two-copy, the throughput. */
static bool is_first(const struct body *b, enum figure_id i)
{
	bool relative = !b->r->figures[FIGURE_RELATIVE_THROUGHPUT].no_data;

	if (!relative)
		return i == FIGURE_THROUGHPUT;
	return (i == FIGURE_RELATIVE_THROUGHPUT || i == FIGURE_RELATIVE_CPU) &&
	       !b->r->figures[i].no_data;
}

static void write_first_figures(const struct body *b)
{
	b->form->pair_begin(b->f);
	for (int i = 0; i < FIGURE_NR; i++)
		if (is_first(b, (enum figure_id)i))
			write_figure(b, (enum figure_id)i);
	b->form->pair_end(b->f);
}

/* ---- the answers ---- */

static void write_evidence(const struct body *b, const struct answer_text *answer)
{
	static const char *const heads[] = {"Mode",   "Size",     "Threads", "Number",
					    "Median", "Interval", "Rounds"};
	char size[UNITS_BUF], threads[UNITS_BUF], rounds[UNITS_BUF];
	struct phrase median, interval;
	const struct evidence *e;
	size_t i, n = answer->evidence_nr < ROWS_MAX ? answer->evidence_nr : ROWS_MAX;

	if (n < answer->evidence_nr)
		say(b, "The first %zu of %zu numbers.", n, answer->evidence_nr);
	b->form->table_begin(b->f, heads, 7);
	for (i = 0; i < n; i++) {
		e = &answer->evidence[i];
		format_size(size, sizeof(size), e->cell->size);
		snprintf(threads, sizeof(threads), e->cell->threads ? "%u" : "n/a",
			 e->cell->threads);
		median = phrases__value(e->metric, e->estimate.median);
		interval = phrases__interval(e->metric, &e->estimate);
		snprintf(rounds, sizeof(rounds), "%u", e->estimate.n);
		b->form->table_row(b->f,
				   (const char *const[]){phrases__mode(e->cell->mode), size,
							 threads, metric__words(e->metric),
							 median.text, interval.text, rounds},
				   7);
	}
	b->form->table_end(b->f);
}

static void write_points(const struct body *b, const struct answer_text *answer)
{
	size_t n = answer->points_nr < POINTS_MAX ? answer->points_nr : POINTS_MAX;

	if (n)
		b->form->list(b->f, answer->points, n);
	if (n < answer->points_nr)
		say(b, "And %zu more of the same kinds.", answer->points_nr - n);
}

#define ANSWER_LINKS 4
#define END          FIGURE_NR

/* The pictures that show each answer. */
static const enum figure_id shown_by[QUESTION_NR][ANSWER_LINKS] = {
	[QUESTION_ZEROCOPY] = {FIGURE_COPIES, FIGURE_CPU, FIGURE_PATH, END},
	[QUESTION_CACHE] = {FIGURE_CACHE, FIGURE_CPU, END},
	[QUESTION_THREADS] = {FIGURE_THROUGHPUT, FIGURE_LATENCY, END},
	[QUESTION_ONE_OVER_TWO] = {FIGURE_RELATIVE_THROUGHPUT, FIGURE_RELATIVE_CPU, END},
	[QUESTION_ZERO_OVER_TWO] = {FIGURE_RELATIVE_THROUGHPUT, FIGURE_RELATIVE_CPU, END},
	[QUESTION_UNEXPECTED] = {FIGURE_THROUGHPUT, FIGURE_CYCLES, END},
};

static void write_answer_links(const struct body *b, enum question q)
{
	struct report_link links[ANSWER_LINKS + 1];
	size_t n = 0;

	for (const enum figure_id *i = shown_by[q]; *i != END; i++) {
		const struct figure *f = &b->r->figures[*i];

		if (!f->no_data)
			links[n++] = (struct report_link){f->title, f->name};
	}
	links[n++] = (struct report_link){.text = CELLS_TITLE};
	b->form->links(b->f, "See: ", links, n);
}

/* The tables that show the answer: changes by size and threads. */
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

static void write_details(const struct body *b, const struct answer_text *answer)
{
	if (!answer->points_nr && !answer->evidence_nr)
		return;
	b->form->fold_begin(b->f, "Evidence: the numbers this rests on");
	write_points(b, answer);
	if (answer->evidence_nr)
		write_evidence(b, answer);
	b->form->fold_end(b->f);
}

static void write_answers(struct body *b)
{
	char title[256];

	begin_section(b, "The six questions");
	for (int q = 0; q < QUESTION_NR; q++) {
		const struct answer_text *answer = &b->r->answers[q];

		snprintf(title, sizeof(title), "%d. %s", q + 1, answer->question);
		b->form->heading(b->f, 3, title);
		b->form->paragraph(b->f, answer->headline);
		write_answer_tables(b, answer);
		if (answer->cannot)
			b->form->paragraph(b->f, answer->cannot);
		write_answer_links(b, (enum question)q);
		write_details(b, answer);
	}
}

/* ---- pictures ---- */

static void write_figures(struct body *b)
{
	begin_section(b, "Pictures");
	for (int i = 0; i < FIGURE_NR; i++)
		if (!is_first(b, (enum figure_id)i))
			write_figure(b, (enum figure_id)i);
}

static void write_diagrams(struct body *b)
{
	static const char legend[] =
		"Drawn from the measured ledger. Solid arrows copy, the wider "
		"the more; dashed ones only reference the sender's pages; grey "
		"ones pass on.";
	char alt[128];
	int m, drawn = 0;

	begin_section(b, "What the kernel did");
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

static const char flame_legend[] = "Flame graphs of sampled kernel stacks, at the size and thread "
				   "count of the diagrams. A box "
				   "is a function, as wide as the CPU time spent in the function "
				   "and in its callees, which stand "
				   "above it. The colour is the class of the time spent in the "
				   "function itself. Times are means "
				   "over the rounds; the tables have medians. The last graph shows "
				   "two modes in one: red or blue "
				   "is what only one of them does, white what both do alike.";

static void write_flames(struct body *b)
{
	int drawn = 0;

	begin_section(b, FLAMES_TITLE);
	for (int i = 0; i < FLAME_NR; i++) {
		if (!b->r->flame_svg[i])
			continue;
		if (!drawn++)
			b->form->paragraph(b->f, flame_legend);
		b->form->picture(b->f, report_body__flame_name(i), b->r->flame_svg[i],
				 i == FLAME_DIFFERENCE ? "Flame graph of two-copy and zero-copy"
						       : "Flame graph of a mode",
				 NULL);
	}
	if (!drawn)
		say(b, "No stacks were sampled: %s.",
		    analysis__reason(b->r->a, METRIC_CLASS_S_TX_COPY));
}

/* ---- tables ---- */

#define KEY_COLUMNS 4

struct cell_table {
	enum metric column[METRIC_NR]; /* marked for this table, and the data has it */
	size_t nr;
	char text[KEY_COLUMNS + METRIC_NR][PHRASE_BUF];
	const char *row[KEY_COLUMNS + METRIC_NR];
};

static void cell_table__row(struct cell_table *t, const struct analysis *a, struct cell *cell)
{
	struct estimate e;
	size_t i;

	snprintf(t->text[0], PHRASE_BUF, "%s", phrases__mode(cell->mode));
	format_size(t->text[1], PHRASE_BUF, cell->size);
	snprintf(t->text[2], PHRASE_BUF, cell->threads ? "%u" : "n/a", cell->threads);
	snprintf(t->text[3], PHRASE_BUF, "%zu", cell->rows_nr);
	for (i = 0; i < t->nr; i++) {
		e = analysis__estimate(a, cell, t->column[i]);
		memcpy(t->text[KEY_COLUMNS + i],
		       metric__shown(t->column[i], VISIBILITY_INTERVAL) && a->rounds_max > 1
			       ? phrases__estimate(t->column[i], &e).text
			       : phrases__value(t->column[i], e.median).text,
		       PHRASE_BUF);
	}
}

static void write_cells(struct body *b)
{
	static const char *const key_heads[KEY_COLUMNS] = {"Mode", "Size", "Threads", "Rounds"};
	const struct analysis *a = b->r->a;
	struct cell_table t = {.nr = 0};
	size_t i, n = a->cells_nr < ROWS_MAX ? a->cells_nr : ROWS_MAX;

	for (i = 0; i < KEY_COLUMNS; i++)
		t.row[i] = key_heads[i];
	for (int m = 0; m < METRIC_NR; m++) {
		if (!metric__shown((enum metric)m, VISIBILITY_REPORT) ||
		    !analysis__has(a, (enum metric)m))
			continue;
		t.row[KEY_COLUMNS + t.nr] = metric__words((enum metric)m);
		t.column[t.nr++] = (enum metric)m;
	}
	begin_section(b, CELLS_TITLE);
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

static void write_failures(struct body *b)
{
	static const char *const heads[] = {"Mode", "Size", "Threads", "Round", "Reason"};
	const struct dataset *d = b->r->a->dataset;
	char size[UNITS_BUF], threads[UNITS_BUF], round[UNITS_BUF];
	const char *row[] = {NULL, size, threads, round, NULL};
	size_t i;

	if (!d->failures_nr)
		return;
	begin_section(b, "Runs that failed");
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
	return metric__shown(m, VISIBILITY_EXPECTED) && !analysis__has(a, m);
}

/* The missing metrics with this reason, separated by commas; marked as listed. Caller frees. */
static char *missing_for(const struct analysis *a, const char *reason, bool said[METRIC_NR])
{
	char *list;
	size_t size;
	FILE *f = xopen_memstream(&list, &size);
	const char *comma = "";

	for (int m = 0; m < METRIC_NR; m++) {
		if (!is_missed(a, (enum metric)m) ||
		    strcmp(analysis__reason(a, (enum metric)m), reason))
			continue;
		fprintf(f, "%s%s", comma, metric__words((enum metric)m));
		comma = ", ";
		said[m] = true;
	}
	xclose_memstream(f);
	return list;
}

/* Numbers whose absence a reader should know the reason of, a row for each reason. */
static void write_missing(struct body *b)
{
	static const char *const heads[] = {"Not measured", "Why"};
	bool said[METRIC_NR] = {false}, any = false;
	const char *row[2];
	char *list;

	for (int m = 0; m < METRIC_NR; m++) {
		if (said[m] || !is_missed(b->r->a, (enum metric)m))
			continue;
		if (!any) {
			begin_section(b, "What could not be measured");
			b->form->table_begin(b->f, heads, 2);
			any = true;
		}
		row[1] = analysis__reason(b->r->a, (enum metric)m);
		list = missing_for(b->r->a, row[1], said);
		row[0] = list;
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
	double c, payload;

	if (!cell)
		return;
	c = cell->rows[0].value[METRIC_CYCLES];
	payload = cell->rows[0].value[METRIC_PAYLOAD];
	if (isnan(c) || !(payload > 0))
		return;
	say(b, "For example, round %u of %s: %s cycles / %.0f bytes = %s cycles per byte.",
	    cell->rows[0].round, phrases__cell(cell).text, phrases__value(METRIC_CYCLES, c).text,
	    payload, phrases__number(c / payload).text);
}

/* The rule of base/rank_test.h, as docs/GUIDE.md has it. */
static void write_rule(const struct body *b)
{
	static const char *const rule[] = {
		"Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m "
		"quotients.",
		"The interval of A / B runs from the k-th smallest to the k-th largest quotient. k "
		"is the largest rank with 2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U "
		"of "
		"n and m rounds.",
		"There is a difference only if the whole interval is above 1 or the whole interval "
		"is below 1.",
		"T is the number of comparisons that are made together: here all of one number "
		"between modes, between thread counts, or between sizes.",
		"If no k is possible, there are too few rounds; one round each is a point without "
		"an interval.",
	};
	const struct analysis *a = b->r->a;

	say(b, "run, report and compare call two numbers different by this rule:");
	for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++)
		say(b, "%zu. %s", i + 1, rule[i]);
	say(b,
	    "Here T is %zu for throughput between modes, so that %u rounds of each are needed. "
	    "Where nothing differs, any of the T comparisons is called different in at most %.0f "
	    "%% "
	    "of reports. Differences of sampled stages compare pairs of rounds; their "
	    "interval runs from the k-th smallest to the k-th largest pair, by the binomial "
	    "distribution.",
	    test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS),
	    rank_test__rounds_needed(test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS)),
	    100 * RANK_LEVEL);
	if (a->rounds_max < 2)
		say(b, "One run per cell: no intervals, and each difference is a point "
		       "difference.");
	else
		say(b,
		    "Numbers are medians over the rounds. Brackets, and the bars of the pictures, "
		    "are the interval between two rounds that holds the true median in %.1f %% of "
		    "cases with %zu rounds.",
		    100 * estimate__coverage(a->rounds_max), a->rounds_max);
}

static void write_method(struct body *b)
{
	static const char *const heads[] = {"Derived number", "Formula", "Unit"};
	const struct analysis *a = b->r->a;
	const struct dataset *d = a->dataset;
	const char *row[3], *unit;
	char rounds[64];

	begin_section(b, METHOD_TITLE);
	if (a->rounds_min == a->rounds_max)
		snprintf(rounds, sizeof(rounds), "%zu round%s each", a->rounds_max,
			 plural(a->rounds_max));
	else
		snprintf(rounds, sizeof(rounds), "%zu to %zu rounds each", a->rounds_min,
			 a->rounds_max);
	say(b, "%zu run%s: %zu cell%s of mode, size and thread count, %s%s%s%s%s.", d->rows_nr,
	    plural(d->rows_nr), a->cells_nr, plural(a->cells_nr), rounds,
	    d->version ? "; measured with netiotrace " : "", d->version ? d->version : "",
	    d->backend ? ", backend " : "", d->backend ? d->backend : "");
	write_rule(b);
	b->form->table_begin(b->f, heads, 3);
	for (int m = METRIC_READ_NR; m < METRIC_NR; m++) {
		if (!analysis__has(a, (enum metric)m))
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
	    "The directory data beside this report has the data of each picture as CSV, and the "
	    "settings of gnuplot. To make it again: %s",
	    b->r->command);
}

void report_body__write(const struct report_form *form, FILE *f, const struct report *r)
{
	struct body b = {.form = form, .r = r};
	char title[512], *text;
	size_t len;

	/* The table of contents precedes its sections. */
	b.f = xopen_memstream(&text, &len);
	write_head(&b);
	write_questions(&b);
	write_mode_table(&b);
	write_first_figures(&b);
	write_answers(&b);
	write_figures(&b);
	write_diagrams(&b);
	write_flames(&b);
	write_cells(&b);
	write_failures(&b);
	write_missing(&b);
	write_method(&b);
	xclose_memstream(b.f);
	snprintf(title, sizeof(title), "netiotrace report: %s", r->source);
	form->begin(f, title);
	form->contents(f, b.sections, b.sections_nr);
	fwrite(text, 1, len, f);
	form->end(f);
	free(text);
}
