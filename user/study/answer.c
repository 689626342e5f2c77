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
#include "phrases.h"
#include "test_family.h"

/* clang-format off */
static const struct {
	const char *text;
	void (*make)(struct answer_text *answer, const struct analysis *a);
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

void answer__headline(struct answer_text *answer, const char *format, ...)
{
	va_list args;

	free(answer->headline);
	va_start(args, format);
	answer->headline = xvasprintf(format, args);
	va_end(args);
}

void answer__cannot(struct answer_text *answer, const char *format, ...)
{
	char *before = answer->cannot, *sentence;
	va_list args;

	va_start(args, format);
	sentence = xvasprintf(format, args);
	va_end(args);
	answer->cannot = before ? xasprintf("%s %s", before, sentence) : xstrdup(sentence);
	free(sentence);
	free(before);
}

void answer__point(struct answer_text *answer, const char *format, ...)
{
	va_list args;

	answer->points = xgrow(answer->points, answer->points_nr, sizeof(*answer->points));
	va_start(args, format);
	answer->points[answer->points_nr++] = xvasprintf(format, args);
	va_end(args);
}

void answer__cite(struct answer_text *answer, const struct analysis *a, struct cell *cell,
		  enum metric m)
{
	struct estimate e = analysis__estimate(a, cell, m);

	for (size_t i = 0; i < answer->evidence_nr; i++)
		if (answer->evidence[i].cell == cell && answer->evidence[i].metric == m)
			return;
	if (!e.n)
		return;
	answer->evidence = xgrow(answer->evidence, answer->evidence_nr, sizeof(*answer->evidence));
	answer->evidence[answer->evidence_nr++] = (struct evidence){cell, m, e};
}

static char *change_text(const struct finding *f)
{
	char text[3 * PHRASE_BUF];

	if (f->difference == DIFFERENCE_UNKNOWN)
		return xstrdup("n/a");
	if (f->difference == DIFFERENCE_NOISE)
		return xstrdup("no difference");
	return xstrdup(phrases__change_of(text, sizeof(text), f));
}

/* One row: a size at each thread count. Returns the number of values. */
static size_t fill_row(struct answer_text *answer, const struct analysis *a, enum mode first,
		       enum mode second, uint64_t size, enum metric m, char **row)
{
	char text[UNITS_BUF];
	struct finding f;
	size_t known = 0;

	row[0] = xstrdup(format_size(text, sizeof(text), size));
	for (size_t i = 0; i < a->threads_nr; i++) {
		struct cell *x = analysis__cell(a, first, size, a->threads[i]);
		struct cell *y = analysis__cell(a, second, size, a->threads[i]);

		f = analysis__compare(a, x, y, m);
		row[1 + i] = change_text(&f);
		if (f.difference == DIFFERENCE_UNKNOWN)
			continue;
		known++;
		answer__cite(answer, a, x, m);
		answer__cite(answer, a, y, m);
	}
	f = analysis__compare_modes(a, first, second, size, m);
	if (a->threads_nr > 1)
		row[1 + a->threads_nr] = change_text(&f);
	return known;
}

static void table__clear(struct answer_table *t)
{
	for (size_t i = 0; i < t->rows * t->columns; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->title);
}

void answer__table(struct answer_text *answer, const struct analysis *a, enum mode first,
		   enum mode second, enum metric m)
{
	struct answer_table t = {
		.title = xasprintf("%s of %s against %s%s:", metric__words(m), phrases__mode(first),
				   phrases__mode(second),
				   answer__can_claim(a) ? "" : " (point differences)"),
		.rows = 1 + a->sizes_nr,
		.columns = 1 + a->threads_nr + (a->threads_nr > 1),
	};
	char text[UNITS_BUF];
	size_t known = 0;

	t.title[0] = (char)toupper((unsigned char)t.title[0]);
	t.cells = xcalloc(t.rows * t.columns, sizeof(*t.cells));
	t.cells[0] = xstrdup("Message size");
	for (size_t i = 0; i < a->threads_nr; i++)
		t.cells[1 + i] = xstrdup(phrases__threads(text, sizeof(text), a->threads[i]));
	if (a->threads_nr > 1)
		t.cells[1 + a->threads_nr] = xstrdup("all together");
	for (size_t i = 0; i < a->sizes_nr; i++)
		known += fill_row(answer, a, first, second, a->sizes[i], m,
				  t.cells + (1 + i) * t.columns);
	if (!known) {
		table__clear(&t);
		return;
	}
	answer->tables = xgrow(answer->tables, answer->tables_nr, sizeof(t));
	answer->tables[answer->tables_nr++] = t;
}

#define ITEMS_MAX 12

void item_list__add(struct item_list *list, const char *format, ...)
{
	size_t len = strlen(list->text);
	va_list args;

	if (list->nr++ >= ITEMS_MAX)
		return;
	if (len)
		len += (size_t)snprintf(list->text + len, sizeof(list->text) - len, ", ");
	va_start(args, format);
	vsnprintf(list->text + len, sizeof(list->text) - len, format, args);
	va_end(args);
}

const char *item_list__words(struct item_list *list)
{
	size_t len = strlen(list->text);

	if (!list->nr)
		return "nowhere";
	if (list->nr > ITEMS_MAX)
		snprintf(list->text + len, sizeof(list->text) - len, " and %zu more",
			 list->nr - ITEMS_MAX);
	list->nr = list->nr > ITEMS_MAX ? ITEMS_MAX : list->nr;
	return list->text;
}

void tally__add(struct tally *t, const struct finding *f)
{
	bool untested = f->difference == DIFFERENCE_POINT || f->difference == DIFFERENCE_FEW;

	t->of += f->difference != DIFFERENCE_UNKNOWN;
	t->higher += f->difference == DIFFERENCE_HIGHER;
	t->lower += f->difference == DIFFERENCE_LOWER;
	t->untested += untested;
	t->untested_higher += untested && f->sign > 0;
}

size_t tally__unclear(const struct tally *t)
{
	return t->of - t->higher - t->lower;
}

static bool counts_completions(const struct dataset_row *row)
{
	return !isnan(row->value[METRIC_ZC_COMPLETED]) && !isnan(row->value[METRIC_ZC_COPIED]);
}

const char *answer__counted_runs(char *buf, size_t len, const struct analysis *a)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	size_t runs = 0, counted = 0;

	for (; row < end; row++) {
		runs += row->mode == MODE_ZEROCOPY;
		counted += row->mode == MODE_ZEROCOPY && counts_completions(row);
	}
	buf[0] = '\0';
	if (counted < runs)
		snprintf(buf, len, " in the %zu of %zu runs that count them", counted, runs);
	return buf;
}

double answer__copied_fraction(const struct analysis *a, double *completed)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	double copied = 0;

	*completed = 0;
	for (; row < end; row++) {
		if (row->mode != MODE_ZEROCOPY || !counts_completions(row))
			continue;
		*completed += row->value[METRIC_ZC_COMPLETED];
		copied += row->value[METRIC_ZC_COPIED];
	}
	return *completed > 0 && copied <= *completed ? copied / *completed : -1;
}

static const char *first_verdict(const struct analysis *a)
{
	const struct dataset *d = a->dataset;

	for (size_t i = 0; i < d->rows_nr; i++)
		if (d->rows[i].mode == MODE_ZEROCOPY && d->rows[i].verdict && *d->rows[i].verdict)
			return d->rows[i].verdict;
	return "";
}

/* The first sentence of a verdict: the counts of its run, ':' and the cause. */
const char *answer__copy_cause(char *buf, size_t len, const struct analysis *a)
{
	const char *cause = strstr(first_verdict(a), ": "), *end;

	buf[0] = '\0';
	if (!cause)
		return buf;
	end = strstr(cause, ". ");
	snprintf(buf, len, "%.*s", end ? (int)(end - cause) : (int)strlen(cause), cause);
	if (*buf && buf[strlen(buf) - 1] == '.')
		buf[strlen(buf) - 1] = '\0';
	return buf;
}

static unsigned int rounds_needed(const struct analysis *a)
{
	return rank_test__rounds_needed(test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS));
}

bool answer__can_claim(const struct analysis *a)
{
	return a->rounds_max >= rounds_needed(a);
}

const char *answer__cannot_claim(char *buf, size_t len, const struct analysis *a)
{
	if (a->rounds_max < 2)
		snprintf(buf, len, "One run per cell, so each difference is a point difference");
	else
		snprintf(buf, len,
			 "%zu rounds are too few (%u are needed), so each difference is a point "
			 "difference",
			 a->rounds_max, rounds_needed(a));
	return buf;
}

void answers__make(const struct analysis *a, struct answer_text answers[QUESTION_NR])
{
	for (int q = 0; q < QUESTION_NR; q++) {
		answers[q] = (struct answer_text){.question = questions[q].text};
		questions[q].make(&answers[q], a);
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
