/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The six questions of the experiment, answered from a data set: each with the numbers it rests on,
 * or "cannot say", with the reason. Pure.
 */
#ifndef STUDY_ANSWER_H
#define STUDY_ANSWER_H

#include "analysis.h"
#include "item_list.h"
#include "phrases.h"

enum question {
	QUESTION_ZEROCOPY,     /* why does zero-copy not always win */
	QUESTION_CACHE,        /* which cache level gains most, from which stage */
	QUESTION_THREADS,      /* thread count and contention */
	QUESTION_ONE_OVER_TWO, /* where one-copy outperforms two-copy */
	QUESTION_ZERO_OVER_TWO,
	QUESTION_UNEXPECTED,
	QUESTION_NR,
};

/* A number an answer rests on. */
struct evidence {
	const struct cell *cell;
	enum metric metric;
	struct estimate estimate;
};

/* Changes by size and thread count. */
struct answer_table {
	char *title;
	size_t rows, columns;
	char **cells; /* row by row; the first row has the headings */
};

struct answer_text {
	const struct analysis *a; /* of the data that it is about */
	const char *question;
	bool answered;  /* false: the headline says why not */
	char *headline; /* the answer, cause first */
	char *cannot;   /* what the data cannot show, and why; NULL: nothing to say */
	char **points;  /* sentences that bear it out */
	size_t points_nr;
	struct answer_table *tables; /* that show it */
	size_t tables_nr;
	struct evidence *evidence;
	size_t evidence_nr;
};

/* Free with answers__clear(). The analysis must outlive the answers. */
void answers__make(const struct analysis *a, struct answer_text answers[QUESTION_NR]);
void answers__clear(struct answer_text answers[QUESTION_NR]);

/* For authors of answers: each adds a sentence, which is copied. */
#define ANSWER_FORMAT __attribute__((format(printf, 2, 3)))
ANSWER_FORMAT void answer__headline(struct answer_text *answer, const char *format, ...);
ANSWER_FORMAT void answer__cannot(struct answer_text *answer, const char *format, ...);
ANSWER_FORMAT void answer__point(struct answer_text *answer, const char *format, ...);

/* Cites a cell's number, once; nothing when the cell is NULL or has no value. */
void answer__cite(struct answer_text *answer, struct cell *cell, enum metric m);

/* analysis__compare(); cites both numbers unless the difference is unknown. */
struct finding answer__compare(struct answer_text *answer, struct cell *x, struct cell *y,
			       enum metric m);

/*
 * Adds a table of a metric of one mode against another: a row for each size, a column for each
 * thread count and for all together. Cites the cells. Adds nothing where no setting has both.
 */
void answer__table(struct answer_text *answer, enum mode first, enum mode second, enum metric m);

/* One function for each question. */
void answer__zerocopy(struct answer_text *answer);
void answer__cache(struct answer_text *answer);
void answer__threads(struct answer_text *answer);
void answer__one_over_two(struct answer_text *answer);
void answer__zero_over_two(struct answer_text *answer);
void answer__unexpected(struct answer_text *answer);

/* How findings of one kind ended. */
struct tally {
	size_t of, higher, lower;
	size_t untested;                        /* of one round, or of too few to find anything */
	size_t untested_higher, untested_lower; /* of these, by the medians */
};

/* Counts a finding, unless it is unknown. */
void tally__add(struct tally *t, const struct finding *f);

/* Comparisons without a difference. */
size_t tally__unclear(const struct tally *t);

/*
 * Zero-copy completions over all runs that count them, and how many of these were copied; -1 when
 * none does, or when the counts contradict each other.
 */
double answer__copied_fraction(const struct analysis *a, double *completed);

/* "", or for sentences on completions " in the 3 of 4 runs that count them". */
struct phrase answer__counted_runs(const struct analysis *a);

/*
 * "The kernel copied all 4 zero-copy sends after all: the path is local.", with the first cause
 * that a run has. NULL: answer__copied_fraction() is unknown. Caller frees.
 */
char *answer__copied(const struct analysis *a);

/* Has any cell the rounds that a finding needs? */
bool answer__can_claim(const struct analysis *a);

/* Why not: "One run per cell, so no difference is certain". */
struct phrase answer__cannot_claim(const struct analysis *a);

#endif
