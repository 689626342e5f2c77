/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unexpected findings: collapses, exceptions to a rule, unbalanced books, noise; each with the cost
 * that changes most, which does not prove a cause.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "phrases.h"

#define FALL_WORTH_TELLING     0.7 /* of the neighbour's throughput */
#define COLLAPSE_WORTH_TELLING 0.9 /* of the throughput of the fewest threads */
#define RULE_SHARE             0.8 /* of the cells, for the rest to be exceptions */
#define NOISE_WORTH_TELLING    0.2 /* interval / median */
#define FACTOR_WORTH_TELLING   1.2
#define EXCEPTIONS_MAX         8

/*
 * Costs that may change together with throughput. No latencies: in a closed loop, latency follows
 * from throughput.
 */
static const struct {
	enum metric metric;
	bool raw; /* only where the payload, which it should be divided by, is unknown */
} costs[] = {
	{METRIC_CONTEXT_SWITCHES_PER_GIB, false},
	{METRIC_LLC_MISSES_PER_KIB, false},
	{METRIC_L1D_MISSES_PER_KIB, false},
	{METRIC_CYCLES_PER_BYTE, false},
	{METRIC_CPU_NS_PER_KIB, false},
	{METRIC_COPIES, false},
	{METRIC_CPB_DEFERRED_COPY, false},
	{METRIC_COPIED_FRACTION, false},
	{METRIC_CONTEXT_SWITCHES, true},
	{METRIC_LLC_MISSES, true},
	{METRIC_L1D_MISSES, true},
};

/* 1: certainly higher, or higher in the only runs; -1: lower; 0: neither. */
static int direction_of(const struct finding *c)
{
	return finding__holds(c) || c->difference == DIFFERENCE_POINT ? c->sign : 0;
}

static const char *certainty(const struct finding *c)
{
	return c->difference == DIFFERENCE_POINT ? " (one run of one or both)" : "";
}

/* The cost that changes most between x and y, as the end of a sentence about both. */
static const char *explain(char *buf, size_t len, struct answer_text *answer,
			   const struct analysis *a, struct cell *x, struct cell *y)
{
	/* Only a higher cost can explain a lower throughput, and vice versa. */
	int wanted = analysis__compare(a, x, y, METRIC_GBPS).change < 0 ? 1 : -1;
	bool no_payload = !analysis__has(a, METRIC_PAYLOAD);
	char from[PHRASE_BUF], to[PHRASE_BUF], factor[PHRASE_BUF];
	double strength = log(FACTOR_WORTH_TELLING);
	enum metric m = METRIC_NR;
	struct finding best;

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct finding c = analysis__compare(a, x, y, costs[i].metric);

		if ((costs[i].raw && !no_payload) || direction_of(&c) != wanted ||
		    !(c.change > -1) || !(fabs(log1p(c.change)) > strength))
			continue;
		strength = fabs(log1p(c.change));
		m = costs[i].metric;
		best = c;
	}
	if (m == METRIC_NR)
		return "No measured cost changes in the direction that would explain it.";
	snprintf(buf, len, "The cost that changes most with it: %s, %s to %s (%s).",
		 metric__words(m), phrases__value(from, sizeof(from), m, best.b.median),
		 phrases__value(to, sizeof(to), m, best.a.median),
		 phrases__factor(factor, sizeof(factor), best.b.median, best.a.median));
	answer__cite(answer, a, x, m);
	answer__cite(answer, a, y, m);
	return buf;
}

static void say_peaks(struct answer_text *answer, const struct analysis *a)
{
	char text[PHRASE_BUF], value[3 * PHRASE_BUF];

	for (int m = MODE_NR; m >= 0; m--) {
		struct cell *peak = analysis__peak(a, (enum mode)m, METRIC_GBPS);
		struct estimate e = analysis__estimate(a, peak, METRIC_GBPS);

		if (!peak)
			continue;
		answer__point(answer, "Highest throughput of %s: %s, %s.",
			      m == MODE_NR ? "all" : phrases__mode((enum mode)m),
			      phrases__cell(text, sizeof(text), peak),
			      phrases__estimate(value, sizeof(value), METRIC_GBPS, &e));
		answer__cite(answer, a, peak, METRIC_GBPS);
	}
}

/* How often something was found, and where it could have been. */
struct count {
	size_t nr, of;
};

/* A cell whose throughput is below `worth` times that of another cell that should be slower. */
static void say_drop(struct answer_text *answer, const struct analysis *a, const char *what,
		     struct cell *cell, struct cell *other, double worth, struct count *found)
{
	struct finding c = analysis__compare(a, cell, other, METRIC_GBPS);
	char name[PHRASE_BUF], instead[PHRASE_BUF], x[PHRASE_BUF], y[PHRASE_BUF], why[512];

	found->of += cell != other && c.difference != DIFFERENCE_UNKNOWN;
	if (cell == other || direction_of(&c) >= 0 || !(c.change < worth - 1))
		return;
	found->nr++;
	answer__point(answer, "%s: %s: %s; %s: %s%s. %s", what,
		      phrases__cell(name, sizeof(name), cell),
		      phrases__value(x, sizeof(x), METRIC_GBPS, c.a.median),
		      cell->size == other->size
			      ? phrases__threads(instead, sizeof(instead), other->threads)
			      : format_size(instead, sizeof(instead), other->size),
		      phrases__value(y, sizeof(y), METRIC_GBPS, c.b.median), certainty(&c),
		      explain(why, sizeof(why), answer, a, cell, other));
	answer__cite(answer, a, cell, METRIC_GBPS);
	answer__cite(answer, a, other, METRIC_GBPS);
}

/* A total throughput below that of the smallest thread count. */
static struct count say_collapses(struct answer_text *answer, const struct analysis *a)
{
	struct count found = {0};

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++)
		say_drop(answer, a, "Collapse with more threads", x,
			 analysis__cell(a, x->mode, x->size, a->threads[0]), COLLAPSE_WORTH_TELLING,
			 &found);
	return found;
}

/* A larger message that is much slower than the next smaller one. */
static struct count say_falls(struct answer_text *answer, const struct analysis *a)
{
	struct count found = {0};

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++)
		for (size_t i = 1; i < a->sizes_nr; i++)
			if (a->sizes[i] == x->size)
				say_drop(answer, a, "Larger messages, lower throughput", x,
					 analysis__cell(a, x->mode, a->sizes[i - 1], x->threads),
					 FALL_WORTH_TELLING, &found);
	return found;
}

static void say_exception(struct answer_text *answer, const struct analysis *a, struct cell *cell,
			  enum metric m, const struct count *rare)
{
	struct cell *rival = analysis__cell(a, MODE_TWOCOPY, cell->size, cell->threads);
	struct finding c = analysis__compare(a, cell, rival, m);
	char name[PHRASE_BUF], x[PHRASE_BUF], y[PHRASE_BUF], change[PHRASE_BUF], why[512];

	answer__point(answer,
		      "Exception (%zu of %zu setting%s): %s: %s %s, %s than the %s of two-copy "
		      "(%s)%s. %s",
		      rare->nr, rare->of, plural(rare->of), phrases__cell(name, sizeof(name), cell),
		      metric__words(m), phrases__value(x, sizeof(x), m, c.a.median),
		      c.sign > 0 ? "higher" : "lower", phrases__value(y, sizeof(y), m, c.b.median),
		      phrases__change(change, sizeof(change), c.change), certainty(&c),
		      explain(why, sizeof(why), answer, a, cell, rival));
	answer__cite(answer, a, cell, m);
	answer__cite(answer, a, rival, m);
}

/* Cells where a metric of a mode changes in another direction than in nearly all others. */
static void say_exceptions(struct answer_text *answer, const struct analysis *a, enum mode mode,
			   enum metric m, struct count *found)
{
	int *direction = xcalloc(a->cells_nr, sizeof(*direction)), rare;
	size_t higher = 0, lower = 0, said = 0;
	struct count t = {0};

	for (size_t i = 0; i < a->cells_nr; i++) {
		struct cell *x = &a->cells[i];
		struct finding c = analysis__compare(
			a, x, analysis__cell(a, MODE_TWOCOPY, x->size, x->threads), m);

		if (x->mode != mode || c.difference == DIFFERENCE_UNKNOWN)
			continue;
		direction[i] = direction_of(&c);
		higher += direction[i] > 0;
		lower += direction[i] < 0;
		t.of++;
	}
	rare = higher < lower ? 1 : -1;
	t.nr = rare > 0 ? higher : lower;
	if (fmax((double)higher, (double)lower) >= RULE_SHARE * (double)t.of)
		for (size_t i = 0; i < a->cells_nr && said < EXCEPTIONS_MAX; i++)
			if (direction[i] == rare && ++said)
				say_exception(answer, a, &a->cells[i], m, &t);
	found->nr += said;
	found->of += t.of;
	free(direction);
}

static size_t rows_not_zero(const struct analysis *a, enum metric m, size_t *measured)
{
	size_t i, n = 0;
	double value;

	*measured = 0;
	for (i = 0; i < a->dataset->rows_nr; i++) {
		value = a->dataset->rows[i].value[m];
		*measured += !isnan(value);
		n += !isnan(value) && value != 0;
	}
	return n;
}

/* A check of the books that was made in some runs. */
struct books_check {
	enum metric metric;
	const char *kept; /* the conclusion if it was 0 in all of them */
};

static struct count say_books(struct answer_text *answer, const struct analysis *a)
{
	static const struct books_check checks[] = {
		{METRIC_UNACCOUNTED_TX, "no byte sent is unaccounted for"},
		{METRIC_UNACCOUNTED_RX, "no byte received is unaccounted for"},
		{METRIC_MISSED, "no event was missed"},
	};
	struct item_list kept = {0};
	struct count found = {0};
	size_t i, n, measured;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		n = rows_not_zero(a, checks[i].metric, &measured);
		if (n)
			answer__point(answer,
				      "The books do not balance: %s is not 0 in %zu of %zu run%s.",
				      metric__words(checks[i].metric), n, measured,
				      plural(measured));
		else if (measured)
			item_list__add(&kept, "%s (%zu run%s)", checks[i].kept, measured,
				       plural(measured));
		found.nr += n != 0;
		found.of += measured != 0;
	}
	if (kept.nr)
		answer__point(answer, "The books balance: %s.", item_list__words(&kept));
	else if (!found.nr)
		answer__cannot(answer,
			       "Not shown: whether the books balance, because the data has no "
			       "ledger (%s).",
			       analysis__reason(a, METRIC_UNACCOUNTED_TX));
	return found;
}

static bool has_books(const struct analysis *a)
{
	return analysis__has(a, METRIC_UNACCOUNTED_TX) && analysis__has(a, METRIC_UNACCOUNTED_RX);
}

static struct count say_noise(struct answer_text *answer, const struct analysis *a)
{
	char text[PHRASE_BUF], value[3 * PHRASE_BUF];
	struct cell *worst = NULL;
	double widest = 0;
	struct estimate e;
	size_t n = 0;

	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		double width;

		e = analysis__estimate(a, cell, METRIC_GBPS);
		width = estimate__has_interval(&e) ? (e.high - e.low) / e.median : 0;
		n += width > NOISE_WORTH_TELLING;
		if (width > widest) {
			worst = cell;
			widest = width;
		}
	}
	if (n)
		answer__point(answer,
			      "Wide intervals: in %zu of %zu cell%s the interval of throughput is "
			      "wider than %.0f %% of its median.",
			      n, a->cells_nr, plural(a->cells_nr), NOISE_WORTH_TELLING * 100);
	if (worst) {
		e = analysis__estimate(a, worst, METRIC_GBPS);
		answer__point(answer, "Widest interval of throughput: %s: %s.",
			      phrases__cell(text, sizeof(text), worst),
			      phrases__estimate(value, sizeof(value), METRIC_GBPS, &e));
		answer__cite(answer, a, worst, METRIC_GBPS);
	}
	return (struct count){n, a->cells_nr};
}

static struct count say_zero(struct answer_text *answer, const struct analysis *a)
{
	size_t i, n = 0;

	for (i = 0; i < a->dataset->rows_nr; i++)
		n += a->dataset->rows[i].value[METRIC_GBPS] == 0;
	if (n)
		answer__point(answer,
			      "Nothing arrived in %zu of %zu run%s: throughput 0, so that "
			      "no cost per byte exists there.",
			      n, a->dataset->rows_nr, plural(a->dataset->rows_nr));
	return (struct count){n, a->dataset->rows_nr};
}

enum unexpected {
	UNEXPECTED_BOOKS, /* the gravest first */
	UNEXPECTED_ZERO,
	UNEXPECTED_COLLAPSE,
	UNEXPECTED_FALL,
	UNEXPECTED_EXCEPTION,
	UNEXPECTED_NOISE,
	UNEXPECTED_NR,
};

static void headline_of(struct answer_text *answer, const struct analysis *a,
			const struct count found[UNEXPECTED_NR])
{
	static const char *const names[UNEXPECTED_NR] = {
		[UNEXPECTED_BOOKS] = "books that do not balance",
		[UNEXPECTED_ZERO] = "runs in which nothing arrived",
		[UNEXPECTED_COLLAPSE] = "collapse with more threads",
		[UNEXPECTED_FALL] = "fall with larger messages",
		[UNEXPECTED_EXCEPTION] = "cells against the rule",
		[UNEXPECTED_NOISE] = "wide intervals",
	};
	struct item_list list = {0};
	char cannot[PHRASE_BUF] = "";
	const char *cost = "";

	for (int i = 0; i < UNEXPECTED_NR; i++) {
		if (!found[i].nr)
			continue;
		item_list__add(&list, "%s (%zu of %zu)", names[i], found[i].nr, found[i].of);
		if (i >= UNEXPECTED_COLLAPSE && i <= UNEXPECTED_EXCEPTION)
			cost = " Each is listed with the cost that changes most with it, which is "
			       "no proof of a cause.";
	}
	if (!answer__can_claim(a))
		answer__cannot_claim(cannot, sizeof(cannot), a);
	if (list.nr)
		answer__headline(answer, "%s%sFound: %s.%s", cannot, *cannot ? ". " : "",
				 item_list__words(&list), cost);
	else
		answer__headline(answer,
				 "%s: no collapse, no fall with size, no exception, no wide "
				 "interval%s.",
				 *cannot ? cannot : "Nothing outside the noise",
				 has_books(a) ? ", no unaccounted byte" : "");
}

void answer__unexpected(struct answer_text *answer, const struct analysis *a)
{
	struct count found[UNEXPECTED_NR] = {0};

	if (!analysis__has(a, METRIC_GBPS)) {
		answer__headline(answer, "Not measured: no run has a throughput.");
		return;
	}
	say_peaks(answer, a);
	found[UNEXPECTED_ZERO] = say_zero(answer, a);
	found[UNEXPECTED_COLLAPSE] = say_collapses(answer, a);
	found[UNEXPECTED_FALL] = say_falls(answer, a);
	say_exceptions(answer, a, MODE_ONECOPY, METRIC_GBPS, &found[UNEXPECTED_EXCEPTION]);
	say_exceptions(answer, a, MODE_ZEROCOPY, METRIC_GBPS, &found[UNEXPECTED_EXCEPTION]);
	say_exceptions(answer, a, MODE_ZEROCOPY, METRIC_LLC_MISSES, &found[UNEXPECTED_EXCEPTION]);
	found[UNEXPECTED_NOISE] = say_noise(answer, a);
	found[UNEXPECTED_BOOKS] = say_books(answer, a);
	answer->answered = true;
	headline_of(answer, a, found);
}
