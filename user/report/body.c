/* SPDX-License-Identifier: GPL-2.0-only */
/* The content and order of a report; see body.h. Independent of HTML and Markdown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "body.h"
#include "cell_columns.h"
#include "rule.h"
#include "study/first_screen.h"
#include "study/leaders.h"
#include "study/dataset.h"
#include "study/phrases.h"

#define ROWS_MAX     500 /* of a table */
#define SECTIONS_MAX 12

/* Sections that answers link to. */
#define CELLS_TITLE  "All cells"
#define METHOD_TITLE "How this was measured"

#define DIAGRAMS_TITLE "What the kernel did"
#define FLAMES_TITLE   "Where the CPU time goes"

struct body {
	struct doc doc;
	const struct report *r;
	const struct analysis *a;
	struct doc_link sections[SECTIONS_MAX]; /* for the table of contents */
	size_t sections_nr;
};

#define add_paragraph(b, ...) doc__put(&(b)->doc, DOC_PARAGRAPH, __VA_ARGS__)
#define put_cell(b, ...)      doc__cell(&(b)->doc, __VA_ARGS__)

/* A section, with its line in the table of contents. title is static. */
static void begin_section(struct body *b, const char *title)
{
	b->sections[b->sections_nr++] = (struct doc_link){.text = title};
	b->doc.form->heading(&b->doc, 2, title);
}

/* The conditions come before any answer, and how columns of foreign files were read. */
static void write_head(struct body *b)
{
	const struct dataset *d = b->a->dataset;
	char *text = first_screen__conditions(d), *origin = first_screen__origin(d);

	add_paragraph(b, "%s", b->r->system);
	if (*origin)
		add_paragraph(b, "%s", origin);
	if (b->r->raw)
		doc__links(&b->doc, DOC_SEE,
			   &(struct doc_link){.text = "raw data", .file = b->r->raw}, 1);
	if (*text)
		doc__put(&b->doc, DOC_STRONG, "%s", text);
	free(text);
	free(origin);
	if (d->interrupted)
		add_paragraph(
			b, "%u of the runs %s ended early; %s numbers are of the time %s had.",
			d->interrupted, d->interrupted == 1 ? "was" : "were",
			d->interrupted == 1 ? "its" : "their", d->interrupted == 1 ? "it" : "they");
	for (size_t i = 0; i < d->notes_nr; i++)
		add_paragraph(b, "%s", d->notes[i]);
}

/* ---- the first screen ---- */

static void put_row(struct body *b, const char *question, char *answer)
{
	put_cell(b, "%s", question);
	put_cell(b, "%s", answer);
	free(answer);
}

/* "Fastest", "Fastest with 1 thread". */
static void put_leaders(struct body *b, const char *question, enum metric m)
{
	struct leaders l;

	leaders__make(&l, b->a, m);
	for (size_t i = 0; i < l.nr; i++) {
		bool all = !*l.lines[i].threads;

		put_cell(b, "%s%s%s", question, all ? "" : " with ", l.lines[i].threads);
		put_cell(b, "%s", l.lines[i].text);
	}
	leaders__clear(&l);
}

static void add_disagreements(struct body *b)
{
	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		char *text = mode == MODE_TWOCOPY ? NULL
						  : leaders__disagreement(b->a, mode, METRIC_GBPS);

		if (text)
			add_paragraph(b, "%s", text);
		free(text);
	}
}

/* Three questions that everybody has. */
static void write_questions(struct body *b)
{
	static const char *const heads[] = {"Question", "Answer"};
	enum metric cost = analysis__cost(b->a);

	if (!answer__can_claim(b->a))
		doc__put(&b->doc, DOC_STRONG, "%s.", answer__cannot_claim(b->a).text);
	doc__table(&b->doc, heads, 2);
	put_row(b, "Was zero-copy zero-copy?", first_screen__zerocopy(b->a));
	put_leaders(b, "Fastest", METRIC_GBPS);
	put_leaders(b,
		    cost == METRIC_CPU_NS_PER_KIB     ? "Cheapest (CPU time of the processes)"
		    : cost == METRIC_CPU_S_NS_PER_KIB ? "Cheapest for the sender (CPU time)"
						      : "Cheapest (CPU cycles)",
		    cost);
	doc__table_end(&b->doc);
	add_disagreements(b);
}

/* The heading of a column: "two-copy, Gbit/s". */
static struct phrase mode_heading(enum mode mode, enum metric m)
{
	return phrases__of("%s, %s", phrases__mode(mode),
			   *metric__unit(m) ? metric__unit(m) : "cycles/B");
}

/* The medians of a metric in a setting. Returns whether one is marked as best. */
static bool put_medians(struct body *b, uint64_t size, unsigned int threads, enum metric m)
{
	struct setting_ranking r = leaders__rank(b->a, size, threads, m);
	bool marked = false;

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		struct cell *cell = analysis__cell(b->a, mode, size, threads);
		struct estimate e = analysis__estimate(b->a, cell, m);
		bool best = leaders__is_best(&r, mode);

		if (!b->a->has_mode[mode])
			continue;
		put_cell(b, "%s%s", best ? DOC_WINNER : "",
			 e.n ? phrases__number(e.median).text : "n/a");
		marked |= best;
	}
	return marked;
}

static bool has_setting(const struct analysis *a, uint64_t size, unsigned int threads)
{
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (analysis__cell(a, mode, size, threads))
			return true;
	return false;
}

/* The modes by thread count and size, the best of each setting marked. */
static void write_mode_table(struct body *b)
{
	const struct analysis *a = b->a;
	const enum metric metrics[] = {METRIC_GBPS, analysis__cost(a)};
	const char *heads[2 + 2 * MODE_NR] = {"Threads", "Size"};
	struct phrase text[2 + 2 * MODE_NR];
	size_t columns = 2, rows = 0;
	bool marked = false;

	for (size_t i = 0; i < 2; i++)
		for (enum mode m = 0; m < MODE_NR; m++) {
			if (!a->has_mode[m] || !analysis__has(a, metrics[i]))
				continue;
			text[columns] = mode_heading(m, metrics[i]);
			heads[columns] = text[columns].text;
			columns++;
		}
	if (columns == 2)
		return;
	doc__table(&b->doc, heads, columns);
	for (size_t t = 0; t < a->threads_nr; t++)
		for (size_t s = 0; s < a->sizes_nr; s++) {
			if (rows == ROWS_MAX || !has_setting(a, a->sizes[s], a->threads[t]))
				continue;
			rows++;
			put_cell(b, a->threads[t] ? "%u" : "n/a", a->threads[t]);
			put_cell(b, "%s", phrases__size(a->sizes[s]).text);
			for (size_t i = 0; i < 2; i++)
				if (analysis__has(a, metrics[i]))
					marked |= put_medians(b, a->sizes[s], a->threads[t],
							      metrics[i]);
		}
	doc__table_end(&b->doc);
	add_paragraph(b, "Median throughput%s by thread count and message size.%s",
		      !analysis__has(a, metrics[1])           ? ""
		      : metrics[1] == METRIC_CPU_NS_PER_KIB   ? " and CPU time of the processes"
		      : metrics[1] == METRIC_CPU_S_NS_PER_KIB ? " and CPU time of the sender"
							      : " and CPU cycles",
		      marked ? " " DOC_WINNER
			       "no mode is better, and another one is worse, outside the noise."
			     : "");
}

static void write_figure(struct body *b, enum figure_id i)
{
	const struct figure *f = &b->r->figures[i];

	b->doc.form->picture(&b->doc, f->name, f->svg, f->title);
}

/* On the first screen: the modes relative to two-copy; without two-copy, the throughput. */
static bool is_first(struct body *b, enum figure_id i)
{
	bool relative = !b->r->figures[FIGURE_RELATIVE_THROUGHPUT].no_data;

	if (b->r->figures[i].no_data)
		return false;
	return relative ? i == FIGURE_RELATIVE_THROUGHPUT || i == FIGURE_RELATIVE_CPU
			: i == FIGURE_THROUGHPUT;
}

static void write_first_figures(struct body *b)
{
	doc__begin(&b->doc, DOC_PAIR);
	for (int i = 0; i < FIGURE_NR; i++)
		if (is_first(b, (enum figure_id)i))
			write_figure(b, (enum figure_id)i);
	doc__end(&b->doc, DOC_PAIR);
}

/* ---- the answers ---- */

/* The first cells of a row: "two-copy", "64 KiB", "8"; 0 threads: unknown. */
static void put_names(struct body *b, const struct cell *c)
{
	char size[UNITS_BUF];

	put_cell(b, "%s", phrases__mode(c->mode));
	put_cell(b, "%s", format_size(size, sizeof(size), c->size));
	put_cell(b, c->threads ? "%u" : "n/a", c->threads);
}

#define ANSWER_LINKS 4
#define END          FIGURE_NR

/* The pictures that show each answer. */
static const enum figure_id shown_by[QUESTION_NR][ANSWER_LINKS] = {
	[QUESTION_ZEROCOPY] = {FIGURE_COPIES, FIGURE_CPU, FIGURE_PATH, END},
	[QUESTION_CACHE] = {FIGURE_CACHE, FIGURE_CPU, END},
	[QUESTION_THREADS] = {FIGURE_THROUGHPUT, FIGURE_LATENCY, FIGURE_CACHE_THREADS, END},
	[QUESTION_ONE_OVER_TWO] = {FIGURE_RELATIVE_THROUGHPUT, FIGURE_RELATIVE_CPU, END},
	[QUESTION_ZERO_OVER_TWO] = {FIGURE_RELATIVE_THROUGHPUT, FIGURE_RELATIVE_CPU, END},
	[QUESTION_UNEXPECTED] = {FIGURE_THROUGHPUT, FIGURE_CYCLES, END},
	[QUESTION_PAIRS] = {FIGURE_RELATIVE_THROUGHPUT, FIGURE_RELATIVE_CPU, END},
	[QUESTION_CHEAPEST] = {FIGURE_RELATIVE_CPU, FIGURE_CPU, END},
};

static void write_answer_links(struct body *b, enum question q)
{
	struct doc_link links[ANSWER_LINKS + 1];
	size_t n = 0;

	for (const enum figure_id *i = shown_by[q]; *i != END; i++) {
		const struct figure *f = &b->r->figures[*i];

		if (!f->no_data)
			links[n++] = (struct doc_link){.text = f->title, .picture = f->name};
	}
	links[n++] = (struct doc_link){.text = CELLS_TITLE};
	doc__links(&b->doc, DOC_SEE, links, n);
}

static void write_answer_table(struct body *b, const struct answer_table *t)
{
	add_paragraph(b, "%s", t->title);
	doc__table(&b->doc, (const char *const *)t->cells, t->columns);
	for (size_t c = t->columns; c < t->cells_nr; c++)
		put_cell(b, "%s", t->cells[c]);
	doc__table_end(&b->doc);
}

/* The first table is open, the others are folded. */
static void write_answer_tables(struct body *b, const struct answer_text *answer)
{
	for (size_t i = 0; i < answer->tables_nr; i++) {
		if (i == 1) {
			doc__begin(&b->doc, DOC_FOLD);
			doc__put(&b->doc, DOC_FOLD_TITLE, "More numbers");
		}
		write_answer_table(b, &answer->tables[i]);
	}
	if (answer->tables_nr > 1)
		doc__end(&b->doc, DOC_FOLD);
}

static void write_answer(struct body *b, enum question q)
{
	const struct answer_text *answer = &b->r->answers[q];

	add_paragraph(b, "%s", answer->headline);
	write_answer_tables(b, answer);
	if (answer->cannot)
		add_paragraph(b, "%s", answer->cannot);
	write_answer_links(b, q);
}

static void write_answers(struct body *b)
{
	char title[256];

	begin_section(b, "The six questions");
	for (int q = 0; q < QUESTION_SIX; q++) {
		snprintf(title, sizeof(title), "%d. %s", q + 1, b->r->answers[q].question);
		b->doc.form->heading(&b->doc, 3, title);
		write_answer(b, (enum question)q);
	}
}

static void write_ways(struct body *b)
{
	for (int q = QUESTION_SIX; q < QUESTION_NR; q++) {
		begin_section(b, b->r->answers[q].question);
		write_answer(b, (enum question)q);
	}
}

/* ---- pictures ---- */

static bool is_any_drawn(const struct drawing *drawings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (drawings[i].svg)
			return true;
	return false;
}

/* What is not drawn, each with the reason. */
static void write_left_out(struct body *b)
{
	static const char *const heads[] = {"Not drawn", "Why"};
	const struct report *r = b->r;
	bool diagrams = is_any_drawn(r->diagrams, MODE_NR);
	bool flames = is_any_drawn(r->flames, FLAME_NR), any = !diagrams || !flames;

	for (int i = 0; i < FIGURE_NR; i++)
		any |= r->figures[i].no_data != NULL;
	if (!any)
		return;
	doc__table(&b->doc, heads, 2);
	for (int i = 0; i < FIGURE_NR; i++) {
		if (!r->figures[i].no_data)
			continue;
		put_cell(b, "%s", r->figures[i].title);
		put_cell(b, "%s", r->figures[i].no_data);
	}
	if (!diagrams) {
		put_cell(b, "%s", DIAGRAMS_TITLE);
		put_cell(b, "no copy ledger: %s", analysis__reason(b->a, METRIC_BYTES_RX_COPY));
	}
	if (!flames) {
		put_cell(b, "%s", FLAMES_TITLE);
		put_cell(b, "no sampled stacks: %s",
			 analysis__reason(b->a, METRIC_CLASS_S_TX_COPY));
	}
	doc__table_end(&b->doc);
}

static void write_figures(struct body *b)
{
	begin_section(b, "Pictures");
	for (int i = 0; i < FIGURE_NR; i++)
		if (!b->r->figures[i].no_data && !is_first(b, (enum figure_id)i))
			write_figure(b, (enum figure_id)i);
	write_left_out(b);
}

/* A section of drawings, if there is one. */
static void write_drawings(struct body *b, const char *title, const struct drawing *drawings,
			   size_t n, const char *legend)
{
	char alt[128];

	if (!is_any_drawn(drawings, n))
		return;
	begin_section(b, title);
	add_paragraph(b, "%s", legend);
	for (size_t i = 0; i < n; i++) {
		if (!drawings[i].svg)
			continue;
		snprintf(alt, sizeof(alt), "%s: %s", title,
			 i < MODE_NR ? phrases__mode((enum mode)i) : "two-copy and zero-copy");
		b->doc.form->picture(&b->doc, drawings[i].name, drawings[i].svg, alt);
	}
}

static const char diagram_legend[] =
	"Drawn from the measured ledger. Solid arrows copy, the wider the more; dashed ones only "
	"reference the sender's pages; grey ones pass on.";

static const char flame_legend[] =
	"Flame graphs of sampled kernel stacks, at the size and thread count of the diagrams. A "
	"box is a function, as wide as the CPU time spent in the function and in its callees, "
	"which stand above it. The colour is the class of the time spent in the function itself. "
	"Times are means over the rounds; the tables have medians. The last graph shows two modes "
	"in one: red or blue is what only one of them does, white what both do alike.";

/* ---- tables ---- */

#define KEY_COLUMNS 4

static void put_metric_cell(struct body *b, struct cell *c, enum metric m)
{
	struct estimate e = analysis__estimate(b->a, c, m);
	bool interval = metric__shown(m, VISIBILITY_INTERVAL) && b->a->rounds_max > 1;

	put_cell(b, "%s",
		 interval ? phrases__estimate(m, &e).text : phrases__value(m, e.median).text);
}

static void write_cells(struct body *b)
{
	const char *heads[KEY_COLUMNS + METRIC_NR] = {"Mode", "Size", "Threads", "Rounds"};
	const struct analysis *a = b->a;
	enum metric metrics[METRIC_NR];
	size_t nr = cell_columns__find(a, metrics);
	size_t n = a->cells_nr < ROWS_MAX ? a->cells_nr : ROWS_MAX;

	for (size_t m = 0; m < nr; m++)
		heads[KEY_COLUMNS + m] = metric__words(metrics[m]);
	begin_section(b, CELLS_TITLE);
	if (n < a->cells_nr)
		add_paragraph(b, "The first %zu of %zu cells.", n, a->cells_nr);
	doc__table(&b->doc, heads, KEY_COLUMNS + nr);
	for (size_t i = 0; i < n; i++) {
		put_names(b, &a->cells[i]);
		put_cell(b, "%zu", a->cells[i].rows_nr);
		for (size_t m = 0; m < nr; m++)
			put_metric_cell(b, &a->cells[i], metrics[m]);
	}
	doc__table_end(&b->doc);
}

static void write_failures(struct body *b)
{
	static const char *const heads[] = {"Mode", "Size", "Threads", "Round", "Reason"};
	const struct dataset *d = b->a->dataset;
	char size[UNITS_BUF];

	if (!d->failures_nr)
		return;
	begin_section(b, "Runs that failed");
	doc__table(&b->doc, heads, 5);
	for (size_t i = 0; i < d->failures_nr; i++) {
		put_cell(b, "%s", d->failures[i].mode);
		put_cell(b, "%s", format_size(size, sizeof(size), d->failures[i].size));
		put_cell(b, "%u", d->failures[i].threads);
		put_cell(b, "%u", d->failures[i].round);
		put_cell(b, "%s", d->failures[i].reason);
	}
	doc__table_end(&b->doc);
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
	char *list;

	for (int m = 0; m < METRIC_NR; m++) {
		const char *reason = analysis__reason(b->a, (enum metric)m);

		if (said[m] || !is_missed(b->a, (enum metric)m))
			continue;
		if (!any) {
			begin_section(b, "What could not be measured");
			doc__table(&b->doc, heads, 2);
			any = true;
		}
		list = missing_for(b->a, reason, said);
		put_cell(b, "%s", list);
		put_cell(b, "%s", reason);
		free(list);
	}
	if (any)
		doc__table_end(&b->doc);
}

/* One figure worked out, so that it can be checked by hand. */
static void write_example(struct body *b)
{
	const struct cell *peak = analysis__peak(b->a, MODE_NR, METRIC_GBPS);
	const struct dataset_row *row = peak ? &peak->rows[0] : NULL;
	double c, payload;

	if (!row || isnan(row->value[METRIC_CYCLES]) || !(row->value[METRIC_PAYLOAD] > 0))
		return;
	c = row->value[METRIC_CYCLES];
	payload = row->value[METRIC_PAYLOAD];
	add_paragraph(b,
		      "For example, round %u of %s: %s cycles / %.0f bytes = %s cycles per byte.",
		      row->round, phrases__cell(peak).text, phrases__value(METRIC_CYCLES, c).text,
		      payload, phrases__number(c / payload).text);
}

static void write_method(struct body *b)
{
	static const char *const heads[] = {"Derived number", "Formula", "Unit"};
	const struct analysis *a = b->a;
	const struct dataset *d = a->dataset;
	char rounds[64] = "";

	begin_section(b, METHOD_TITLE);
	if (a->rounds_min < a->rounds_max)
		snprintf(rounds, sizeof(rounds), "%zu to ", a->rounds_min);
	add_paragraph(
		b,
		"%zu run%s: %zu cell%s of mode, size and thread count, %s%zu round%s each%s%s%s%s.",
		d->rows_nr, plural(d->rows_nr), a->cells_nr, plural(a->cells_nr), rounds,
		a->rounds_max, plural(a->rounds_max),
		d->version ? "; measured with netiotrace " : "", d->version ? d->version : "",
		d->backend ? ", backend " : "", d->backend ? d->backend : "");
	rule__write(&b->doc, a);
	doc__table(&b->doc, heads, 3);
	for (int i = METRIC_READ_NR; i < METRIC_NR; i++) {
		enum metric m = (enum metric)i;

		if (!analysis__has(a, m))
			continue;
		put_cell(b, "%s", metric__words(m));
		put_cell(b, "%s", metric__formula(m));
		put_cell(b, "%s", *metric__unit(m) ? metric__unit(m) : "-");
	}
	doc__table_end(&b->doc);
	write_example(b);
	add_paragraph(
		b,
		"Beside this report are each picture as SVG, PNG and PDF, and cells.tex, tables "
		"for LaTeX. Its directory data has the data of each picture as CSV, and a script "
		"that "
		"draws it: gnuplot NAME.plot. To make the report again: %s",
		b->r->command);
}

void body__write(const struct doc_form *form, FILE *f, const struct report *r)
{
	struct body b = {.doc = {.form = form}, .r = r, .a = r->a};
	char title[512], *text;
	size_t len;

	/* The table of contents precedes its sections. */
	b.doc.f = xopen_memstream(&text, &len);
	write_head(&b);
	write_questions(&b);
	write_first_figures(&b);
	write_mode_table(&b);
	write_answers(&b);
	write_figures(&b);
	write_drawings(&b, DIAGRAMS_TITLE, r->diagrams, MODE_NR, diagram_legend);
	write_drawings(&b, FLAMES_TITLE, r->flames, FLAME_NR, flame_legend);
	write_cells(&b);
	write_failures(&b);
	write_missing(&b);
	write_method(&b);
	write_ways(&b);
	xclose_memstream(b.doc.f);
	b.doc.f = f;
	snprintf(title, sizeof(title), "netiotrace report: %s", r->source);
	form->page(&b.doc, title);
	doc__links(&b.doc, DOC_CONTENTS, b.sections, b.sections_nr);
	fwrite(text, 1, len, f);
	doc__end(&b.doc, DOC_PAGE_END);
	free(text);
}
