/* SPDX-License-Identifier: GPL-2.0-only */
/* Why zero-copy is not always the fastest: what it cost, and whether it was honoured. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "words.h"

/* Zero-copy against the faster of the other two modes, cell by cell. */
struct standing {
	size_t cells, ahead, behind, noise, few, point, point_ahead;
	struct cell *worst, *worst_rival; /* where it is furthest behind, or least ahead */
	struct cell *best, *best_rival;
	double worst_change, best_change;
};

static struct cell *rival_of(const struct analysis *a, const struct cell *zc)
{
	struct cell *two = analysis__cell(a, MODE_TWOCOPY, zc->size, zc->threads);
	struct cell *one = analysis__cell(a, MODE_ONECOPY, zc->size, zc->threads);
	struct estimate e2 = analysis__estimate(a, two, METRIC_GBPS);
	struct estimate e1 = analysis__estimate(a, one, METRIC_GBPS);

	if (!e2.n && !e1.n)
		return NULL;
	if (!e2.n || (e1.n && e1.median > e2.median))
		return one;
	return two;
}

static void standing__add(struct standing *s, const struct claim *c, struct cell *zc,
			  struct cell *rival)
{
	s->cells++;
	s->ahead += c->difference == DIFFERENCE_HIGHER;
	s->behind += c->difference == DIFFERENCE_LOWER;
	s->noise += c->difference == DIFFERENCE_NOISE;
	s->few += c->difference == DIFFERENCE_FEW;
	s->point += c->difference == DIFFERENCE_POINT;
	s->point_ahead += (c->difference == DIFFERENCE_POINT || c->difference == DIFFERENCE_FEW) &&
			  c->sign > 0;
	if (isnan(c->change))
		return;
	if (!s->worst || c->change < s->worst_change) {
		s->worst = zc;
		s->worst_rival = rival;
		s->worst_change = c->change;
	}
	if (!s->best || c->change > s->best_change) {
		s->best = zc;
		s->best_rival = rival;
		s->best_change = c->change;
	}
}

static struct standing standing_of(const struct analysis *a)
{
	struct standing s = {0};
	struct claim c;
	struct cell *zc, *rival;

	for (zc = a->cells; zc < a->cells + a->cells_nr; zc++) {
		rival = zc->mode == MODE_ZEROCOPY ? rival_of(a, zc) : NULL;
		if (!rival)
			continue;
		c = analysis__compare(a, zc, rival, METRIC_GBPS);
		if (c.difference != DIFFERENCE_UNKNOWN)
			standing__add(&s, &c, zc, rival);
	}
	return s;
}

/* What the worst cell is: zero-copy may be ahead in all. */
static const char *worst_words(const struct standing *s)
{
	return s->worst_change < 0 ? "furthest behind" : "least ahead";
}

/* Of one cell against its rival. */
static void say_place(struct answer_text *answer, const struct analysis *a, const char *what,
		      struct cell *zc, struct cell *rival)
{
	struct claim c = analysis__compare(a, zc, rival, METRIC_GBPS);
	char cell[WORDS_BUF], change[WORDS_BUF], x[3 * WORDS_BUF], y[3 * WORDS_BUF];

	answer__point(answer, "%c%s: %s, with %s against %s of %s (%s%s).", toupper(what[0]),
		      what + 1, words__cell(cell, sizeof(cell), zc),
		      words__estimate(x, sizeof(x), METRIC_GBPS, &c.a),
		      words__estimate(y, sizeof(y), METRIC_GBPS, &c.b), words__mode(rival->mode),
		      words__change(change, sizeof(change), c.change),
		      claim__holds(&c) ? "" : ", not to be told apart");
	answer__cite(answer, a, zc, METRIC_GBPS);
	answer__cite(answer, a, rival, METRIC_GBPS);
}

static void say_standing(struct answer_text *answer, const struct analysis *a,
			 const struct standing *s)
{
	if (s->point + s->few)
		answer__point(
			answer,
			"In the %zu cell%s with too few rounds for a claim zero-copy is ahead "
			"in %zu; these are point differences, which nothing tells from noise.",
			s->point + s->few, plural(s->point + s->few), s->point_ahead);
	say_place(answer, a, worst_words(s), s->worst, s->worst_rival);
	if (s->best_change > 0 && s->best != s->worst)
		say_place(answer, a, "furthest ahead", s->best, s->best_rival);
}

/* 100 % are all of them, and no rounding of fewer. */
static const char *share_words(char *buf, size_t len, double fraction)
{
	if (fraction < 1 && fraction > 0.9999)
		snprintf(buf, len, "more than 99.99 %%, but not all,");
	else
		snprintf(buf, len, "%.4g %%", fraction * 100);
	return buf;
}

/* Whether the kernel honoured it. True when the data says. */
static bool say_honoured(struct answer_text *answer, const struct analysis *a,
			 const struct standing *s)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char n[UNITS_BUF], percent[WORDS_BUF], runs[WORDS_BUF];
	const struct cell *zc = s->worst;
	const char *text = zc->rows->verdict;

	if (fraction > 1) {
		answer__point(answer, "Whether the kernel copied after all cannot be said: the "
				      "data counts more copied completions than completions.");
		return false;
	}
	if (fraction < 0) {
		answer__point(answer, "Whether the kernel copied after all cannot be said: the "
				      "data counts no zero-copy completions.");
		return false;
	}
	answer__counted_runs(runs, sizeof(runs), a);
	answer__point(answer, "Of %s zero-copy completions%s, %s came back as copied.",
		      format_count(n, sizeof(n), (uint64_t)completed),
		      *runs ? runs : " over all runs",
		      share_words(percent, sizeof(percent), fraction));
	if (text && *text)
		answer__point(answer, "In %sthe cell %s: %s",
			      zc->rows_nr > 1 ? "the first round of " : "", worst_words(s), text);
	return true;
}

/* A cost in the worst cell, beside the mode it is held against. */
static bool say_cost(struct answer_text *answer, const struct analysis *a, const struct standing *s,
		     enum metric m)
{
	struct claim c = analysis__compare(a, s->worst, s->worst_rival, m);
	char change[WORDS_BUF], x[3 * WORDS_BUF], y[3 * WORDS_BUF];

	if (c.difference == DIFFERENCE_UNKNOWN)
		return false;
	answer__point(answer, "There its %s: %s against %s of %s (%s%s).", metric__words(m),
		      words__estimate(x, sizeof(x), m, &c.a),
		      words__estimate(y, sizeof(y), m, &c.b), words__mode(s->worst_rival->mode),
		      words__change(change, sizeof(change), c.change),
		      claim__holds(&c) ? "" : ", not to be told apart");
	answer__cite(answer, a, s->worst, m);
	answer__cite(answer, a, s->worst_rival, m);
	return true;
}

static bool say_copies(struct answer_text *answer, const struct analysis *a, struct cell *zc)
{
	struct item_list list = {0};
	struct estimate e;
	int stage;

	for (stage = 0; stage < NIO_STAGE_NR; stage++) {
		e = analysis__estimate(a, zc, METRIC_STAGE_CPB(stage));
		if (!e.n || e.median <= 0)
			continue;
		item_list__add(&list, "%s %.2f", stage__key((enum nio_stage)stage), e.median);
		answer__cite(answer, a, zc, METRIC_STAGE_CPB(stage));
	}
	if (list.nr)
		answer__point(answer,
			      "What moved each of its payload bytes, in times per byte (tx_pin "
			      "references pages, the others copy): %s.",
			      item_list__words(&list));
	return list.nr;
}

static bool explain_zerocopy(struct answer_text *answer, const struct analysis *a,
			     const struct standing *s)
{
	bool known = say_honoured(answer, a, s);

	known |= say_copies(answer, a, s->worst);
	known |= say_cost(answer, a, s, METRIC_CPU_NS_PER_KIB);
	known |= say_cost(answer, a, s, METRIC_CYCLES_PER_BYTE);
	known |= say_cost(answer, a, s, METRIC_LLC_MISSES_PER_KIB);
	known |= say_cost(answer, a, s, METRIC_CONTEXT_SWITCHES_PER_GIB);
	answer__cite(answer, a, s->worst, METRIC_COMPLETION_P50);
	return known;
}

/* Counters of whole runs cannot be compared before it is known how many bytes they are for. */
static const char *why_unexplained(const struct analysis *a)
{
	for (int c = 0; c < PERF_NR; c++)
		if (analysis__has(a, METRIC_PERF_BOTH(c)) && !analysis__has(a, METRIC_PAYLOAD))
			return " Why cannot be said from this data: it has no ledger, and costs "
			       "per byte need the length of the runs: give it with --duration.";
	return " Why cannot be said from this data: it has neither ledger nor costs.";
}

void answer__zerocopy(struct answer_text *answer, const struct analysis *a)
{
	struct standing s = standing_of(a);
	const char *why = "";

	if (!a->has_mode[MODE_ZEROCOPY]) {
		answer__headline(answer, "Cannot say, because the data has no zero-copy run.");
		return;
	}
	if (!s.cells) {
		answer__headline(answer, "Cannot say, because no size and thread count has the "
					 "throughput of zero-copy and of another mode.");
		return;
	}
	answer->answered = true;
	if (s.worst) {
		say_standing(answer, a, &s);
		if (!explain_zerocopy(answer, a, &s)) {
			why = why_unexplained(a);
			answer->answered = false;
		}
	}
	if (s.point + s.few == s.cells)
		answer__headline(
			answer,
			"%s: by the median difference zero-copy is ahead of the faster other "
			"mode in %zu of %zu cell%s.%s",
			answer__cannot_claim(a), s.point_ahead, s.cells, plural(s.cells), why);
	else
		answer__headline(
			answer,
			"Against the faster other mode zero-copy is ahead in %zu of %zu "
			"cell%s, behind in %zu, and not to be told apart from it in %zu.%s",
			s.ahead, s.cells, plural(s.cells), s.behind, s.noise + s.point + s.few,
			why);
	if (s.point + s.few == s.cells)
		answer->answered = false;
}
