/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The six questions of the experiment, and two on all ways to send, answered from a data set. An
 * answer is a headline (the answer, no difference, or "Not measured" with the reason), tables with
 * the numbers, and one line on what the data cannot show. Pure.
 */
#ifndef STUDY_ANSWER_H
#define STUDY_ANSWER_H

#include "analysis.h"
#include "phrases.h"

enum question {
	QUESTION_ZEROCOPY,     /* why does zero-copy not always win */
	QUESTION_CACHE,        /* which cache level gains most, from which stage */
	QUESTION_THREADS,      /* thread count and contention */
	QUESTION_ONE_OVER_TWO, /* where one-copy outperforms two-copy */
	QUESTION_ZERO_OVER_TWO,
	QUESTION_UNEXPECTED,
	QUESTION_SIX, /* those above are the experiment's */
	QUESTION_PAIRS = QUESTION_SIX,
	QUESTION_CHEAPEST,
	QUESTION_NR,
};

/* How findings of one kind ended. */
struct tally {
	size_t of, higher, lower;
	size_t untested;                        /* of one round, or of too few to find anything */
	size_t untested_higher, untested_lower; /* of these, by the medians */
};

struct answer_table {
	char *title;
	size_t columns;
	char **cells; /* row by row; the first row has the headings */
	size_t cells_nr;
};

struct answer_text {
	const struct analysis *a; /* of the data that it is about */
	const char *question;
	bool answered; /* false: the headline says why not */
	char *headline;
	char *cannot; /* what the data cannot show, and why; NULL: nothing to say */
	struct answer_table *tables;
	size_t tables_nr;
};

/* Free with answers__clear(). The analysis must outlive the answers. */
void answers__make(const struct analysis *a, struct answer_text answers[QUESTION_NR]);
void answers__clear(struct answer_text answers[QUESTION_NR]);

/* For authors of answers: each adds a sentence, which is copied. */
#define ANSWER_FORMAT __attribute__((format(printf, 2, 3)))
ANSWER_FORMAT void answer__headline(struct answer_text *answer, const char *format, ...);
ANSWER_FORMAT void answer__cannot(struct answer_text *answer, const char *format, ...);

/* A new table; its headings and then its rows follow, cell by cell. */
__attribute__((format(printf, 3, 4))) void
answer__begin_table(struct answer_text *answer, size_t columns, const char *title, ...);
ANSWER_FORMAT void answer__put(struct answer_text *answer, const char *format, ...);
/* Several cells. */
#define answer__put_all(answer, ...)                                    \
	answer__put_texts((answer), (const char *const[]){__VA_ARGS__}, \
			  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
void answer__put_texts(struct answer_text *answer, const char *const *texts, size_t nr);
/* Ends the table; one without a row is dropped. */
void answer__end_table(struct answer_text *answer);
void answer__drop_table(struct answer_text *answer); /* the last one */

/* The change, "no difference" or "n/a": a finding as a cell; with SOFTIRQ_DECIDES where it does. */
void answer__put_finding(struct answer_text *answer, const struct finding *f);

/*
 * Adds a table of a metric of one mode against another: a row for each size, a column for each
 * thread count. Adds nothing where no setting has both. Returns how the findings ended.
 */
struct tally answer__table(struct answer_text *answer, enum mode first, enum mode second,
			   enum metric m);

/* Why settings lack a comparison of the cost of two modes; or_where: another reason, or "". */
void answer__cannot_compare_cost(struct answer_text *answer, const char *or_where);

/* Adds the row of headings: what, then each thread count. */
void answer__put_threads(struct answer_text *answer, const char *what);

/* One function for each question. */
void answer__zerocopy(struct answer_text *answer);
void answer__cache(struct answer_text *answer);
void answer__threads(struct answer_text *answer);
void answer__one_over_two(struct answer_text *answer);
void answer__zero_over_two(struct answer_text *answer);
void answer__unexpected(struct answer_text *answer);
void answer__pairs(struct answer_text *answer);
void answer__cheapest(struct answer_text *answer);

/* Counts a finding, unless it is unknown. */
void tally__add(struct tally *t, const struct finding *f);

/*
 * "faster in 5 of 16 settings, slower in 4, no difference in 7"; untested, by the medians: "faster
 * in 9 of 16 settings, slower in 7".
 */
struct phrase tally__words(const struct tally *t, const char *higher, const char *lower);
/* The same, the lower ones first. */
struct phrase tally__words_lower(const struct tally *t, const char *lower, const char *higher);

/*
 * Completions of a mode that pins over all runs that count them, and the share of these that were
 * copied; -1 when none does, or when the counts contradict each other.
 */
double answer__copied_fraction(const struct analysis *a, enum mode mode, double *completed);

/* Why that is unknown: "the data set does not count the completions of zero-copy sends". */
struct phrase answer__why_uncounted(const struct analysis *a, enum mode mode);

/* "", or for sentences on completions " in the 3 of 4 runs that count them". */
struct phrase answer__counted_runs(const struct analysis *a, enum mode mode);

/*
 * "The kernel copied all 4 zero-copy sends after all: the path is local.", with the first cause
 * that a run has. NULL: answer__copied_fraction() is unknown. Caller frees.
 */
char *answer__copied(const struct analysis *a, enum mode mode);

/* Has any cell the rounds that a finding needs? */
bool answer__can_claim(const struct analysis *a);

/* Why not: "One run per cell, so no difference is certain". */
struct phrase answer__cannot_claim(const struct analysis *a);

#endif
