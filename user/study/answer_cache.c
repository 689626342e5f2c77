/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer from counters: misses by mode and level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "stage_findings.h"
#include "phrases.h"

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

/* The median change of a number against two-copy, over all cells of a mode. */
static double median_change(const struct analysis *a, enum mode mode, enum metric m,
			    struct tally *t)
{
	double *values = xcalloc(a->cells_nr, sizeof(*values)), median;

	*t = (struct tally){0};
	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		struct finding x;

		if (cell->mode != mode)
			continue;
		x = analysis__compare(
			a, cell, analysis__cell(a, MODE_TWOCOPY, cell->size, cell->threads), m);
		if (isnan(x.change))
			continue;
		values[t->of] = x.change;
		tally__add(t, &x);
	}
	median = estimate__of(values, t->of).median;
	free(values);
	return median;
}

struct best_level {
	const struct level *level;
	enum mode mode;
	double change; /* in the median setting */
	bool per_kib;
	struct tally tally;
	size_t weighed, risen; /* levels and modes; those with more misses in most settings */
};

static const char *of_what(bool per_kib)
{
	return per_kib ? "per KiB" : "of a whole run";
}

static void weigh_level(struct answer_text *answer, const struct analysis *a, enum mode mode,
			const struct level *level, struct best_level *best)
{
	bool per_kib = analysis__has(a, level->per_kib);
	char text[PHRASE_BUF];
	struct tally t;
	double median = median_change(a, mode, per_kib ? level->per_kib : level->raw, &t);

	if (!t.of)
		return;
	if (t.untested == t.of)
		answer__point(answer,
			      "%s misses %s, %s against two-copy: %s in the median of %zu "
			      "setting%s (no difference is certain).",
			      level->name, of_what(per_kib), phrases__mode(mode),
			      phrases__change(text, sizeof(text), median), t.of, plural(t.of));
	else
		answer__point(answer,
			      "%s misses %s, %s against two-copy: lower in %zu of %zu setting%s, "
			      "higher in %zu, no difference in %zu.",
			      level->name, of_what(per_kib), phrases__mode(mode), t.lower, t.of,
			      plural(t.of), t.higher, tally__unclear(&t));
	best->weighed++;
	best->risen += t.higher * 2 > t.of;
	if (!best->level || median < best->change) {
		best->level = level;
		best->mode = mode;
		best->change = median;
		best->per_kib = per_kib;
		best->tally = t;
	}
}

/* The copies a mode is spared, by stage. */
static void say_stage(struct answer_text *answer, const struct analysis *a, enum mode mode,
		      const struct stage_findings *stages)
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
		answer__cannot(answer, "Not shown: from which stage the reduction comes, because "
				       "the data has no ledger of both modes.");
		return;
	}
	answer__point(answer, "Copies per byte of %s less those of two-copy, from the ledger: %s.",
		      phrases__mode(mode), item_list__words(&list));
	answer__cannot(answer,
		       "Not shown: misses by stage, because the counters count a whole side%s.",
		       stages->nr ? "; the CPU time by stage is sampled" : "");
}

/* CPU time by stage, of each mode that was sampled. */
static void say_sampled(struct answer_text *answer, const struct analysis *a,
			const struct stage_findings *stages)
{
	for (int mode = 0; mode < MODE_NR; mode++)
		stage_findings__say(answer, a, stages, (enum mode)mode);
}

/* A percentage is stated only where most settings differ, or where nothing can be tested. */
static void headline_of_level(struct answer_text *answer, const struct analysis *a,
			      const struct best_level *best)
{
	const struct tally *t = &best->tally;
	bool untested = t->untested == t->of, most = t->lower * 2 > t->of;
	char change[PHRASE_BUF], cannot[PHRASE_BUF];

	answer->answered = (best->change < 0 && most) || best->risen == best->weighed;
	phrases__change(change, sizeof(change), best->change);
	if (best->change < 0 && (most || untested))
		answer__headline(answer,
				 "%s%s%s, with %s: %s of the misses of two-copy %s, in the median "
				 "of the settings.",
				 untested ? answer__cannot_claim(cannot, sizeof(cannot), a) : "",
				 untested ? "; the largest reduction is in " : "",
				 best->level->name, phrases__mode(best->mode), change,
				 of_what(best->per_kib));
	else if (best->risen == best->weighed)
		answer__headline(answer, "None: the misses of both levels rise against two-copy "
					 "in most settings.");
	else
		answer__headline(answer,
				 "None outside the noise: no level has fewer misses than with "
				 "two-copy in most settings. The nearest is %s with %s, lower in "
				 "%zu of %zu.",
				 best->level->name, phrases__mode(best->mode), t->lower, t->of);
}

/* Without hardware counters only CPU time remains, which does not answer a question on caches. */
static void say_no_counters(struct answer_text *answer, const struct analysis *a,
			    const struct stage_findings *stages)
{
	struct cell *cell = analysis__peak(a, MODE_TWOCOPY, METRIC_RX_BYTES);
	enum mode mode;
	struct finding c;
	char x[3 * PHRASE_BUF], y[3 * PHRASE_BUF], change[3 * PHRASE_BUF], size[UNITS_BUF];
	char savings[4 * PHRASE_BUF];

	stage_findings__savings(savings, sizeof(savings), stages);
	answer__headline(answer, "Not measured: %s.%s%s%s", analysis__reason(a, METRIC_L1D_MISSES),
			 *savings ? " CPU samples show:" : "", savings, *savings ? "." : "");
	say_sampled(answer, a, stages);
	for (mode = MODE_ONECOPY; cell && mode < MODE_NR; mode++) {
		c = analysis__compare(a, analysis__cell(a, mode, cell->size, cell->threads), cell,
				      METRIC_CPU_NS_PER_KIB);
		if (c.difference == DIFFERENCE_UNKNOWN)
			continue;
		answer__point(answer, "CPU time at %s: %s %s, two-copy %s (%s).",
			      format_size(size, sizeof(size), cell->size), phrases__mode(mode),
			      phrases__estimate(x, sizeof(x), METRIC_CPU_NS_PER_KIB, &c.a),
			      phrases__estimate(y, sizeof(y), METRIC_CPU_NS_PER_KIB, &c.b),
			      phrases__finding(change, sizeof(change), &c));
		answer__cite(answer, a, analysis__cell(a, mode, cell->size, cell->threads),
			     METRIC_CPU_NS_PER_KIB);
		answer__cite(answer, a, cell, METRIC_CPU_NS_PER_KIB);
	}
}

static void say_levels(struct answer_text *answer, const struct analysis *a,
		       const struct stage_findings *stages)
{
	struct best_level best = {0};
	enum mode mode;
	size_t i;

	for (mode = MODE_ONECOPY; mode < MODE_NR; mode++)
		for (i = 0; i < LEVELS_NR; i++)
			weigh_level(answer, a, mode, &levels[i], &best);
	if (!best.level) {
		answer__headline(answer, "Not measured: no setting has the misses of two-copy "
					 "and of another mode.");
		return;
	}
	headline_of_level(answer, a, &best);
	say_stage(answer, a, best.mode, stages);
	say_sampled(answer, a, stages);
	for (mode = MODE_ONECOPY; mode < MODE_NR; mode++)
		for (i = 0; i < LEVELS_NR; i++)
			answer__table(answer, a, mode, MODE_TWOCOPY, levels[i].raw);
}

void answer__cache(struct answer_text *answer, const struct analysis *a)
{
	struct stage_findings stages;

	stage_findings__make(&stages, a);
	if (!analysis__has(a, METRIC_L1D_MISSES) && !analysis__has(a, METRIC_LLC_MISSES))
		say_no_counters(answer, a, &stages);
	else
		say_levels(answer, a, &stages);
}
