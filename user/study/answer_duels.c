/* SPDX-License-Identifier: GPL-2.0-only */
/* At which sizes one mode is ahead of another, faster or cheaper. Wording of duels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "duel_words.h"
#include "common/units.h"
#include "words.h"

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

/* All thread counts of a size together tell more than each: that comes first. */
static void tally__add_first(struct duel_tally *t, uint64_t size, unsigned int threads)
{
	if (t->first_size && (size > t->first_size || (size == t->first_size && threads)))
		return;
	t->first_size = size;
	t->first_threads = threads;
}

static void tally__add(struct duel_tally *t, const struct duel *duel)
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
		if (duel__outcome(&p->c, duel->metric) == OUTCOME_AHEAD)
			tally__add_first(t, p->size, duel->threads);
	}
}

/* Size by size, over all thread counts. */
static void say_sizes(struct answer_text *answer, const struct analysis *a, enum mode first,
		      enum mode second, const struct duel_terms *terms, struct duel_tally *t)
{
	struct item_list list[OUTCOME_NONE + 1] = {0};
	enum duel_outcome outcome;
	struct claim c;

	for (size_t i = 0; a->threads_nr > 1 && i < a->sizes_nr; i++) {
		c = analysis__compare_modes(a, first, second, a->sizes[i], terms->metric);
		outcome = duel__outcome(&c, terms->metric);
		duel__list(&list[outcome], a->sizes[i], &c);
		if (outcome == OUTCOME_AHEAD)
			tally__add_first(t, a->sizes[i], 0);
	}
	if (list[OUTCOME_AHEAD].nr + list[OUTCOME_BEHIND].nr + list[OUTCOME_NOISE].nr)
		answer__point(
			answer,
			"All thread counts together%s: %s %s at: %s; %s at: %s; no difference "
			"at: %s.",
			terms->by, words__mode(first), terms->ahead,
			item_list__words(&list[OUTCOME_AHEAD]), terms->behind,
			item_list__words(&list[OUTCOME_BEHIND]),
			item_list__words(&list[OUTCOME_NOISE]));
}

static void make_duels(struct answer_text *answer, const struct analysis *a, enum mode first,
		       enum mode second, const struct duel_terms *terms, struct duel_tally *t)
{
	struct duel duel;

	*t = (struct duel_tally){.terms = terms};
	say_sizes(answer, a, first, second, terms, t);
	for (size_t i = 0; i < a->threads_nr; i++) {
		if (analysis__duel(a, first, second, a->threads[i], terms->metric, &duel)) {
			answer->failed = true;
			return;
		}
		tally__add(t, &duel);
		duel__say(answer, &duel, terms);
		duel__say_crossovers(answer, &duel, terms);
		cite_duel(answer, a, &duel);
		duel__clear(&duel);
	}
}

static void answer_duel(struct answer_text *answer, const struct analysis *a, enum mode first,
			enum mode second)
{
	struct duel_tally speed, cost;
	char cannot[WORDS_BUF];

	make_duels(answer, a, first, second, &duel_by_throughput, &speed);
	make_duels(answer, a, first, second,
		   analysis__has(a, METRIC_CPU_NS_PER_KIB) ? &duel_by_cpu_time
							   : &duel_by_sender_cpu_time,
		   &cost);
	if (!speed.cells)
		answer__headline(answer,
				 "Not measured: no size and thread count has the throughput of "
				 "both %s and %s.",
				 words__mode(first), words__mode(second));
	else
		duel__headline(answer, answer__cannot_claim(cannot, sizeof(cannot), a), &speed,
			       &cost, words__mode(first));
	if (!cost.cells)
		answer__cannot(answer, "Not shown: CPU time, which the data set does not have.");
}

void answer__one_over_two(struct answer_text *answer, const struct analysis *a)
{
	answer_duel(answer, a, MODE_ONECOPY, MODE_TWOCOPY);
}

void answer__zero_over_two(struct answer_text *answer, const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char runs[WORDS_BUF];

	answer_duel(answer, a, MODE_ZEROCOPY, MODE_TWOCOPY);
	if (fraction == 1)
		answer__point(
			answer,
			"The kernel copied every zero-copy send%s after all, so that zero-copy "
			"saves only the gather copy on this path.",
			*answer__counted_runs(runs, sizeof(runs), a) ? runs : " of this data");
}
