/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unexpected findings: collapses, exceptions to a rule, unbalanced books, noise; each with the cost
 * that changes most, which does not prove a cause.
 */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"

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

/* How often something was found, and where it could have been. */
struct count {
	size_t nr, of;
};

/* 1: certainly higher, or higher in the only runs; -1: lower; 0: neither. */
static int direction_of(const struct finding *f)
{
	return finding__holds(f) || f->difference == DIFFERENCE_POINT ? f->sign : 0;
}

static const char *certainty(const struct finding *f)
{
	return f->difference == DIFFERENCE_POINT ? " (one run of one or both)" : "";
}

/* The cost that changes most between x and y, as a sentence. */
static struct phrase explain(struct answer_text *answer, struct cell *x, struct cell *y)
{
	const struct analysis *a = answer->a;
	/* Only a higher cost can explain a lower throughput, and vice versa. */
	int wanted = analysis__compare(a, x, y, METRIC_GBPS).change < 0 ? 1 : -1;
	bool no_payload = !analysis__has(a, METRIC_PAYLOAD);
	struct phrase p = {"No measured cost changes in the direction that would explain it."};
	double strength = log(FACTOR_WORTH_TELLING);
	enum metric m = METRIC_NR;

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct finding f = analysis__compare(a, x, y, costs[i].metric);

		if ((costs[i].raw && !no_payload) || direction_of(&f) != wanted ||
		    !(f.change > -1) || !(fabs(log1p(f.change)) > strength))
			continue;
		strength = fabs(log1p(f.change));
		m = costs[i].metric;
		p = phrases__of("The cost that changes most with it: %s, %s to %s (%s).",
				metric__words(m), phrases__value(m, f.b.median).text,
				phrases__value(m, f.a.median).text,
				phrases__factor(f.b.median, f.a.median).text);
	}
	if (m != METRIC_NR) {
		answer__cite(answer, x, m);
		answer__cite(answer, y, m);
	}
	return p;
}

static void say_throughput(struct answer_text *answer, const char *what, struct cell *cell)
{
	struct estimate e = analysis__estimate(answer->a, cell, METRIC_GBPS);

	if (!cell)
		return;
	answer__point(answer, "%s: %s: %s.", what, phrases__cell(cell).text,
		      phrases__estimate(METRIC_GBPS, &e).text);
	answer__cite(answer, cell, METRIC_GBPS);
}

static void say_peaks(struct answer_text *answer)
{
	for (int m = MODE_NR; m >= 0; m--)
		say_throughput(answer,
			       phrases__of("Highest throughput of %s",
					   m == MODE_NR ? "all" : phrases__mode((enum mode)m))
				       .text,
			       analysis__peak(answer->a, (enum mode)m, METRIC_GBPS));
}

/* A cell whose throughput is below `worth` times that of another cell that should be slower. */
static void say_drop(struct answer_text *answer, const char *what, struct cell *cell,
		     struct cell *other, double worth, struct count *found)
{
	struct finding f = analysis__compare(answer->a, cell, other, METRIC_GBPS);

	found->of += cell != other && f.difference != DIFFERENCE_UNKNOWN;
	if (cell == other || direction_of(&f) >= 0 || !(f.change < worth - 1))
		return;
	found->nr++;
	answer__point(answer, "%s: %s: %s; %s: %s%s. %s", what, phrases__cell(cell).text,
		      phrases__value(METRIC_GBPS, f.a.median).text,
		      cell->size == other->size ? phrases__threads(other->threads).text
						: phrases__size(other->size).text,
		      phrases__value(METRIC_GBPS, f.b.median).text, certainty(&f),
		      explain(answer, cell, other).text);
	answer__cite(answer, cell, METRIC_GBPS);
	answer__cite(answer, other, METRIC_GBPS);
}

/* A total throughput below that of the smallest thread count. */
static struct count say_collapses(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct count found = {0};

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++)
		say_drop(answer, "Collapse with more threads", x,
			 analysis__cell(a, x->mode, x->size, a->threads[0]), COLLAPSE_WORTH_TELLING,
			 &found);
	return found;
}

/* A larger message that is much slower than the next smaller one. */
static struct count say_falls(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct count found = {0};

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++)
		say_drop(answer, "Larger messages, lower throughput", x,
			 analysis__cell(a, x->mode, analysis__smaller(a, x->size), x->threads),
			 FALL_WORTH_TELLING, &found);
	return found;
}

static void say_exception(struct answer_text *answer, struct cell *cell, enum metric m,
			  const struct count *rare)
{
	struct cell *rival = analysis__peer(answer->a, cell, MODE_TWOCOPY);
	struct finding f = analysis__compare(answer->a, cell, rival, m);

	answer__point(answer,
		      "Exception (%zu of %zu setting%s): %s: %s %s, %s than the %s of two-copy "
		      "(%s)%s. %s",
		      rare->nr, rare->of, plural(rare->of), phrases__cell(cell).text,
		      metric__words(m), phrases__value(m, f.a.median).text,
		      f.sign > 0 ? "higher" : "lower", phrases__value(m, f.b.median).text,
		      phrases__change(f.change).text, certainty(&f),
		      explain(answer, cell, rival).text);
	answer__cite(answer, cell, m);
	answer__cite(answer, rival, m);
}

/* Cells where a metric of a mode changes in another direction than in nearly all others. */
static void say_exceptions(struct answer_text *answer, enum mode mode, enum metric m,
			   struct count *found)
{
	const struct analysis *a = answer->a;
	int *direction = xcalloc(a->cells_nr, sizeof(*direction)), rare;
	size_t higher = 0, lower = 0, said = 0;
	struct count t = {0};

	for (size_t i = 0; i < a->cells_nr; i++) {
		struct cell *x = &a->cells[i];
		struct finding f = analysis__compare(a, x, analysis__peer(a, x, MODE_TWOCOPY), m);

		if (x->mode != mode || f.difference == DIFFERENCE_UNKNOWN)
			continue;
		direction[i] = direction_of(&f);
		higher += direction[i] > 0;
		lower += direction[i] < 0;
		t.of++;
	}
	rare = higher < lower ? 1 : -1;
	t.nr = rare > 0 ? higher : lower;
	if (fmax((double)higher, (double)lower) >= RULE_SHARE * (double)t.of)
		for (size_t i = 0; i < a->cells_nr && said < EXCEPTIONS_MAX; i++)
			if (direction[i] == rare && ++said)
				say_exception(answer, &a->cells[i], m, &t);
	found->nr += said;
	found->of += t.of;
	free(direction);
}

static struct count say_books(struct answer_text *answer)
{
	static const struct {
		enum metric metric;
		const char *kept; /* the conclusion if it was 0 in all runs that have it */
	} checks[] = {
		{METRIC_UNACCOUNTED_TX, "no byte sent is unaccounted for"},
		{METRIC_UNACCOUNTED_RX, "no byte received is unaccounted for"},
		{METRIC_MISSED, "no event was missed"},
	};
	const struct dataset *d = answer->a->dataset;
	struct item_list kept = {0};
	struct count found = {0};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct count runs = {0};

		for (size_t r = 0; r < d->rows_nr; r++) {
			double value = d->rows[r].value[checks[i].metric];

			runs.of += !isnan(value);
			runs.nr += !isnan(value) && value != 0;
		}
		if (runs.nr)
			answer__point(answer,
				      "The books do not balance: %s is not 0 in %zu of %zu run%s.",
				      metric__words(checks[i].metric), runs.nr, runs.of,
				      plural(runs.of));
		else if (runs.of)
			item_list__add(&kept, "%s (%zu run%s)", checks[i].kept, runs.of,
				       plural(runs.of));
		found.nr += runs.nr != 0;
		found.of += runs.of != 0;
	}
	if (kept.nr)
		answer__point(answer, "The books balance: %s.", item_list__words(&kept));
	else if (!found.nr)
		answer__cannot(answer,
			       "Not shown: whether the books balance, because the data has no "
			       "ledger (%s).",
			       analysis__reason(answer->a, METRIC_UNACCOUNTED_TX));
	return found;
}

static struct count say_noise(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct count wide = {.of = a->cells_nr};
	struct cell *worst = NULL;
	double widest = 0;

	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		struct estimate e = analysis__estimate(a, cell, METRIC_GBPS);
		double width = estimate__has_interval(&e) ? (e.high - e.low) / e.median : 0;

		wide.nr += width > NOISE_WORTH_TELLING;
		if (width > widest) {
			worst = cell;
			widest = width;
		}
	}
	if (wide.nr)
		answer__point(answer,
			      "Wide intervals: in %zu of %zu cell%s the interval of throughput is "
			      "wider than %.0f %% of its median.",
			      wide.nr, wide.of, plural(wide.of), NOISE_WORTH_TELLING * 100);
	say_throughput(answer, "Widest interval of throughput", worst);
	return wide;
}

static struct count say_zero(struct answer_text *answer)
{
	const struct dataset *d = answer->a->dataset;
	struct count zero = {.of = d->rows_nr};

	for (size_t i = 0; i < d->rows_nr; i++)
		zero.nr += d->rows[i].value[METRIC_GBPS] == 0;
	if (zero.nr)
		answer__point(answer,
			      "Nothing arrived in %zu of %zu run%s: throughput 0, so that "
			      "no cost per byte exists there.",
			      zero.nr, zero.of, plural(zero.of));
	return zero;
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

static void say_found(struct answer_text *answer, const struct count found[UNEXPECTED_NR])
{
	static const char *const names[UNEXPECTED_NR] = {
		[UNEXPECTED_BOOKS] = "books that do not balance",
		[UNEXPECTED_ZERO] = "runs in which nothing arrived",
		[UNEXPECTED_COLLAPSE] = "collapse with more threads",
		[UNEXPECTED_FALL] = "fall with larger messages",
		[UNEXPECTED_EXCEPTION] = "cells against the rule",
		[UNEXPECTED_NOISE] = "wide intervals",
	};
	const struct analysis *a = answer->a;
	bool has_cost = found[UNEXPECTED_COLLAPSE].nr || found[UNEXPECTED_FALL].nr ||
			found[UNEXPECTED_EXCEPTION].nr;
	struct item_list list = {0};

	for (int i = 0; i < UNEXPECTED_NR; i++)
		if (found[i].nr)
			item_list__add(&list, "%s (%zu of %zu)", names[i], found[i].nr,
				       found[i].of);
	if (!answer__can_claim(a))
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	if (list.nr)
		answer__headline(answer, "Found: %s.", item_list__words(&list));
	else
		answer__headline(answer,
				 "%s: no collapse, no fall with size, no exception, no wide "
				 "interval%s.",
				 answer__can_claim(a) ? "Nothing outside the noise" : "Found",
				 analysis__has(a, METRIC_UNACCOUNTED_TX) &&
						 analysis__has(a, METRIC_UNACCOUNTED_RX)
					 ? ", no unaccounted byte"
					 : "");
	if (has_cost)
		answer__headline(answer, "Each is listed with the cost that changes most with it, "
					 "which is no proof of a cause.");
}

void answer__unexpected(struct answer_text *answer)
{
	struct count found[UNEXPECTED_NR] = {0};

	if (!analysis__has(answer->a, METRIC_GBPS)) {
		answer__headline(answer, "Not measured: no run has a throughput.");
		return;
	}
	say_peaks(answer);
	found[UNEXPECTED_ZERO] = say_zero(answer);
	found[UNEXPECTED_COLLAPSE] = say_collapses(answer);
	found[UNEXPECTED_FALL] = say_falls(answer);
	say_exceptions(answer, MODE_ONECOPY, METRIC_GBPS, &found[UNEXPECTED_EXCEPTION]);
	say_exceptions(answer, MODE_ZEROCOPY, METRIC_GBPS, &found[UNEXPECTED_EXCEPTION]);
	say_exceptions(answer, MODE_ZEROCOPY, METRIC_LLC_MISSES, &found[UNEXPECTED_EXCEPTION]);
	found[UNEXPECTED_NOISE] = say_noise(answer);
	found[UNEXPECTED_BOOKS] = say_books(answer);
	answer->answered = true;
	say_found(answer, found);
}
