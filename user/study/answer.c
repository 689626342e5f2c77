/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers as such: their text and evidence; see answer.h. What they say is in answer_*.c. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "family.h"

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
	if (vasprintf(&answer->headline, format, args) < 0) {
		answer->headline = NULL;
		answer->failed = true;
	}
	va_end(args);
}

void answer__cannot(struct answer_text *answer, const char *format, ...)
{
	char *before = answer->cannot, *sentence = NULL;
	va_list args;

	answer->cannot = NULL;
	va_start(args, format);
	if (vasprintf(&sentence, format, args) < 0)
		sentence = NULL;
	va_end(args);
	if (!sentence || asprintf(&answer->cannot, "%s%s%s", before ? before : "",
				  before ? " " : "", sentence) < 0) {
		answer->cannot = NULL;
		answer->failed = true;
	}
	free(sentence);
	free(before);
}

void answer__point(struct answer_text *answer, const char *format, ...)
{
	char **points, *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	points = reallocarray(answer->points, answer->points_nr + 1, sizeof(*points));
	if (points)
		answer->points = points;
	if (len < 0 || !points) {
		if (len >= 0)
			free(text);
		answer->failed = true;
		return;
	}
	answer->points[answer->points_nr++] = text;
}

void answer__cite(struct answer_text *answer, const struct analysis *a, struct cell *cell,
		  enum metric m)
{
	struct estimate e = analysis__estimate(a, cell, m);
	struct evidence *evidence;
	size_t i;

	for (i = 0; i < answer->evidence_nr; i++)
		if (answer->evidence[i].cell == cell && answer->evidence[i].metric == m)
			return;
	if (!e.n)
		return;
	evidence = reallocarray(answer->evidence, answer->evidence_nr + 1, sizeof(*evidence));
	if (!evidence) {
		answer->failed = true;
		return;
	}
	answer->evidence = evidence;
	answer->evidence[answer->evidence_nr++] = (struct evidence){cell, m, e};
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
	return *completed > 0 ? copied / *completed : -1;
}

static unsigned int rounds_needed(const struct analysis *a)
{
	return rank_test__rounds_needed(family__tests(a, FAMILY_MODES, METRIC_GBPS));
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

int answers__make(const struct analysis *a, struct answer_text answers[QUESTION_NR])
{
	bool failed = false;
	int q;

	for (q = 0; q < QUESTION_NR; q++) {
		answers[q] = (struct answer_text){.question = questions[q].text};
		questions[q].make(&answers[q], a);
		failed |= answers[q].failed;
	}
	failed |= analysis__lacked_memory(a);
	return failed ? -ENOMEM : 0;
}

void answers__clear(struct answer_text answers[QUESTION_NR])
{
	size_t i;
	int q;

	for (q = 0; q < QUESTION_NR; q++) {
		for (i = 0; i < answers[q].points_nr; i++)
			free(answers[q].points[i]);
		free(answers[q].points);
		free(answers[q].evidence);
		free(answers[q].headline);
		free(answers[q].cannot);
		answers[q] = (struct answer_text){0};
	}
}
