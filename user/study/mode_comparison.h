/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes compared size by size: at which sizes one is ahead, as findings and sentences. Pure. */
#ifndef STUDY_MODE_COMPARISON_H
#define STUDY_MODE_COMPARISON_H

#include "answer.h"

/* Two modes at a size. */
struct comparison_point {
	uint64_t size;
	struct finding c; /* of the first mode against the second */
};

/* Between two neighbouring sizes at which the order is certain and opposite. */
struct crossover {
	uint64_t below, above; /* the sizes */
	bool to_first;         /* the first mode is ahead from above on */
};

/* Two modes at one thread count, size by size. "Ahead" is the better direction of the metric. */
struct mode_comparison {
	enum mode first, second;
	unsigned int threads;
	enum metric metric;
	struct comparison_point *points; /* sizes at which both have a value, ascending */
	size_t points_nr;
	struct crossover *crossovers;
	size_t crossovers_nr;
	size_t ahead, behind, noise; /* sizes by outcome, where the rounds can tell */
	size_t few;                  /* sizes with several rounds, but too few to find anything */
	size_t point_only;           /* sizes with one round */
	size_t point_ahead;          /* few and point_only sizes at which the first is ahead */
};

/* Free with mode_comparison__clear(). */
void mode_comparison__make(const struct analysis *a, enum mode first, enum mode second,
			   unsigned int threads, enum metric m, struct mode_comparison *comparison);
void mode_comparison__clear(struct mode_comparison *comparison);

/* Phrases for a comparison by one metric. */
struct comparison_terms {
	enum metric metric;
	const char *ahead, *behind; /* "faster" */
	const char *by;             /* ", by CPU time per KiB" */
	const char *headline;       /* "By CPU time per KiB", of a cost */
};

/* The last where the receiver's CPU time is not known: it is on another machine. */
extern const struct comparison_terms comparison_by_throughput, comparison_by_cpu_time,
	comparison_by_sender_cpu_time;

enum comparison_outcome {
	OUTCOME_AHEAD,
	OUTCOME_BEHIND,
	OUTCOME_NOISE,
	OUTCOME_POINT_AHEAD, /* in the median difference, without a finding */
	OUTCOME_POINT_BEHIND,
	OUTCOME_NONE,
};

enum comparison_outcome mode_comparison__outcome(const struct finding *c, enum metric m);

/* All thread counts together. */
struct comparison_tally {
	const struct comparison_terms *terms;
	size_t cells, ahead, behind, noise, point, point_ahead;
	uint64_t first_size;        /* the smallest at which the first mode is ahead; 0: none */
	unsigned int first_threads; /* 0: over all thread counts */
	struct finding first;       /* at first_size */
	uint64_t largest;           /* size with both modes */
};

/* Points of an answer: where the lead changes hands. */
void mode_comparison__say_crossovers(struct answer_text *answer,
				     const struct mode_comparison *comparison,
				     const struct comparison_terms *terms);

/* Adds a size with its change, without a difference the size alone. */
void mode_comparison__list(struct item_list *list, uint64_t bytes, const struct finding *c);

/*
 * The headline of an answer, by throughput and by CPU time. because: a cause, as the end of a
 * sentence; "": none. cannot_claim: why nothing is found, where nothing can be
 * (answer__cannot_claim()).
 */
void mode_comparison__headline(struct answer_text *answer, const char *cannot_claim,
			       const struct comparison_tally *t,
			       const struct comparison_tally *cost, const char *first,
			       const char *because);

#endif
