/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counters say: misses by mode and level, and what more threads do to them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base/array.h"
#include "common/units.h"
#include "stage_words.h"
#include "words.h"

/* A cache level: its misses in a run as counted, and for each KiB where the payload is known. */
struct level {
	const char *name;
	enum metric raw, per_kib;
};

static const struct level levels[] = {
	{"L1D", METRIC_L1D_MISSES, METRIC_L1D_MISSES_PER_KIB},
	{"LLC", METRIC_LLC_MISSES, METRIC_LLC_MISSES_PER_KIB},
};
#define LEVELS_NR (sizeof(levels) / sizeof(levels[0]))

/* The changes of a number against two-copy, over all cells of a mode. */
struct changes {
	double *values;
	size_t nr, lower, higher, noise, point, few;
	bool several; /* runs of a cell that has no more than a point */
};

static void changes__add(struct changes *c, const struct claim *x)
{
	if (x->difference == DIFFERENCE_UNKNOWN || isnan(x->change))
		return;
	c->values[c->nr++] = x->change;
	c->lower += x->difference == DIFFERENCE_LOWER;
	c->higher += x->difference == DIFFERENCE_HIGHER;
	c->noise += x->difference == DIFFERENCE_NOISE;
	c->point += x->difference == DIFFERENCE_POINT;
	c->several |= x->difference == DIFFERENCE_POINT && (x->a.n > 1 || x->b.n > 1);
	c->few += x->difference == DIFFERENCE_FEW;
}

static int changes__of(const struct analysis *a, enum mode mode, enum metric m, struct changes *c)
{
	struct cell *cell;
	struct claim x;

	*c = (struct changes){.values = array__new(a->cells_nr, sizeof(double))};
	if (!c->values)
		return -1;
	for (cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		if (cell->mode != mode)
			continue;
		x = analysis__compare(
			a, cell, analysis__cell(a, MODE_TWOCOPY, cell->size, cell->threads), m);
		changes__add(c, &x);
	}
	return 0;
}

static const char *changes__words(const struct changes *c, char *buf, size_t len)
{
	if (c->point == c->nr)
		snprintf(buf, len, c->several ? "at most one round in common" : "one run each");
	else if (c->point + c->few == c->nr)
		snprintf(buf, len, "too few rounds for a claim");
	else
		snprintf(buf, len, "lower in %zu, higher in %zu, inside the noise in %zu", c->lower,
			 c->higher, c->noise + c->point + c->few);
	return buf;
}

static double median_of(double *values, size_t n)
{
	return estimate__of(values, n).median;
}

/* One line per thread count: the change at each size. */
static void say_by_size(struct answer_text *answer, const struct analysis *a, enum mode mode,
			const struct level *level, unsigned int threads)
{
	char change[WORDS_BUF], size[UNITS_BUF];
	struct item_list list = {0};
	struct cell *x, *y;
	struct claim c;
	size_t i;

	for (i = 0; i < a->sizes_nr; i++) {
		x = analysis__cell(a, mode, a->sizes[i], threads);
		y = analysis__cell(a, MODE_TWOCOPY, a->sizes[i], threads);
		c = analysis__compare(a, x, y, level->raw);
		if (c.difference == DIFFERENCE_UNKNOWN || isnan(c.change))
			continue;
		item_list__add(&list, "%s at %s%s", words__change(change, sizeof(change), c.change),
			       format_size(size, sizeof(size), a->sizes[i]),
			       c.difference == DIFFERENCE_NOISE ? " (noise)" : "");
		answer__cite(answer, a, x, level->raw);
		answer__cite(answer, a, y, level->raw);
	}
	if (list.nr)
		answer__point(answer, "%s misses of a whole run, %s against two-copy with %s: %s.",
			      level->name, words__mode(mode),
			      words__threads(size, sizeof(size), threads), item_list__words(&list));
}

struct best_level {
	const struct level *level;
	enum mode mode;
	double change;
	bool per_kib, certain;
	bool all_certain; /* of every level and mode: most cells are claimed, one way or the other
			   */
};

static void weigh_level(struct answer_text *answer, const struct analysis *a, enum mode mode,
			const struct level *level, struct best_level *best)
{
	bool per_kib = analysis__has(a, level->per_kib);
	struct changes c;
	char text[WORDS_BUF], tally[WORDS_BUF];
	double median;

	if (changes__of(a, mode, per_kib ? level->per_kib : level->raw, &c)) {
		answer->failed = true;
		return;
	}
	if (c.nr) {
		median = median_of(c.values, c.nr);
		answer__point(answer,
			      "%s misses %s, %s against two-copy: %s in the median of %zu cell%s "
			      "(%s).",
			      level->name, per_kib ? "per KiB" : "of a whole run",
			      words__mode(mode), words__change(text, sizeof(text), median), c.nr,
			      plural(c.nr), changes__words(&c, tally, sizeof(tally)));
		if (!best->level)
			best->all_certain = true;
		best->all_certain &= c.higher * 2 > c.nr;
		if (!best->level || median < best->change)
			*best = (struct best_level){level,
						    mode,
						    median,
						    per_kib,
						    c.lower * 2 > c.nr,
						    best->all_certain};
	}
	free(c.values);
}

/* The copies a mode is spared, by stage. */
static void say_stage(struct answer_text *answer, const struct analysis *a, enum mode mode,
		      const struct stage_claims *stages)
{
	struct item_list list = {0};
	struct estimate ex, ey;
	struct cell *x, *y;
	int stage;

	x = analysis__peak(a, mode, METRIC_RX_BYTES);
	y = x ? analysis__cell(a, MODE_TWOCOPY, x->size, x->threads) : NULL;
	for (stage = 0; y && stage < NIO_STAGE_NR; stage++) {
		ex = analysis__estimate(a, x, METRIC_STAGE_CPB(stage));
		ey = analysis__estimate(a, y, METRIC_STAGE_CPB(stage));
		if (stage__is_copy((enum nio_stage)stage) && fabs(ex.median - ey.median) > 0.005)
			item_list__add(&list, "%s %+.2f", stage__key((enum nio_stage)stage),
				       ex.median - ey.median);
	}
	if (!list.nr) {
		answer__point(answer, "Which stage it comes from cannot be said: the data has no "
				      "ledger of both modes.");
		return;
	}
	answer__point(answer,
		      "By the ledger, copies per byte of %s against two-copy differ in: %s. The "
		      "misses are counted by side, not by stage: %s.",
		      words__mode(mode), item_list__words(&list),
		      stages->nr ? "what is measured by stage is CPU time, next"
				 : "that the difference is this stage's is an inference");
}

/* CPU time by stage, of each mode that was sampled. */
static void say_sampled(struct answer_text *answer, const struct analysis *a,
			const struct stage_claims *stages)
{
	for (int mode = 0; mode < MODE_NR; mode++)
		stage_words__say(answer, a, stages, (enum mode)mode);
}

static void headline_of_level(struct answer_text *answer, const struct analysis *a,
			      const struct best_level *best)
{
	char change[WORDS_BUF];

	words__change(change, sizeof(change), best->change);
	if (!(best->change < 0)) {
		answer->answered = best->all_certain;
		answer__headline(answer,
				 "%s against two-copy neither level's misses fall in the median of "
				 "the cells.%s",
				 best->all_certain ? "None:" : "None that can be claimed:",
				 best->all_certain ? ""
						   : " That they rise is not certain either: most "
						     "cells are inside the noise or have too few "
						     "rounds.");
		return;
	}
	answer->answered = best->certain;
	answer__headline(answer, "%s%s, of %s against two-copy: %s %s in the median cell.%s",
			 best->certain ? "" : "Cannot say with certainty; the largest fall is in ",
			 best->level->name, words__mode(best->mode), change,
			 best->per_kib ? "per KiB" : "of a whole run",
			 a->rounds_max > 1
				 ? ""
				 : " One run per cell gives no intervals: a point difference.");
}

/* Without hardware counters the cost in CPU time is all there is, and it is no cache answer. */
static void say_no_counters(struct answer_text *answer, const struct analysis *a,
			    const struct stage_claims *stages)
{
	struct cell *cell = analysis__peak(a, MODE_TWOCOPY, METRIC_RX_BYTES);
	enum mode mode;
	struct claim c;
	char x[3 * WORDS_BUF], y[3 * WORDS_BUF], change[WORDS_BUF], size[UNITS_BUF];
	char savings[4 * WORDS_BUF];

	stage_words__savings(savings, sizeof(savings), stages);
	answer__headline(answer, "No cache answer, because there are no cache counters: %s.%s%s%s",
			 analysis__reason(a, METRIC_L1D_MISSES_PER_KIB),
			 *savings ? " From which stage, in CPU time by samples:" : "", savings,
			 *savings ? "." : "");
	say_sampled(answer, a, stages);
	for (mode = MODE_ONECOPY; cell && mode < MODE_NR; mode++) {
		c = analysis__compare(a, analysis__cell(a, mode, cell->size, cell->threads), cell,
				      METRIC_CPU_NS_PER_KIB);
		if (c.difference == DIFFERENCE_UNKNOWN)
			continue;
		answer__point(answer,
			      "What can be said instead is CPU time, at %s: %s %s, two-copy %s "
			      "(%s%s).",
			      format_size(size, sizeof(size), cell->size), words__mode(mode),
			      words__estimate(x, sizeof(x), METRIC_CPU_NS_PER_KIB, &c.a),
			      words__estimate(y, sizeof(y), METRIC_CPU_NS_PER_KIB, &c.b),
			      words__change(change, sizeof(change), c.change),
			      claim__holds(&c) ? "" : ", not to be told apart");
		answer__cite(answer, a, analysis__cell(a, mode, cell->size, cell->threads),
			     METRIC_CPU_NS_PER_KIB);
		answer__cite(answer, a, cell, METRIC_CPU_NS_PER_KIB);
	}
}

static void say_levels(struct answer_text *answer, const struct analysis *a,
		       const struct stage_claims *stages)
{
	struct best_level best = {0};
	enum mode mode;
	size_t i, t;

	for (mode = MODE_ONECOPY; mode < MODE_NR; mode++)
		for (i = 0; i < LEVELS_NR; i++)
			weigh_level(answer, a, mode, &levels[i], &best);
	if (!best.level) {
		answer__headline(answer, "Cannot say, because no size and thread count has the "
					 "misses of two-copy and of another mode.");
		return;
	}
	headline_of_level(answer, a, &best);
	say_stage(answer, a, best.mode, stages);
	say_sampled(answer, a, stages);
	for (mode = MODE_ONECOPY; mode < MODE_NR; mode++)
		for (i = 0; i < LEVELS_NR; i++)
			for (t = 0; t < a->threads_nr; t++)
				say_by_size(answer, a, mode, &levels[i], a->threads[t]);
}

void answer__cache(struct answer_text *answer, const struct analysis *a)
{
	struct stage_claims stages;

	if (stage_claims__make(&stages, a))
		answer->failed = true;
	else if (!analysis__has(a, METRIC_L1D_MISSES) && !analysis__has(a, METRIC_LLC_MISSES))
		say_no_counters(answer, a, &stages);
	else
		say_levels(answer, a, &stages);
}

/* Fewest against most threads, over the sizes of a mode. */
struct scaling {
	double *per_thread, *misses, *switches; /* factors, most / fewest */
	size_t per_thread_nr, misses_nr, switches_nr;
	size_t falls, certain;
};

static void scaling__clear(struct scaling *s)
{
	free(s->per_thread);
	free(s->misses);
	free(s->switches);
}

static int scaling__init(struct scaling *s, size_t n)
{
	*s = (struct scaling){
		.per_thread = array__new(n, sizeof(double)),
		.misses = array__new(n, sizeof(double)),
		.switches = array__new(n, sizeof(double)),
	};
	return s->per_thread && s->misses && s->switches ? 0 : -1;
}

static void add_factor(const struct claim *c, double *values, size_t *nr)
{
	if (c->difference != DIFFERENCE_UNKNOWN && !isnan(c->change))
		values[(*nr)++] = c->change + 1;
}

static void scaling__add(struct scaling *s, struct answer_text *answer, const struct analysis *a,
			 struct cell *few, struct cell *many)
{
	struct claim c = analysis__compare(a, many, few, METRIC_GBPS_PER_THREAD);

	add_factor(&c, s->per_thread, &s->per_thread_nr);
	s->falls += c.change < 0;
	s->certain += c.difference == DIFFERENCE_LOWER;
	c = analysis__compare(a, many, few, METRIC_LLC_MISSES_PER_KIB);
	add_factor(&c, s->misses, &s->misses_nr);
	c = analysis__compare(a, many, few, METRIC_CONTEXT_SWITCHES_PER_GIB);
	add_factor(&c, s->switches, &s->switches_nr);
	answer__cite(answer, a, few, METRIC_GBPS_PER_THREAD);
	answer__cite(answer, a, many, METRIC_GBPS_PER_THREAD);
}

/* ", LLC misses per KiB x 2.1"; nothing where no pair of cells has it. */
static char *factor_text(char *buf, size_t len, enum metric m, double *values, size_t n)
{
	*buf = '\0';
	if (n)
		snprintf(buf, len, ", %s x %.3g", metric__words(m), median_of(values, n));
	return buf;
}

/* What a factor over n sizes is. */
static char *over_text(char *buf, size_t len, size_t n)
{
	if (n == 1)
		snprintf(buf, len, "at one size");
	else
		snprintf(buf, len, "medians over %zu sizes", n);
	return buf;
}

static void say_scaling(struct answer_text *answer, const struct analysis *a, enum mode mode,
			struct scaling *total)
{
	unsigned int few = a->threads[0], many = a->threads[a->threads_nr - 1];
	char over[WORDS_BUF], misses[WORDS_BUF], switches[WORDS_BUF];
	struct scaling s;
	size_t i;

	if (scaling__init(&s, a->sizes_nr)) {
		scaling__clear(&s);
		answer->failed = true;
		return;
	}
	for (i = 0; i < a->sizes_nr; i++)
		scaling__add(&s, answer, a, analysis__cell(a, mode, a->sizes[i], few),
			     analysis__cell(a, mode, a->sizes[i], many));
	if (s.per_thread_nr)
		answer__point(
			answer, "%s, %u threads against %u (%s): throughput per thread x %.3g%s%s.",
			words__mode(mode), many, few,
			over_text(over, sizeof(over), s.per_thread_nr),
			median_of(s.per_thread, s.per_thread_nr),
			factor_text(misses, sizeof(misses), METRIC_LLC_MISSES_PER_KIB, s.misses,
				    s.misses_nr),
			factor_text(switches, sizeof(switches), METRIC_CONTEXT_SWITCHES_PER_GIB,
				    s.switches, s.switches_nr));
	total->per_thread_nr += s.per_thread_nr;
	total->falls += s.falls;
	total->certain += s.certain;
	scaling__clear(&s);
}

static void say_contention(struct answer_text *answer, const struct analysis *a)
{
	if (!analysis__has(a, METRIC_LLC_MISSES_PER_KIB))
		answer__point(answer,
			      "Cache contention itself was not seen: LLC misses per KiB n/a (%s).",
			      analysis__reason(a, METRIC_LLC_MISSES_PER_KIB));
	if (!analysis__has(a, METRIC_CONTEXT_SWITCHES_PER_GIB))
		answer__point(answer, "Context switches n/a: %s.",
			      analysis__reason(a, METRIC_CONTEXT_SWITCHES_PER_GIB));
}

/* What keeps caches from being looked at as a cause, and what to do about it. */
static const char *why_not_caches(const struct analysis *a)
{
	if (analysis__has(a, METRIC_LLC_MISSES_PER_KIB))
		return "";
	if (analysis__has(a, METRIC_LLC_MISSES))
		return " Misses per KiB need the length of the runs, which the data does not say: "
		       "give it with --duration.";
	return " Whether caches are why cannot be said without counters.";
}

static void headline_of_threads(struct answer_text *answer, const struct analysis *a,
				const struct scaling *total)
{
	char certain[128];

	answer->answered = answer__can_claim(a);
	snprintf(certain, sizeof(certain), "outside the noise in %zu", total->certain);
	answer__headline(answer,
			 "From %u to %u threads throughput per thread falls in %zu of %zu "
			 "combination%s of mode and size, %s.%s",
			 a->threads[0], a->threads[a->threads_nr - 1], total->falls,
			 total->per_thread_nr, plural(total->per_thread_nr),
			 answer->answered ? certain : "in too few rounds for a claim",
			 why_not_caches(a));
}

void answer__threads(struct answer_text *answer, const struct analysis *a)
{
	struct scaling total = {0};
	enum mode mode;

	if (a->threads_nr < 2) {
		answer__headline(answer, "Cannot say, because the data has one thread count only.");
		return;
	}
	for (mode = 0; mode < MODE_NR; mode++)
		say_scaling(answer, a, mode, &total);
	if (!total.per_thread_nr) {
		answer__headline(answer,
				 "Cannot say, because no mode and size has a throughput above 0 "
				 "with both %u and %u threads.",
				 a->threads[0], a->threads[a->threads_nr - 1]);
		return;
	}
	say_contention(answer, a);
	headline_of_threads(answer, a, &total);
}
