/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of duels; see duel_words.h. */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "duel_words.h"
#include "words.h"

const struct duel_terms duel_by_throughput = {METRIC_GBPS, "faster", "slower", "", ""};
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

void duel__list(struct item_list *list, uint64_t bytes, const struct claim *c)
{
	char size[UNITS_BUF], change[WORDS_BUF], interval[2 * WORDS_BUF + 8];

	format_size(size, sizeof(size), bytes);
	words__change(change, sizeof(change), c->change);
	words__change_interval(interval, sizeof(interval), c->low, c->high);
	if (c->difference == DIFFERENCE_NOISE)
		item_list__add(list, "%s", size);
	else if (claim__holds(c) && *interval)
		item_list__add(list, "%s (%s; %s)", size, change, interval);
	else
		item_list__add(list, "%s (%s)", size, change);
}

/* "64 KiB (+13.3 %), ...": where the comparison ended so. */
static const char *list_where(struct item_list *list, const struct duel *duel,
			      enum duel_outcome wanted)
{
	const struct duel_point *p;

	*list = (struct item_list){0};
	for (p = duel->points; p < duel->points + duel->points_nr; p++)
		if (duel__outcome(&p->c, duel->metric) == wanted)
			duel__list(list, p->size, &p->c);
	return item_list__words(list);
}

void duel__say(struct answer_text *answer, const struct duel *duel, const struct duel_terms *terms)
{
	struct item_list ahead, behind, noise;
	const char *first = words__mode(duel->first);
	char threads[UNITS_BUF];

	words__threads(threads, sizeof(threads), duel->threads);
	if (duel->points_nr > duel->point_only + duel->few)
		answer__point(answer, "With %s%s: %s %s at: %s; %s at: %s; no difference at: %s.",
			      threads, terms->by, first, terms->ahead,
			      list_where(&ahead, duel, OUTCOME_AHEAD), terms->behind,
			      list_where(&behind, duel, OUTCOME_BEHIND),
			      list_where(&noise, duel, OUTCOME_NOISE));
	if (duel->point_only + duel->few)
		answer__point(answer, "With %s%s (%s): %s %s at: %s; not %s at: %s.", threads,
			      terms->by, duel->few ? "too few rounds" : "point differences", first,
			      terms->ahead, list_where(&ahead, duel, OUTCOME_POINT_AHEAD),
			      terms->ahead, list_where(&behind, duel, OUTCOME_POINT_BEHIND));
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

/* "faster in 5 of 16 settings (size x threads), slower in 4, no difference in 7" */
static char *counts(char *buf, size_t len, const struct duel_tally *t, bool explain)
{
	const char *what = explain ? " (size x threads)" : "";

	if (t->point == t->cells)
		snprintf(buf, len, "%s in %zu of %zu setting%s%s", t->terms->ahead, t->point_ahead,
			 t->cells, plural(t->cells), what);
	else
		snprintf(buf, len, "%s in %zu of %zu setting%s%s, %s in %zu, no difference in %zu",
			 t->terms->ahead, t->ahead, t->cells, plural(t->cells), what,
			 t->terms->behind, t->behind, t->noise + t->point);
	return buf;
}

static char *cost_words(char *buf, size_t len, const struct duel_tally *t)
{
	char text[3 * WORDS_BUF];

	buf[0] = '\0';
	if (t->cells)
		snprintf(buf, len, " %s: %s.", t->terms->headline,
			 counts(text, sizeof(text), t, false));
	return buf;
}

void duel__headline(struct answer_text *answer, const char *cannot_claim,
		    const struct duel_tally *t, const struct duel_tally *cost, const char *first)
{
	char size[UNITS_BUF], threads[WORDS_BUF], cheaper[4 * WORDS_BUF], text[3 * WORDS_BUF];

	cost_words(cheaper, sizeof(cheaper), cost);
	counts(text, sizeof(text), t, true);
	answer->answered = t->point != t->cells;
	if (!answer->answered)
		answer__headline(answer, "%s: %s is %s.%s", cannot_claim, first, text, cheaper);
	else if (t->first_size)
		answer__headline(answer, "The smallest size is %s (with %s): %s is %s.%s",
				 format_size(size, sizeof(size), t->first_size),
				 where_first(threads, sizeof(threads), t), first, text, cheaper);
	else
		answer__headline(answer, "At none up to %s: %s is %s.%s",
				 format_size(size, sizeof(size), t->largest), first, text, cheaper);
}
