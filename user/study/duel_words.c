/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of duels; see duel_words.h. */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "duel_words.h"
#include "words.h"

const struct duel_terms duel_by_throughput = {METRIC_GBPS, "ahead", "behind", "", ""};
const struct duel_terms duel_by_cpu_time = {METRIC_CPU_NS_PER_KIB, "cheaper", "more expensive",
					    ", by CPU time per KiB", "By CPU time per KiB"};
const struct duel_terms duel_by_sender_cpu_time = {
	METRIC_CPU_S_NS_PER_KIB, "cheaper", "more expensive", ", by the sender's CPU time per KiB",
	"By the sender's CPU time per KiB"};

enum duel_outcome duel__outcome(const struct claim *c, enum metric m)
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
		return c->sign == (lower ? -1 : 1) ? OUTCOME_POINT_AHEAD : OUTCOME_POINT_BEHIND;
	}
}

/* "64 KiB (+13.3 %), ...": where the duel ended so. */
static const char *list_where(struct item_list *list, const struct duel *duel,
			      enum duel_outcome wanted)
{
	char size[UNITS_BUF], change[WORDS_BUF];
	const struct duel_point *p;

	*list = (struct item_list){0};
	for (p = duel->points; p < duel->points + duel->points_nr; p++)
		if (duel__outcome(&p->c, duel->metric) == wanted)
			item_list__add(list, "%s (%s)", format_size(size, sizeof(size), p->size),
				       words__change(change, sizeof(change), p->c.change));
	return item_list__words(list);
}

void duel__say(struct answer_text *answer, const struct duel *duel, const struct duel_terms *terms)
{
	struct item_list ahead, behind, noise;
	const char *first = words__mode(duel->first), *comma = *terms->by ? "," : "";
	char threads[UNITS_BUF];

	words__threads(threads, sizeof(threads), duel->threads);
	if (duel->points_nr > duel->point_only + duel->few)
		answer__point(answer,
			      "With %s%s%s %s is %s at: %s; %s at: %s; inside the noise at: %s.",
			      threads, terms->by, comma, first, terms->ahead,
			      list_where(&ahead, duel, OUTCOME_AHEAD), terms->behind,
			      list_where(&behind, duel, OUTCOME_BEHIND),
			      list_where(&noise, duel, OUTCOME_NOISE));
	if (duel->point_only + duel->few)
		answer__point(answer, "With %s, in %s each, %s%s%s is %s at: %s; not %s at: %s.",
			      threads, duel->few ? "too few rounds for a claim" : "one run", first,
			      terms->by, comma,
			      duel->metric == METRIC_GBPS ? "higher" : terms->ahead,
			      list_where(&ahead, duel, OUTCOME_POINT_AHEAD),
			      duel->metric == METRIC_GBPS ? "higher" : terms->ahead,
			      list_where(&behind, duel, OUTCOME_POINT_BEHIND));
}

void duel__say_crossovers(struct answer_text *answer, const struct duel *duel,
			  const struct duel_terms *terms)
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

static const char *where_first(char *buf, size_t len, const struct duel_tally *t)
{
	if (t->first_threads)
		return words__threads(buf, len, t->first_threads);
	snprintf(buf, len, "all thread counts together");
	return buf;
}

/* " By CPU time per KiB it is cheaper from 16 KiB on (...)": the end of the headline. */
static const char *cost_words(char *buf, size_t len, const struct duel_tally *t)
{
	char size[UNITS_BUF], threads[WORDS_BUF];

	if (!t->cells)
		snprintf(buf, len, " By CPU time nothing can be said: the data has none.");
	else if (t->point == t->cells)
		snprintf(buf, len,
			 " %s it is lower in %zu of %zu cell%s, without "
			 "a claim.",
			 t->terms->headline, t->point_ahead, t->cells, plural(t->cells));
	else if (t->first_size)
		snprintf(buf, len,
			 " %s the smallest size at which it is cheaper is %s (with %s); cheaper in "
			 "%zu of %zu cell%s, more expensive in %zu.",
			 t->terms->headline, format_size(size, sizeof(size), t->first_size),
			 where_first(threads, sizeof(threads), t), t->ahead, t->cells,
			 plural(t->cells), t->behind);
	else
		snprintf(buf, len, " %s it is cheaper in no cell of %zu, more expensive in %zu.",
			 t->terms->headline, t->cells, t->behind);
	return buf;
}

void duel__headline(struct answer_text *answer, const char *cannot_claim,
		    const struct duel_tally *t, const struct duel_tally *cost, const char *first,
		    const char *second)
{
	char size[UNITS_BUF], threads[WORDS_BUF], cheaper[512];

	cost_words(cheaper, sizeof(cheaper), cost);
	answer->answered = t->point != t->cells;
	if (!answer->answered)
		answer__headline(
			answer, "%s: by the median difference %s is higher in %zu of %zu cell%s.%s",
			cannot_claim, first, t->point_ahead, t->cells, plural(t->cells), cheaper);
	else if (t->first_size)
		answer__headline(answer,
				 "The smallest size is %s (with %s); %s is ahead in %zu of %zu "
				 "cell%s, behind in %zu, inside the noise in %zu.%s",
				 format_size(size, sizeof(size), t->first_size),
				 where_first(threads, sizeof(threads), t), first, t->ahead,
				 t->cells, plural(t->cells), t->behind, t->noise + t->point,
				 cheaper);
	else
		answer__headline(answer,
				 "At none up to %s: %s is ahead of %s in no cell of %zu, behind in "
				 "%zu, inside the noise in %zu.%s",
				 format_size(size, sizeof(size), t->largest), first, second,
				 t->cells, t->behind, t->noise + t->point, cheaper);
}
