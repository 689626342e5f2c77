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
#define ROWS_MAX               12 /* of one kind, the largest changes */

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

/* "context switches per GiB x 12.3": the cost that changes most between x and y. */
static struct phrase explain(const struct analysis *a, struct cell *x, struct cell *y)
{
	/* Only a higher cost can explain a lower throughput, and vice versa. */
	int wanted = analysis__compare(a, x, y, METRIC_GBPS).change < 0 ? 1 : -1;
	bool no_payload = !analysis__has(a, METRIC_PAYLOAD);
	struct phrase p = {"none in this direction"};
	double strength = log(FACTOR_WORTH_TELLING);

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		enum metric m = costs[i].metric;
		struct finding f = analysis__compare(a, x, y, m);

		if ((costs[i].raw && !no_payload) || direction_of(&f) != wanted ||
		    !(f.change > -1) || !(fabs(log1p(f.change)) > strength))
			continue;
		strength = fabs(log1p(f.change));
		p = phrases__of("%s, %s to %s (%s)%s", metric__words(m),
				phrases__value(m, f.b.median).text,
				phrases__value(m, f.a.median).text,
				phrases__factor(f.b.median, f.a.median).text,
				f.softirq_decides ? SOFTIRQ_DECIDES : "");
	}
	return p;
}

static void put_throughput(struct answer_text *answer, const char *what, struct cell *cell)
{
	struct estimate e = analysis__estimate(answer->a, cell, METRIC_GBPS);

	if (cell)
		answer__put_all(answer, what, phrases__cell(cell).text,
				phrases__estimate(METRIC_GBPS, &e).text, "", "", "");
}

static void put_peaks(struct answer_text *answer)
{
	for (enum mode m = 0; m < MODE_NR; m++)
		put_throughput(answer,
			       phrases__of("Highest throughput of %s", phrases__mode(m)).text,
			       analysis__peak(answer->a, m, METRIC_GBPS));
}

/* Two cells that differ in a way that is worth a row. */
struct oddity {
	struct cell *cell, *other;
	struct finding f;
};

static int by_change(const void *pa, const void *pb)
{
	const struct oddity *a = pa, *b = pb;
	double x = fabs(a->f.change), y = fabs(b->f.change);
	int order = ORDER(y, x);

	return order ? order : ORDER(a->cell, b->cell);
}

/* "two-copy", "1 thread" or "16 KiB": in what the other cell differs. */
static struct phrase contrast(const struct cell *cell, const struct cell *other)
{
	if (cell->mode != other->mode)
		return phrases__of("%s", phrases__mode(other->mode));
	return cell->size == other->size ? phrases__threads(other->threads)
					 : phrases__size(other->size);
}

/* Rows of one kind, the largest changes first. */
static void put_oddities(struct answer_text *answer, const char *what, enum metric m,
			 struct oddity *list, size_t n)
{
	qsort(list, n, sizeof(*list), by_change);
	for (struct oddity *o = list; o < list + (n < ROWS_MAX ? n : ROWS_MAX); o++)
		answer__put_all(answer, what, phrases__cell(o->cell).text,
				phrases__of(m == METRIC_GBPS ? "%s" : "%s %s",
					    phrases__value(m, o->f.a.median).text, metric__words(m))
					.text,
				phrases__of("%s: %s", contrast(o->cell, o->other).text,
					    phrases__value(m, o->f.b.median).text)
					.text,
				phrases__finding(&o->f).text,
				explain(answer->a, o->cell, o->other).text);
}

typedef struct cell *other_cell(const struct analysis *a, const struct cell *cell);

static struct cell *with_fewest_threads(const struct analysis *a, const struct cell *cell)
{
	return analysis__cell(a, cell->mode, cell->size, a->threads[0]);
}

static struct cell *with_smaller_size(const struct analysis *a, const struct cell *cell)
{
	return analysis__cell(a, cell->mode, analysis__smaller(a, cell->size), cell->threads);
}

/* Cells whose throughput is below `worth` times that of another that should be slower. */
static struct count put_drops(struct answer_text *answer, const char *what, other_cell *find,
			      double worth)
{
	const struct analysis *a = answer->a;
	struct oddity *list = xcalloc(a->cells_nr, sizeof(*list));
	struct count found = {0};

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++) {
		struct cell *other = find(a, x);
		struct finding f = analysis__compare(a, x, other, METRIC_GBPS);

		if (x == other || f.difference == DIFFERENCE_UNKNOWN)
			continue;
		found.of++;
		if (direction_of(&f) < 0 && f.change < worth - 1)
			list[found.nr++] = (struct oddity){x, other, f};
	}
	put_oddities(answer, what, METRIC_GBPS, list, found.nr);
	free(list);
	return found;
}

/* Cells where a metric of a mode changes in another direction than in nearly all others. */
static void put_exceptions(struct answer_text *answer, enum mode mode, enum metric m,
			   struct count *found)
{
	const struct analysis *a = answer->a;
	struct oddity *up = xcalloc(a->cells_nr, sizeof(*up)), *down, *rare;
	size_t ups = 0, downs = 0, of = 0, n;

	down = xcalloc(a->cells_nr, sizeof(*down));
	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++) {
		struct cell *two = analysis__peer(a, x, MODE_TWOCOPY);
		struct finding f = analysis__compare(a, x, two, m);

		if (x->mode != mode || f.difference == DIFFERENCE_UNKNOWN)
			continue;
		of++;
		if (direction_of(&f) > 0)
			up[ups++] = (struct oddity){x, two, f};
		else if (direction_of(&f) < 0)
			down[downs++] = (struct oddity){x, two, f};
	}
	rare = ups < downs ? up : down;
	n = ups < downs ? ups : downs;
	if (fmax((double)ups, (double)downs) < RULE_SHARE * (double)of)
		n = 0;
	put_oddities(answer,
		     phrases__of("Against the rule (%zu of %zu setting%s)", n, of, plural(of)).text,
		     m, rare, n);
	found->nr += n;
	found->of += of;
	free(up);
	free(down);
}

static struct count put_books(struct answer_text *answer)
{
	static const struct {
		enum metric metric;
		const char *what;
	} checks[] = {
		{METRIC_UNACCOUNTED_TX, "Bytes sent that are unaccounted for"},
		{METRIC_UNACCOUNTED_RX, "Bytes received that are unaccounted for"},
		{METRIC_MISSED, "Missed events"},
	};
	const struct dataset *d = answer->a->dataset;
	struct count found = {0};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct count runs = {0};

		for (size_t r = 0; r < d->rows_nr; r++) {
			double value = d->rows[r].value[checks[i].metric];

			runs.of += !isnan(value);
			runs.nr += !isnan(value) && value != 0;
		}
		if (runs.of)
			answer__put_all(answer, checks[i].what,
					phrases__of("%zu run%s", runs.of, plural(runs.of)).text,
					runs.nr ? phrases__of("not 0 in %zu", runs.nr).text
						: "0 in all",
					"", "", "");
		found.nr += runs.nr != 0;
		found.of += runs.of != 0;
	}
	if (!found.of)
		answer__cannot(answer,
			       "Not shown: whether the books balance, because the data has no "
			       "ledger (%s).",
			       analysis__reason(answer->a, METRIC_UNACCOUNTED_TX));
	return found;
}

static struct count put_noise(struct answer_text *answer)
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
	put_throughput(answer, "Widest interval of throughput", worst);
	return wide;
}

static struct count put_zero(struct answer_text *answer)
{
	const struct dataset *d = answer->a->dataset;
	struct count zero = {.of = d->rows_nr};

	for (size_t i = 0; i < d->rows_nr; i++)
		zero.nr += d->rows[i].value[METRIC_GBPS] == 0;
	if (zero.nr)
		answer__put_all(
			answer, "Nothing arrived",
			phrases__of("%zu of %zu run%s", zero.nr, zero.of, plural(zero.of)).text,
			phrases__value(METRIC_GBPS, 0).text, "", "", "");
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

static void answer_found(struct answer_text *answer, const struct count found[UNEXPECTED_NR])
{
	static const char *const names[UNEXPECTED_NR] = {
		[UNEXPECTED_BOOKS] = "books that do not balance",
		[UNEXPECTED_ZERO] = "runs in which nothing arrived",
		[UNEXPECTED_COLLAPSE] = "collapse with more threads",
		[UNEXPECTED_FALL] = "fall with larger messages",
		[UNEXPECTED_EXCEPTION] = "cells against the rule",
		[UNEXPECTED_NOISE] = "intervals of throughput wider than 20 %",
	};
	const struct analysis *a = answer->a;
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
		answer__headline(
			answer,
			"Nothing%s: no collapse, no fall with size, no cell against the rule.",
			answer__can_claim(a) ? " outside the noise" : "");
	if (found[UNEXPECTED_COLLAPSE].nr || found[UNEXPECTED_FALL].nr ||
	    found[UNEXPECTED_EXCEPTION].nr)
		answer__cannot(answer, "The cost that changes most with a finding is no proof of "
				       "its cause.");
}

void answer__unexpected(struct answer_text *answer)
{
	struct count found[UNEXPECTED_NR] = {0};
	struct count *exceptions = &found[UNEXPECTED_EXCEPTION];

	if (!analysis__has(answer->a, METRIC_GBPS)) {
		answer__headline(answer, "Not measured: no run has a throughput.");
		return;
	}
	/* Texts are empty where something does not apply. */
	answer__begin_table(answer, 6, "Peaks and findings%s:",
			    answer__can_claim(answer->a) ? "" : " (no change is certain)");
	answer__put_all(answer, "What", "Where", "Value", "Against", "Change",
			"Cost that changes most with it");
	put_peaks(answer);
	found[UNEXPECTED_ZERO] = put_zero(answer);
	found[UNEXPECTED_COLLAPSE] = put_drops(answer, "Collapse with more threads",
					       with_fewest_threads, COLLAPSE_WORTH_TELLING);
	found[UNEXPECTED_FALL] = put_drops(answer, "Larger messages, lower throughput",
					   with_smaller_size, FALL_WORTH_TELLING);
	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		if (mode != MODE_TWOCOPY)
			put_exceptions(answer, mode, METRIC_GBPS, exceptions);
		if (mode__has(mode, MODE_PINS))
			put_exceptions(answer, mode, METRIC_LLC_MISSES, exceptions);
	}
	found[UNEXPECTED_NOISE] = put_noise(answer);
	found[UNEXPECTED_BOOKS] = put_books(answer);
	answer__end_table(answer);
	answer->answered = true;
	answer_found(answer, found);
}
