/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and evidence of answers; see answer.h. answer_*.c have the content. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
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
	[QUESTION_PAIRS] = {"At which size is one way to send ahead of another?", answer__pairs},
	[QUESTION_CHEAPEST] = {"What is the cheapest way to send here?", answer__cheapest},
};
/* clang-format on */

/* Sentences and titles may begin with the words of a mode; io_uring stays as it is. */
static void capitalise(char *text)
{
	if (!memchr(text, '_', strcspn(text, " ")))
		text[0] = (char)toupper((unsigned char)text[0]);
}

/* A blank between two sentences. */
static void add_sentence(char **text, const char *format, va_list args)
{
	char *before = *text, *sentence = xvasprintf(format, args);

	capitalise(sentence);
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

void answer__begin_table(struct answer_text *answer, size_t columns, const char *title, ...)
{
	va_list args;

	answer->tables = xgrow(answer->tables, answer->tables_nr, sizeof(*answer->tables));
	va_start(args, title);
	answer->tables[answer->tables_nr++] =
		(struct answer_table){.title = xvasprintf(title, args), .columns = columns};
	va_end(args);
	capitalise(answer->tables[answer->tables_nr - 1].title);
}

void answer__put(struct answer_text *answer, const char *format, ...)
{
	struct answer_table *t = &answer->tables[answer->tables_nr - 1];
	va_list args;

	t->cells = xgrow(t->cells, t->cells_nr, sizeof(*t->cells));
	va_start(args, format);
	t->cells[t->cells_nr++] = xvasprintf(format, args);
	va_end(args);
}

void answer__put_texts(struct answer_text *answer, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		answer__put(answer, "%s", texts[i]);
}

static void table__clear(struct answer_table *t)
{
	for (size_t i = 0; i < t->cells_nr; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->title);
}

void answer__drop_table(struct answer_text *answer)
{
	table__clear(&answer->tables[--answer->tables_nr]);
}

void answer__end_table(struct answer_text *answer)
{
	const struct answer_table *t = &answer->tables[answer->tables_nr - 1];

	if (t->cells_nr <= t->columns)
		answer__drop_table(answer);
}

void answer__put_finding(struct answer_text *answer, const struct finding *f)
{
	bool shown = f->difference != DIFFERENCE_UNKNOWN && f->difference != DIFFERENCE_NOISE;

	answer__put(answer, "%s%s", shown ? phrases__change_of(f).text : phrases__finding(f).text,
		    f->softirq_decides ? SOFTIRQ_DECIDES : "");
}

void answer__put_threads(struct answer_text *answer, const char *what)
{
	answer__put(answer, "%s", what);
	for (size_t i = 0; i < answer->a->threads_nr; i++)
		answer__put(answer, "%s", phrases__threads(answer->a->threads[i]).text);
}

struct tally answer__table(struct answer_text *answer, enum mode first, enum mode second,
			   enum metric m)
{
	const struct analysis *a = answer->a;
	struct tally t = {0};

	for (size_t i = 0; i < a->cells_nr; i++) {
		struct cell *x = &a->cells[i];
		struct finding f = analysis__compare(a, x, analysis__peer(a, x, second), m);

		if (x->mode == first)
			tally__add(&t, &f);
	}
	if (!t.of)
		return t;
	answer__begin_table(answer, 1 + a->threads_nr, "%s of %s against %s%s:", metric__words(m),
			    phrases__mode(first), phrases__mode(second),
			    answer__can_claim(a) ? "" : " (no change is certain)");
	answer__put_threads(answer, "Message size");
	for (size_t i = 0; i < a->sizes_nr; i++) {
		answer__put(answer, "%s", phrases__size(a->sizes[i]).text);
		for (size_t j = 0; j < a->threads_nr; j++) {
			struct finding f = analysis__compare(
				a, analysis__cell(a, first, a->sizes[i], a->threads[j]),
				analysis__cell(a, second, a->sizes[i], a->threads[j]), m);

			answer__put_finding(answer, &f);
		}
	}
	answer__end_table(answer);
	return t;
}

void answer__cannot_compare_cost(struct answer_text *answer, const char *or_where)
{
	enum metric cost = analysis__cost(answer->a);

	if (analysis__has(answer->a, cost))
		answer__cannot(answer, "Not shown: %s where one of two modes lacks it%s.",
			       metric__words(cost), or_where);
	else
		answer__cannot(answer, "Not shown: CPU time, which the data set does not have.");
}

void tally__add(struct tally *t, const struct finding *f)
{
	bool untested = finding__untested(f);

	t->of += f->difference != DIFFERENCE_UNKNOWN;
	t->higher += f->difference == DIFFERENCE_HIGHER;
	t->lower += f->difference == DIFFERENCE_LOWER;
	t->untested += untested;
	t->untested_higher += untested && f->sign > 0;
	t->untested_lower += untested && f->sign < 0;
}

static struct phrase words(const struct tally *t, const char *first, size_t first_nr,
			   const char *second, size_t second_nr)
{
	struct phrase p = phrases__of("%s in %zu of %zu setting%s, %s in %zu", first, first_nr,
				      t->of, plural(t->of), second, second_nr);

	return t->untested == t->of ? p
				    : phrases__of("%s, no difference in %zu", p.text,
						  t->of - t->higher - t->lower);
}

static size_t higher_of(const struct tally *t)
{
	return t->untested == t->of ? t->untested_higher : t->higher;
}

static size_t lower_of(const struct tally *t)
{
	return t->untested == t->of ? t->untested_lower : t->lower;
}

struct phrase tally__words(const struct tally *t, const char *higher, const char *lower)
{
	return words(t, higher, higher_of(t), lower, lower_of(t));
}

struct phrase tally__words_lower(const struct tally *t, const char *lower, const char *higher)
{
	return words(t, lower, lower_of(t), higher, higher_of(t));
}

/*
 * NaN: not counted. The kernel reports io_uring's requests as copied also if they share a packet,
 * so those that were are known from kernel_zerocopy alone, unless none was reported.
 */
static double copied_of(const struct dataset_row *row)
{
	double reported = row->value[METRIC_ZC_COPIED], seen = row->value[METRIC_KERNEL_ZC_COPIED];

	if (!mode__has(row->mode, MODE_NOTIFIES) || reported == 0)
		return reported;
	return row->value[METRIC_KERNEL_ZC_COPIED_AT_MOST] > seen ? (double)NAN : seen;
}

static bool counts_completions(const struct dataset_row *row, enum mode mode)
{
	return row->mode == mode && !isnan(row->value[METRIC_ZC_COMPLETED]) &&
	       !isnan(copied_of(row));
}

/* Has the run reports of copies, and nothing that tells which of them are true? */
static bool only_reports(const struct dataset_row *row, enum mode mode)
{
	return row->mode == mode && row->value[METRIC_ZC_COPIED] > 0 && isnan(copied_of(row));
}

double answer__copied_fraction(const struct analysis *a, enum mode mode, double *completed)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	bool seen = false, reported = false;
	double copied = 0;

	*completed = 0;
	for (; row < end; row++) {
		reported |= only_reports(row, mode);
		if (!counts_completions(row, mode))
			continue;
		seen |= !isnan(row->value[METRIC_KERNEL_ZC_COPIED]);
		*completed += row->value[METRIC_ZC_COMPLETED];
		copied += copied_of(row);
	}
	/* Runs without any report must not speak for the others. */
	if (reported && !seen)
		return -1;
	return *completed > 0 && copied <= *completed ? copied / *completed : -1;
}

struct phrase answer__why_uncounted(const struct analysis *a, enum mode mode)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	double reported = 0, completed = 0;
	char copied[UNITS_BUF], of[UNITS_BUF];

	for (; row < end; row++) {
		if (!only_reports(row, mode) || isnan(row->value[METRIC_ZC_COMPLETED]))
			continue;
		reported += row->value[METRIC_ZC_COPIED];
		completed += row->value[METRIC_ZC_COMPLETED];
	}
	if (!reported)
		return phrases__of("the data set does not count the completions of %s sends",
				   phrases__mode(mode));
	return phrases__of("the kernel reported %s of %s %s sends as copied, and also reports "
			   "requests that share a packet",
			   format_count(copied, sizeof(copied), (uint64_t)reported),
			   format_count(of, sizeof(of), (uint64_t)completed), phrases__mode(mode));
}

struct phrase answer__counted_runs(const struct analysis *a, enum mode mode)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	size_t runs = 0, counted = 0;

	for (; row < end; row++) {
		runs += row->mode == mode;
		counted += counts_completions(row, mode);
	}
	return counted < runs
		       ? phrases__of(" in the %zu of %zu runs that count them", counted, runs)
		       : phrases__of("%s", "");
}

/* ": the path is local": what follows the counts in the first sentence of the first verdict. */
static char *copy_cause(const struct analysis *a, enum mode mode)
{
	const struct dataset_row *row = a->dataset->rows, *end = row + a->dataset->rows_nr;
	const char *cause, *stop;
	size_t len;

	while (row < end && (row->mode != mode || !row->verdict || !*row->verdict))
		row++;
	cause = row < end ? strstr(row->verdict, ": ") : NULL;
	if (!cause)
		return xstrdup("");
	stop = strstr(cause, ". ");
	len = stop ? (size_t)(stop - cause) : strlen(cause);
	return xstrndup(cause, cause[len - 1] == '.' ? len - 1 : len);
}

char *answer__copied(const struct analysis *a, enum mode mode)
{
	double completed, fraction = answer__copied_fraction(a, mode, &completed);
	char of[UNITS_BUF], copied[UNITS_BUF], *cause, *text;
	struct phrase runs = answer__counted_runs(a, mode);
	const char *name = phrases__mode(mode);

	if (fraction < 0)
		return NULL;
	format_count(of, sizeof(of), (uint64_t)completed);
	if (fraction == 0)
		return xasprintf("The kernel copied none of %s %s sends%s.", of, name, runs.text);
	format_count(copied, sizeof(copied), (uint64_t)(completed * fraction + 0.5));
	cause = copy_cause(a, mode);
	text = xasprintf("The kernel copied %s%s%s %s sends%s after all%s.",
			 fraction == 1 ? "all " : copied, fraction == 1 ? "" : " of ", of, name,
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
	/* Other cells have enough. */
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
		for (size_t i = 0; i < answers[q].tables_nr; i++)
			table__clear(&answers[q].tables[i]);
		free(answers[q].tables);
		free(answers[q].headline);
		free(answers[q].cannot);
		answers[q] = (struct answer_text){0};
	}
}
