/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes over all sizes: which is faster, and the answers on that; see mode_comparison.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "mode_comparison.h"
#include "phrases.h"

const struct comparison_terms comparison_by_throughput = {METRIC_GBPS, "faster", "slower", "", ""};
const struct comparison_terms comparison_by_cpu_time = {METRIC_CPU_NS_PER_KIB, "cheaper",
							"more expensive", ", by CPU time per KiB",
							"By CPU time per KiB"};
const struct comparison_terms comparison_by_sender_cpu_time = {
	METRIC_CPU_S_NS_PER_KIB, "cheaper", "more expensive", ", by the sender's CPU time per KiB",
	"By the sender's CPU time per KiB"};

enum comparison_outcome mode_comparison__outcome(const struct finding *c, enum metric m)
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

static void add_point(struct mode_comparison *x, uint64_t size, const struct finding *c)
{
	enum comparison_outcome outcome = mode_comparison__outcome(c, x->metric);

	x->points[x->points_nr++] = (struct comparison_point){size, *c};
	x->ahead += outcome == OUTCOME_AHEAD;
	x->behind += outcome == OUTCOME_BEHIND;
	x->noise += outcome == OUTCOME_NOISE;
	x->few += c->difference == DIFFERENCE_FEW;
	x->point_only += c->difference == DIFFERENCE_POINT;
	x->point_ahead += outcome == OUTCOME_POINT_AHEAD;
}

/* Sizes at which nothing is certain lie inside the crossover, they do not end it. */
static void find_crossovers(struct mode_comparison *x)
{
	const struct comparison_point *last = NULL, *p;

	for (p = x->points; p < x->points + x->points_nr; p++) {
		if (!finding__holds(&p->c))
			continue;
		if (last && last->c.difference != p->c.difference)
			x->crossovers[x->crossovers_nr++] = (struct crossover){
				last->size, p->size,
				mode_comparison__outcome(&p->c, x->metric) == OUTCOME_AHEAD};
		last = p;
	}
}

void mode_comparison__make(const struct analysis *a, enum mode first, enum mode second,
			   unsigned int threads, enum metric m, struct mode_comparison *x)
{
	*x = (struct mode_comparison){
		.first = first,
		.second = second,
		.threads = threads,
		.metric = m,
		.points = xcalloc(a->sizes_nr, sizeof(*x->points)),
		.crossovers = xcalloc(a->sizes_nr, sizeof(*x->crossovers)),
	};
	for (size_t i = 0; i < a->sizes_nr; i++) {
		struct finding c =
			analysis__compare(a, analysis__cell(a, first, a->sizes[i], threads),
					  analysis__cell(a, second, a->sizes[i], threads), m);

		if (c.difference != DIFFERENCE_UNKNOWN)
			add_point(x, a->sizes[i], &c);
	}
	find_crossovers(x);
}

void mode_comparison__clear(struct mode_comparison *x)
{
	free(x->points);
	free(x->crossovers);
	*x = (struct mode_comparison){0};
}

void mode_comparison__list(struct item_list *list, uint64_t bytes, const struct finding *c)
{
	char size[UNITS_BUF], finding[PHRASE_BUF];

	format_size(size, sizeof(size), bytes);
	if (c->difference == DIFFERENCE_NOISE)
		item_list__add(list, "%s", size);
	else
		item_list__add(list, "%s (%s)", size,
			       phrases__change_of(finding, sizeof(finding), c));
}

void mode_comparison__say_crossovers(struct answer_text *answer,
				     const struct mode_comparison *comparison,
				     const struct comparison_terms *terms)
{
	char threads[UNITS_BUF], below[UNITS_BUF], above[UNITS_BUF];

	for (size_t i = 0; i < comparison->crossovers_nr; i++) {
		const struct crossover *x = &comparison->crossovers[i];

		answer__point(answer, "Crossover with %s%s: between %s and %s, %s takes the lead.",
			      phrases__threads(threads, sizeof(threads), comparison->threads),
			      terms->by, format_size(below, sizeof(below), x->below),
			      format_size(above, sizeof(above), x->above),
			      phrases__mode(x->to_first ? comparison->first : comparison->second));
	}
}

/* "faster in 5 of 16 settings (size x threads), slower in 4, no difference in 7" */
static char *counts(char *buf, size_t len, const struct comparison_tally *t, bool explain)
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

/* The size at which the first mode is ahead, and by how much. */
static char *first_size(char *buf, size_t len, const struct comparison_tally *t)
{
	char size[UNITS_BUF], threads[UNITS_BUF] = "all thread counts together", change[PHRASE_BUF];

	if (t->first_threads)
		phrases__threads(threads, sizeof(threads), t->first_threads);
	snprintf(buf, len, "First at %s (%s; %s)", format_size(size, sizeof(size), t->first_size),
		 threads, phrases__change_of(change, sizeof(change), &t->first));
	return buf;
}

void mode_comparison__headline(struct answer_text *answer, const char *cannot_claim,
			       const struct comparison_tally *t,
			       const struct comparison_tally *cost, const char *first,
			       const char *because)
{
	char size[UNITS_BUF], where[2 * PHRASE_BUF], text[3 * PHRASE_BUF], cheaper[4 * PHRASE_BUF];

	cheaper[0] = '\0';
	if (cost->cells)
		snprintf(cheaper, sizeof(cheaper), " %s: %s.", cost->terms->headline,
			 counts(text, sizeof(text), cost, false));
	counts(text, sizeof(text), t, true);
	answer->answered = t->point != t->cells;
	if (!answer->answered)
		snprintf(where, sizeof(where), "%s", cannot_claim);
	else if (t->first_size)
		first_size(where, sizeof(where), t);
	else
		snprintf(where, sizeof(where), "At none up to %s%s",
			 format_size(size, sizeof(size), t->largest), because);
	answer__headline(answer, "%s: %s is %s.%s", where, first, text, cheaper);
}

/* All thread counts of a size together tell more than each: that comes first. */
static void add_first(struct comparison_tally *t, uint64_t size, unsigned int threads,
		      const struct finding *c)
{
	if (t->first_size && (size > t->first_size || (size == t->first_size && threads)))
		return;
	t->first_size = size;
	t->first_threads = threads;
	t->first = *c;
}

static void add_comparison(struct comparison_tally *t, const struct mode_comparison *x)
{
	t->cells += x->points_nr;
	t->ahead += x->ahead;
	t->behind += x->behind;
	t->noise += x->noise;
	t->point += x->point_only + x->few;
	t->point_ahead += x->point_ahead;
	for (size_t i = 0; i < x->points_nr; i++) {
		const struct comparison_point *p = &x->points[i];

		if (p->size > t->largest)
			t->largest = p->size;
		if (mode_comparison__outcome(&p->c, x->metric) == OUTCOME_AHEAD)
			add_first(t, p->size, x->threads, &p->c);
	}
}

static struct comparison_tally compare_all(struct answer_text *answer, const struct analysis *a,
					   enum mode first, enum mode second,
					   const struct comparison_terms *terms)
{
	struct comparison_tally t = {.terms = terms};
	struct mode_comparison x;

	for (size_t i = 0; a->threads_nr > 1 && i < a->sizes_nr; i++) {
		struct finding c =
			analysis__compare_modes(a, first, second, a->sizes[i], terms->metric);

		if (mode_comparison__outcome(&c, terms->metric) == OUTCOME_AHEAD)
			add_first(&t, a->sizes[i], 0, &c);
	}
	for (size_t i = 0; i < a->threads_nr; i++) {
		mode_comparison__make(a, first, second, a->threads[i], terms->metric, &x);
		add_comparison(&t, &x);
		mode_comparison__say_crossovers(answer, &x, terms);
		mode_comparison__clear(&x);
	}
	answer__table(answer, a, first, second, terms->metric);
	return t;
}

static void answer_comparison(struct answer_text *answer, const struct analysis *a, enum mode first,
			      enum mode second, const char *because)
{
	bool both = analysis__has(a, METRIC_CPU_NS_PER_KIB);
	struct comparison_tally speed, cost;
	char cannot[PHRASE_BUF];

	speed = compare_all(answer, a, first, second, &comparison_by_throughput);
	cost = compare_all(answer, a, first, second,
			   both ? &comparison_by_cpu_time : &comparison_by_sender_cpu_time);
	if (!speed.cells)
		answer__headline(answer,
				 "Not measured: no size and thread count has the throughput of "
				 "both %s and %s.",
				 phrases__mode(first), phrases__mode(second));
	else
		mode_comparison__headline(answer, answer__cannot_claim(cannot, sizeof(cannot), a),
					  &speed, &cost, phrases__mode(first), because);
	if (!cost.cells)
		answer__cannot(answer, "Not shown: CPU time, which the data set does not have.");
}

void answer__one_over_two(struct answer_text *answer, const struct analysis *a)
{
	answer_comparison(answer, a, MODE_ONECOPY, MODE_TWOCOPY, "");
}

void answer__zero_over_two(struct answer_text *answer, const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char runs[PHRASE_BUF], because[2 * PHRASE_BUF] = "";

	if (fraction == 1)
		snprintf(because, sizeof(because), ", because the kernel copied every send%s",
			 answer__counted_runs(runs, sizeof(runs), a));
	answer_comparison(answer, a, MODE_ZEROCOPY, MODE_TWOCOPY, because);
}
