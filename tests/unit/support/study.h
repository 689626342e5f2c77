/* SPDX-License-Identifier: GPL-2.0-only */
/* A data set with its analysis and answers, and helpers to check them. */
#ifndef SUPPORT_STUDY_H
#define SUPPORT_STUDY_H

#include <stdio.h>
#include <string.h>

#include "study/answer.h"
#include "study/test_family.h"

#include "near.h"
#include "support/test.h"

struct study {
	struct dataset d;
	struct analysis a;
	struct answer_text answers[QUESTION_NR];
};

static inline void study__finish(struct study *of, double duration_s)
{
	dataset__finish(&of->d, duration_s);
	analysis__init(&of->a, &of->d);
	answers__make(&of->a, of->answers);
}

static inline void study__clear(struct study *of)
{
	answers__clear(of->answers);
	analysis__clear(&of->a);
	dataset__clear(&of->d);
}

/* The data set of a STUDY_TEST, empty at first. */
static struct study study __attribute__((unused));

static inline int study__begin(void **state)
{
	(void)state;
	study = (struct study){0};
	return 0;
}

static inline int study__end(void **state)
{
	(void)state;
	study__clear(&study);
	return 0;
}

#define STUDY_TEST(name) TEST_WITH(name, study__begin, study__end)

/* A new row without numbers. */
static inline struct dataset_row *study__row(struct study *of, enum mode mode, uint64_t size,
					     unsigned int threads, unsigned int round)
{
	struct dataset_row *row = dataset__new_row(&of->d);

	row->mode = mode;
	row->size = size;
	row->threads = threads;
	row->round = round;
	/* Sampled, without such work. */
	row->value[METRIC_SOFTIRQ] = row->value[METRIC_SOFTIRQ_AT_MOST] = 0;
	return row;
}

static inline double median(const struct study *of, enum mode mode, uint64_t size,
			    unsigned int threads, enum metric m)
{
	return analysis__estimate(&of->a, analysis__cell(&of->a, mode, size, threads), m).median;
}

static inline double change(const struct study *of, enum mode mode, uint64_t size,
			    unsigned int threads, enum metric m)
{
	return analysis__compare(&of->a, analysis__cell(&of->a, mode, size, threads),
				 analysis__cell(&of->a, MODE_TWOCOPY, size, threads), m)
		.change;
}

/* Is it in a row, written as "cell | cell | cell"? */
static inline bool table_says(const struct answer_table *t, const char *words)
{
	char row[4096];

	for (size_t i = 0; i < t->cells_nr; i += t->columns) {
		size_t len = 0;

		for (size_t c = 0; c < t->columns; c++)
			len += (size_t)snprintf(row + len, sizeof(row) - len, "%s%s",
						c ? " | " : "", t->cells[i + c]);
		if (strstr(row, words))
			return true;
	}
	return strstr(t->title, words);
}

static inline bool says(const struct answer_text *answer, const char *words)
{
	if (strstr(answer->headline, words) || (answer->cannot && strstr(answer->cannot, words)))
		return true;
	for (size_t i = 0; i < answer->tables_nr; i++)
		if (table_says(&answer->tables[i], words))
			return true;
	return false;
}

/* The cell at a size and thread count, as written, in the table with this title. */
static inline const char *table_cell(const struct answer_text *answer, const char *title,
				     const char *size, const char *threads)
{
	for (size_t i = 0; i < answer->tables_nr; i++) {
		const struct answer_table *t = &answer->tables[i];

		if (strncmp(t->title, title, strlen(title)))
			continue;
		for (size_t c = 0; c < t->cells_nr; c++)
			if (!strcmp(t->cells[c - c % t->columns], size) &&
			    !strcmp(t->cells[c % t->columns], threads))
				return t->cells[c];
	}
	return "none";
}

static inline void check_says(const struct answer_text *answer, const char *words)
{
	if (!says(answer, words))
		fail_msg("'%s' is not said; headline: %s", words, answer->headline);
}

#define SAYS(question, words)     check_says(&study.answers[QUESTION_##question], words)
#define SAYS_NOT(question, words) assert_false(says(&study.answers[QUESTION_##question], words))

#endif
