/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and evidence of answers; see answer.h. answer_*.c have the content. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "test_family.h"

/* clang-format off */
static const struct {
	const char *text;
	void (*make)(struct answer_text *answer);
} questions[QUESTION_NR] = {
	[QUESTION_ZEROCOPY] = {"Why does zero-copy not always give the best throughput?",
			       answer__zerocopy},
	[QUESTION_CACHE] = {"Which cache level shows the most reduction in misses, and from which "
			    "stage does it come?", answer__cache},
	[QUESTION_THREADS] = {"How does the thread count interact with cache contention?",
			      answer__threads},
	[QUESTION_ONE_OVER_TWO] = {"At which message size does one-copy outperform two-copy on this "
				   "system?", answer__one_over_two},
	[QUESTION_ZERO_OVER_TWO] = {"At which message size does zero-copy outperform two-copy on "
				    "this system?", answer__zero_over_two},
	[QUESTION_UNEXPECTED] = {"What is unexpected in this data, and which measurement explains "
				 "it?", answer__unexpected},
};
/* clang-format on */

/* A blank between two sentences. */
static void add_sentence(char **text, const char *format, va_list args)
{
	char *before = *text, *sentence = xvasprintf(format, args);

	*text = xasprintf("%s%s%s", before ? before : "", before ? " " : "", sentence);
	free(sentence);
	free(before);
}

void answer__headline(struct answer_text *answer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_sentence(&answer->headline, format, args);
	va_end(args);
}

void answer__cannot(struct answer_text *answer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_sentence(&answer->cannot, format, args);
	va_end(args);
}

void answer__point(struct answer_text *answer, const char *format, ...)
{
	va_list args;

	answer->points = xgrow(answer->points, answer->points_nr, sizeof(*answer->points));
	va_start(args, format);
	answer->points[answer->points_nr++] = xvasprintf(format, args);
	va_end(args);
}

void answer__cite(struct answer_text *answer, struct cell *cell, enum metric m)
{
	struct estimate e = analysis__estimate(answer->a, cell, m);

	for (size_t i = 0; i < answer->evidence_nr; i++)
		if (answer->evidence[i].cell == cell && answer->evidence[i].metric == m)
			return;
	if (!e.n)
		return;
	answer->evidence = xgrow(answer->evidence, answer->evidence_nr, sizeof(*answer->evidence));
	answer->evidence[answer->evidence_nr++] = (struct evidence){cell, m, e};
}

struct finding answer__compare(struct answer_text *answer, struct cell *x, struct cell *y,
			       enum metric m)
{
	struct finding f = analysis__compare(answer->a, x, y, m);

	if (f.difference != DIFFERENCE_UNKNOWN) {
		answer__cite(answer, x, m);
		answer__cite(answer, y, m);
	}
	return f;
}

static char *table_cell(const struct finding *f)
{
	bool shown = f->difference != DIFFERENCE_UNKNOWN && f->difference != DIFFERENCE_NOISE;

	return xstrdup(shown ? phrases__change_of(f).text : phrases__finding(f).text);
}

/* One row: a size at each thread count. Returns the number of values. */
static size_t fill_row(struct answer_text *answer, enum mode first, enum mode second, uint64_t size,
		       enum metric m, char **row)
{
	const struct analysis *a = answer->a;
	struct finding f;
	size_t known = 0;

	*row++ = xstrdup(phrases__size(size).text);
	for (size_t i = 0; i < a->threads_nr; i++) {
		f = answer__compare(answer, analysis__cell(a, first, size, a->threads[i]),
				    analysis__cell(a, second, size, a->threads[i]), m);
		*row++ = table_cell(&f);
		known += f.difference != DIFFERENCE_UNKNOWN;
	}
	f = analysis__compare_modes(a, first, second, size, m);
	if (a->threads_nr > 1)
		*row = table_cell(&f);
	return known;
}

static void table__clear(struct answer_table *t)
{
	for (size_t i = 0; i < t->rows * t->columns; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->title);
}

void answer__table(struct answer_text *answer, enum mode first, enum mode second, enum metric m)
{
	const struct analysis *a = answer->a;
	struct answer_table t = {
		.title = xasprintf("%s of %s against %s%s:", metric__words(m), phrases__mode(first),
				   phrases__mode(second),
				   answer__can_claim(a) ? "" : " (no change is certain)"),
		.rows = 1 + a->sizes_nr,
		.columns = 1 + a->threads_nr + (a->threads_nr > 1),
	};
	size_t known = 0;

	t.title[0] = (char)toupper((unsigned char)t.title[0]);
	t.cells = xcalloc(t.rows * t.columns, sizeof(*t.cells));
	t.cells[0] = xstrdup("Message size");
	for (size_t i = 0; i < a->threads_nr; i++)
		t.cells[1 + i] = xstrdup(phrases__threads(a->threads[i]).text);
	if (a->threads_nr > 1)
		t.cells[1 + a->threads_nr] = xstrdup("all together");
	for (size_t i = 0; i < a->sizes_nr; i++)
		known += fill_row(answer, first, second, a->sizes[i], m,
				  t.cells + (1 + i) * t.columns);
	if (!known) {
		table__clear(&t);
		return;
	}
	answer->tables = xgrow(answer->tables, answer->tables_nr, sizeof(t));
	answer->tables[answer->tables_nr++] = t;
}

void tally__add(struct tally *t, const struct finding *f)
{
	bool untested = f->difference == DIFFERENCE_POINT || f->difference == DIFFERENCE_FEW;

	t->of += f->difference != DIFFERENCE_UNKNOWN;
	t->higher += f->difference == DIFFERENCE_HIGHER;
	t->lower += f->difference == DIFFERENCE_LOWER;
	t->untested += untested;
	t->untested_higher += untested && f->sign > 0;
	t->untested_lower += untested && f->sign < 0;
}

size_t tally__unclear(const struct tally *t)
{
	return t->of - t->higher - t->lower;
}

static bool counts_completions(const struct dataset_row *row)
{
	return row->mode == MODE_ZEROCOPY && !isnan(row->value[METRIC_ZC_COMPLETED]) &&
	       !isnan(row->value[METRIC_ZC_COPIED]);
}

double answer__copied_fraction(const struct analysis *a, double *completed)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	double copied = 0;

	*completed = 0;
	for (; row < end; row++) {
		if (!counts_completions(row))
			continue;
		*completed += row->value[METRIC_ZC_COMPLETED];
		copied += row->value[METRIC_ZC_COPIED];
	}
	return *completed > 0 && copied <= *completed ? copied / *completed : -1;
}

struct phrase answer__counted_runs(const struct analysis *a)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	size_t runs = 0, counted = 0;

	for (; row < end; row++) {
		runs += row->mode == MODE_ZEROCOPY;
		counted += counts_completions(row);
	}
	return counted < runs
		       ? phrases__of(" in the %zu of %zu runs that count them", counted, runs)
		       : phrases__of("%s", "");
}

/* ": the path is local": what follows the counts in the first sentence of the first verdict. */
static char *copy_cause(const struct analysis *a)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	const char *cause, *stop;
	size_t len;

	while (row < end && (row->mode != MODE_ZEROCOPY || !row->verdict || !*row->verdict))
		row++;
	cause = row < end ? strstr(row->verdict, ": ") : NULL;
	if (!cause)
		return xstrdup("");
	stop = strstr(cause, ". ");
	len = stop ? (size_t)(stop - cause) : strlen(cause);
	return xstrndup(cause, cause[len - 1] == '.' ? len - 1 : len);
}

char *answer__copied(const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char of[UNITS_BUF], copied[UNITS_BUF], *cause, *text;
	struct phrase runs = answer__counted_runs(a);

	if (fraction < 0)
		return NULL;
	format_count(of, sizeof(of), (uint64_t)completed);
	if (fraction == 0)
		return xasprintf("The kernel copied none of %s zero-copy sends%s.", of, runs.text);
	format_count(copied, sizeof(copied), (uint64_t)(completed * fraction + 0.5));
	cause = copy_cause(a);
	text = xasprintf("The kernel copied %s%s%s zero-copy sends%s after all%s.",
			 fraction == 1 ? "all " : copied, fraction == 1 ? "" : " of ", of,
			 runs.text, cause);
	free(cause);
	return text;
}

static unsigned int rounds_needed(const struct analysis *a)
{
	return rank_test__rounds_needed(test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS));
}

bool answer__can_claim(const struct analysis *a)
{
	return a->rounds_max >= rounds_needed(a);
}

struct phrase answer__cannot_claim(const struct analysis *a)
{
	if (a->rounds_max < 2)
		return phrases__of("One run per cell, so no difference is certain");
	/* Some cells have enough, but not those of the comparison. */
	if (answer__can_claim(a))
		return phrases__of("Too few runs have this number, so no difference is certain");
	return phrases__of("%zu rounds are too few (%u are needed), so no difference is certain",
			   a->rounds_max, rounds_needed(a));
}

void answers__make(const struct analysis *a, struct answer_text answers[QUESTION_NR])
{
	for (int q = 0; q < QUESTION_NR; q++) {
		answers[q] = (struct answer_text){.a = a, .question = questions[q].text};
		questions[q].make(&answers[q]);
	}
}

void answers__clear(struct answer_text answers[QUESTION_NR])
{
	for (int q = 0; q < QUESTION_NR; q++) {
		for (size_t i = 0; i < answers[q].points_nr; i++)
			free(answers[q].points[i]);
		free(answers[q].points);
		for (size_t i = 0; i < answers[q].tables_nr; i++)
			table__clear(&answers[q].tables[i]);
		free(answers[q].tables);
		free(answers[q].evidence);
		free(answers[q].headline);
		free(answers[q].cannot);
		answers[q] = (struct answer_text){0};
	}
}
