/* SPDX-License-Identifier: GPL-2.0-only */
/* A data set with its analysis and answers, and what a test asks of them. */
#ifndef NETIOTRACE_TESTS_STUDY_H
#define NETIOTRACE_TESTS_STUDY_H

#include <string.h>

#include "study/answer.h"
#include "study/test_family.h"

#include "near.h"
#include "support/test.h"
#include "support/test.h"

struct study {
	struct dataset d;
	struct analysis a;
	struct answer_text answers[QUESTION_NR];
};

static inline void study__finish(struct study *s, double duration_s)
{
	dataset__finish(&s->d, duration_s);
	analysis__init(&s->a, &s->d);
	answers__make(&s->a, s->answers);
}

static inline void study__clear(struct study *s)
{
	answers__clear(s->answers);
	analysis__clear(&s->a);
	dataset__clear(&s->d);
}

static inline double median(const struct study *s, enum mode mode, uint64_t size,
			    unsigned int threads, enum metric m)
{
	return analysis__estimate(&s->a, analysis__cell(&s->a, mode, size, threads), m).median;
}

static inline double change(const struct study *s, enum mode mode, uint64_t size,
			    unsigned int threads, enum metric m)
{
	return analysis__compare(&s->a, analysis__cell(&s->a, mode, size, threads),
				 analysis__cell(&s->a, MODE_TWOCOPY, size, threads), m)
		.change;
}

static inline bool says(const struct answer_text *answer, const char *words)
{
	size_t i;

	if (strstr(answer->headline, words) || (answer->cannot && strstr(answer->cannot, words)))
		return true;
	for (i = 0; i < answer->points_nr; i++)
		if (strstr(answer->points[i], words))
			return true;
	return false;
}

static inline void check_says(const struct answer_text *answer, const char *words)
{
	if (!says(answer, words))
		fail_msg("'%s' is not said; headline: %s", words, answer->headline);
}

#endif
