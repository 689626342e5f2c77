/* SPDX-License-Identifier: GPL-2.0-only */
/* At which sizes one mode is ahead of another, faster or cheaper. Wording of duels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "words.h"

/* How a duel by this number is spoken of. */
struct terms {
	enum metric metric;
	const char *ahead, *behind; /* "ahead" */
	const char *by;             /* ", by CPU time per KiB" */
};

static const struct terms by_throughput = {METRIC_GBPS, "ahead", "behind", ""};
static const struct terms by_cpu_time = {METRIC_CPU_NS_PER_KIB, "cheaper", "more expensive",
					 ", by CPU time per KiB,"};

enum outcome {
	OUTCOME_AHEAD,
	OUTCOME_BEHIND,
	OUTCOME_NOISE,
	OUTCOME_POINT_AHEAD, /* in the median, without a claim */
	OUTCOME_POINT_BEHIND,
	OUTCOME_NONE,
};

static enum outcome outcome_of(const struct claim *c, enum metric m)
{
	bool lower = metric__better(m) == BETTER_LOWER;

	switch (c->difference) {
	case DIFFERENCE_HIGHER:
		return lower ? OUTCOME_BEHIND : OUTCOME_AHEAD;
	case DIFFERENCE_LOWER:
		return lower ? OUTCOME_AHEAD : OUTCOME_BEHIND;
	case DIFFERENCE_NOISE:
		return OUTCOME_NOISE;
	case DIFFERENCE_UNKNOWN:
		return OUTCOME_NONE;
	default:
		return (c->change > 0) != lower && c->change != 0 ? OUTCOME_POINT_AHEAD
								  : OUTCOME_POINT_BEHIND;
	}
}

/* "64 KiB (+13.3 %), ...": where the duel ended so. */
static const char *list_where(struct item_list *list, const struct duel *duel, enum outcome wanted)
{
	char size[UNITS_BUF], change[WORDS_BUF];
	const struct duel_point *p;

	*list = (struct item_list){0};
	for (p = duel->points; p < duel->points + duel->points_nr; p++)
		if (outcome_of(&p->c, duel->metric) == wanted)
			item_list__add(list, "%s (%s)", format_size(size, sizeof(size), p->size),
				       words__change(change, sizeof(change), p->c.change));
	return item_list__words(list);
}

static void say_duel(struct answer_text *answer, const struct duel *duel, const struct terms *terms)
{
	struct item_list ahead, behind, noise;
	const char *first = words__mode(duel->first);
	char threads[UNITS_BUF];

	words__threads(threads, sizeof(threads), duel->threads);
	if (duel->points_nr > duel->point_only + duel->few)
		answer__point(answer,
			      "With %s%s %s is %s at: %s; %s at: %s; inside the noise at: %s.",
			      threads, terms->by, first, terms->ahead,
			      list_where(&ahead, duel, OUTCOME_AHEAD), terms->behind,
			      list_where(&behind, duel, OUTCOME_BEHIND),
			      list_where(&noise, duel, OUTCOME_NOISE));
	if (duel->point_only + duel->few)
		answer__point(answer, "With %s, in %s each, %s%s is %s at: %s; not %s at: %s.",
			      threads, duel->few ? "too few rounds for a claim" : "one run", first,
			      terms->by, duel->metric == METRIC_GBPS ? "higher" : terms->ahead,
			      list_where(&ahead, duel, OUTCOME_POINT_AHEAD),
			      duel->metric == METRIC_GBPS ? "higher" : terms->ahead,
			      list_where(&behind, duel, OUTCOME_POINT_BEHIND));
}

static void say_crossovers(struct answer_text *answer, const struct duel *duel,
			   const struct terms *terms)
{
	char threads[UNITS_BUF], below[UNITS_BUF], above[UNITS_BUF];
	const struct crossover *x;

	for (x = duel->crossovers; x < duel->crossovers + duel->crossovers_nr; x++)
		answer__point(answer, "Crossover with %s%s: between %s and %s, %s takes the lead.",
			      words__threads(threads, sizeof(threads), duel->threads), terms->by,
			      format_size(below, sizeof(below), x->below),
			      format_size(above, sizeof(above), x->above),
			      words__mode(x->to_first ? duel->first : duel->second));
}

static void cite_duel(struct answer_text *answer, const struct analysis *a, const struct duel *duel)
{
	const struct duel_point *p;

	for (p = duel->points; p < duel->points + duel->points_nr; p++) {
		answer__cite(answer, a, analysis__cell(a, duel->first, p->size, duel->threads),
			     duel->metric);
		answer__cite(answer, a, analysis__cell(a, duel->second, p->size, duel->threads),
			     duel->metric);
	}
}

/* All thread counts together. */
struct tally {
	size_t cells, ahead, behind, noise, point, point_ahead;
	uint64_t first_size;        /* the smallest at which the first mode is ahead; 0: none */
	unsigned int first_threads; /* 0: over all thread counts */
	uint64_t largest;           /* size with both modes */
};

/* All thread counts of a size together tell more than each: that comes first. */
static void tally__add_first(struct tally *t, uint64_t size, unsigned int threads)
{
	if (t->first_size && (size > t->first_size || (size == t->first_size && threads)))
		return;
	t->first_size = size;
	t->first_threads = threads;
}

static void tally__add(struct tally *t, const struct duel *duel)
{
	const struct duel_point *p;

	t->cells += duel->points_nr;
	t->ahead += duel->ahead;
	t->behind += duel->behind;
	t->noise += duel->noise;
	t->point += duel->point_only + duel->few;
	t->point_ahead += duel->point_ahead;
	for (p = duel->points; p < duel->points + duel->points_nr; p++) {
		if (p->size > t->largest)
			t->largest = p->size;
		if (outcome_of(&p->c, duel->metric) == OUTCOME_AHEAD)
			tally__add_first(t, p->size, duel->threads);
	}
}

/* Size by size, over all thread counts. */
static void say_sizes(struct answer_text *answer, const struct analysis *a, enum mode first,
		      enum mode second, const struct terms *terms, struct tally *t)
{
	char size[UNITS_BUF], change[WORDS_BUF];
	struct item_list list[OUTCOME_NONE + 1] = {0};
	enum outcome outcome;
	struct claim c;

	for (size_t i = 0; a->threads_nr > 1 && i < a->sizes_nr; i++) {
		c = analysis__compare_modes(a, first, second, a->sizes[i], terms->metric);
		outcome = outcome_of(&c, terms->metric);
		item_list__add(&list[outcome], "%s (%s)",
			       format_size(size, sizeof(size), a->sizes[i]),
			       words__change(change, sizeof(change), c.change));
		if (outcome == OUTCOME_AHEAD)
			tally__add_first(t, a->sizes[i], 0);
	}
	if (list[OUTCOME_AHEAD].nr + list[OUTCOME_BEHIND].nr + list[OUTCOME_NOISE].nr)
		answer__point(answer,
			      "Over all thread counts%s %s is %s at: %s; %s at: %s; inside the "
			      "noise at: %s.",
			      terms->by, words__mode(first), terms->ahead,
			      item_list__words(&list[OUTCOME_AHEAD]), terms->behind,
			      item_list__words(&list[OUTCOME_BEHIND]),
			      item_list__words(&list[OUTCOME_NOISE]));
}

static void make_duels(struct answer_text *answer, const struct analysis *a, enum mode first,
		       enum mode second, const struct terms *terms, struct tally *t)
{
	struct duel duel;

	*t = (struct tally){0};
	say_sizes(answer, a, first, second, terms, t);
	for (size_t i = 0; i < a->threads_nr; i++) {
		if (analysis__duel(a, first, second, a->threads[i], terms->metric, &duel)) {
			answer->failed = true;
			return;
		}
		tally__add(t, &duel);
		say_duel(answer, &duel, terms);
		say_crossovers(answer, &duel, terms);
		cite_duel(answer, a, &duel);
		duel__clear(&duel);
	}
}

static const char *where_first(char *buf, size_t len, const struct tally *t)
{
	if (t->first_threads)
		return words__threads(buf, len, t->first_threads);
	snprintf(buf, len, "all thread counts together");
	return buf;
}

/* " By CPU time per KiB it is cheaper from 16 KiB on (...)": the end of the headline. */
static const char *cost_words(char *buf, size_t len, const struct tally *t)
{
	char size[UNITS_BUF], threads[WORDS_BUF];

	if (!t->cells)
		snprintf(buf, len, " By CPU time nothing can be said: the data has none.");
	else if (t->point == t->cells)
		snprintf(buf, len,
			 " By CPU time per KiB it is lower in %zu of %zu cells, without "
			 "a claim.",
			 t->point_ahead, t->cells);
	else if (t->first_size)
		snprintf(
			buf, len,
			" By CPU time per KiB the smallest size at which it is cheaper is %s (with "
			"%s); cheaper in %zu of %zu cells, more expensive in %zu.",
			format_size(size, sizeof(size), t->first_size),
			where_first(threads, sizeof(threads), t), t->ahead, t->cells, t->behind);
	else
		snprintf(buf, len,
			 " By CPU time per KiB it is cheaper in no cell of %zu, more expensive in "
			 "%zu.",
			 t->cells, t->behind);
	return buf;
}

static void headline_of_duels(struct answer_text *answer, const struct analysis *a,
			      const struct tally *t, const struct tally *cost, const char *first,
			      const char *second)
{
	char size[UNITS_BUF], threads[WORDS_BUF], cheaper[512];

	cost_words(cheaper, sizeof(cheaper), cost);
	answer->answered = t->point != t->cells;
	if (!answer->answered)
		answer__headline(answer, "%s: in the medians %s is higher in %zu of %zu cells.%s",
				 answer__cannot_claim(a), first, t->point_ahead, t->cells, cheaper);
	else if (t->first_size)
		answer__headline(answer,
				 "The smallest size is %s (with %s); %s is ahead in %zu of %zu "
				 "cells, behind in %zu, inside the noise in %zu.%s",
				 format_size(size, sizeof(size), t->first_size),
				 where_first(threads, sizeof(threads), t), first, t->ahead,
				 t->cells, t->behind, t->noise + t->point, cheaper);
	else
		answer__headline(answer,
				 "At none up to %s: %s is ahead of %s in no cell of %zu, behind in "
				 "%zu, inside the noise in %zu.%s",
				 format_size(size, sizeof(size), t->largest), first, second,
				 t->cells, t->behind, t->noise + t->point, cheaper);
}

static void answer_duel(struct answer_text *answer, const struct analysis *a, enum mode first,
			enum mode second)
{
	struct tally speed, cost;

	make_duels(answer, a, first, second, &by_throughput, &speed);
	make_duels(answer, a, first, second, &by_cpu_time, &cost);
	if (!speed.cells)
		answer__headline(answer,
				 "Cannot say, because no size and thread count has the "
				 "throughput of both %s and %s.",
				 words__mode(first), words__mode(second));
	else
		headline_of_duels(answer, a, &speed, &cost, words__mode(first),
				  words__mode(second));
}

void answer__one_over_two(struct answer_text *answer, const struct analysis *a)
{
	answer_duel(answer, a, MODE_ONECOPY, MODE_TWOCOPY);
}

void answer__zero_over_two(struct answer_text *answer, const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);

	answer_duel(answer, a, MODE_ZEROCOPY, MODE_TWOCOPY);
	if (fraction == 1)
		answer__point(answer, "Every zero-copy send of this data was copied after all, so "
				      "on this path it saves only the gathering.");
}
