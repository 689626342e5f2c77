/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is said of duels (analysis.h): at which sizes one mode is ahead of another, faster or
 * cheaper. Made of claims alone: nothing is judged here. Pure.
 */
#ifndef NETIOTRACE_DUEL_WORDS_H
#define NETIOTRACE_DUEL_WORDS_H

#include "answer.h"

/* How a duel by this number is spoken of. */
struct duel_terms {
	enum metric metric;
	const char *ahead, *behind; /* "ahead" */
	const char *by;             /* ", by CPU time per KiB" */
	const char *headline;       /* "By CPU time per KiB", of a cost */
};

/* The last where the receiver's CPU time is not known: it is on another machine. */
extern const struct duel_terms duel_by_throughput, duel_by_cpu_time, duel_by_sender_cpu_time;

enum duel_outcome {
	OUTCOME_AHEAD,
	OUTCOME_BEHIND,
	OUTCOME_NOISE,
	OUTCOME_POINT_AHEAD, /* in the median difference, without a claim */
	OUTCOME_POINT_BEHIND,
	OUTCOME_NONE,
};

enum duel_outcome duel__outcome(const struct claim *c, enum metric m);

/* All thread counts together. */
struct duel_tally {
	const struct duel_terms *terms;
	size_t cells, ahead, behind, noise, point, point_ahead;
	uint64_t first_size;        /* the smallest at which the first mode is ahead; 0: none */
	unsigned int first_threads; /* 0: over all thread counts */
	uint64_t largest;           /* size with both modes */
};

/* Points of an answer: sizes by outcome at one thread count, and where the lead changes hands. */
void duel__say(struct answer_text *answer, const struct duel *duel, const struct duel_terms *terms);
void duel__say_crossovers(struct answer_text *answer, const struct duel *duel,
			  const struct duel_terms *terms);

/* Adds a size with its change; without one where there is no difference. */
void duel__list(struct item_list *list, uint64_t bytes, const struct claim *c);

/*
 * The headline of an answer, by throughput and by CPU time. cannot_claim: why nothing is claimed,
 * where nothing is (answer__cannot_claim()).
 */
void duel__headline(struct answer_text *answer, const char *cannot_claim,
		    const struct duel_tally *t, const struct duel_tally *cost, const char *first);

#endif
