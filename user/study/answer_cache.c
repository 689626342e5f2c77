/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer from counters: misses by mode and level. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "stage_findings.h"

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

/* The misses of one mode and level against those of two-copy, over all settings. */
struct misses {
	enum mode mode;
	const struct level *level;
	const char *of_what;
	double change; /* in the median setting */
	struct tally tally;
};

static struct misses misses_of(const struct analysis *a, enum mode mode, const struct level *level)
{
	bool per_kib = analysis__has(a, level->per_kib);
	struct misses x = {mode, level, per_kib ? "per KiB" : "of a whole run", 0, {0}};
	double *changes = xcalloc(a->cells_nr, sizeof(*changes));

	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		struct finding f = analysis__compare(a, cell, analysis__peer(a, cell, MODE_TWOCOPY),
						     per_kib ? level->per_kib : level->raw);

		if (cell->mode != mode || isnan(f.change))
			continue;
		changes[x.tally.of] = f.change;
		tally__add(&x.tally, &f);
	}
	x.change = estimate__of(changes, x.tally.of).median;
	free(changes);
	return x;
}

static void say_misses(struct answer_text *answer, const struct misses *x)
{
	const struct tally *t = &x->tally;

	if (t->untested == t->of)
		answer__point(answer,
			      "%s misses %s, %s against two-copy: %s in the median of %zu "
			      "setting%s (no difference is certain).",
			      x->level->name, x->of_what, phrases__mode(x->mode),
			      phrases__change(x->change).text, t->of, plural(t->of));
	else
		answer__point(answer,
			      "%s misses %s, %s against two-copy: lower in %zu of %zu setting%s, "
			      "higher in %zu, no difference in %zu.",
			      x->level->name, x->of_what, phrases__mode(x->mode), t->lower, t->of,
			      plural(t->of), t->higher, tally__unclear(t));
}

/* A percentage is stated only where most settings differ, or where nothing can be tested. */
static void say_best(struct answer_text *answer, const struct misses *best, bool all_rise)
{
	const struct tally *t = &best->tally;
	bool untested = t->untested == t->of, most = t->lower * 2 > t->of;

	answer->answered = (best->change < 0 && most) || all_rise;
	if (best->change < 0 && (most || untested))
		answer__headline(answer,
				 "%s%s%s, with %s: %s of the misses of two-copy %s, in the median "
				 "of the settings.",
				 untested ? answer__cannot_claim(answer->a).text : "",
				 untested ? "; the largest reduction is in " : "",
				 best->level->name, phrases__mode(best->mode),
				 phrases__change(best->change).text, best->of_what);
	else if (all_rise)
		answer__headline(answer, "None: the misses of both levels rise against two-copy "
					 "in most settings.");
	else
		answer__headline(answer,
				 "None outside the noise: no level has fewer misses than with "
				 "two-copy in most settings. The nearest is %s with %s, lower in "
				 "%zu of %zu.",
				 best->level->name, phrases__mode(best->mode), t->lower, t->of);
}

/* The copies a mode is spared, by stage. */
static void say_copies(struct answer_text *answer, enum mode mode, bool sampled)
{
	const struct analysis *a = answer->a;
	struct cell *x = analysis__peak(a, mode, METRIC_RX_BYTES);
	struct cell *y = x ? analysis__peer(a, x, MODE_TWOCOPY) : NULL;
	struct item_list list = {0};

	for (int stage = 0; y && stage < NIO_STAGE_NR; stage++) {
		enum metric m = METRIC_STAGE_CPB(stage);
		double less =
			analysis__estimate(a, x, m).median - analysis__estimate(a, y, m).median;

		if (stage__is_copy((enum nio_stage)stage) && fabs(less) > 0.005)
			item_list__add(&list, "%s %+.2f", stage__key((enum nio_stage)stage), less);
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
		       sampled ? "; the CPU time by stage is sampled" : "");
}

/* CPU time by stage, of each mode that was sampled. */
static void say_sampled(struct answer_text *answer, const struct stage_findings *stages)
{
	for (int mode = 0; mode < MODE_NR; mode++)
		stage_findings__say(answer, stages, (enum mode)mode);
}

/* Without hardware counters only CPU time remains, which does not answer a question on caches. */
static void say_cpu_time(struct answer_text *answer, const struct stage_findings *stages)
{
	const struct analysis *a = answer->a;
	struct cell *two = analysis__peak(a, MODE_TWOCOPY, METRIC_RX_BYTES);
	struct item_list savings = stage_findings__savings(stages);

	answer__headline(answer, "Not measured: %s.", analysis__reason(a, METRIC_L1D_MISSES));
	if (savings.nr)
		answer__headline(answer, "CPU samples show: %s.", item_list__words(&savings));
	say_sampled(answer, stages);
	for (enum mode mode = MODE_ONECOPY; two && mode < MODE_NR; mode++) {
		struct finding f = answer__compare(answer, analysis__peer(a, two, mode), two,
						   METRIC_CPU_NS_PER_KIB);

		if (f.difference != DIFFERENCE_UNKNOWN)
			answer__point(answer, "CPU time at %s: %s %s, two-copy %s (%s).",
				      phrases__size(two->size).text, phrases__mode(mode),
				      phrases__estimate(METRIC_CPU_NS_PER_KIB, &f.a).text,
				      phrases__estimate(METRIC_CPU_NS_PER_KIB, &f.b).text,
				      phrases__finding(&f).text);
	}
}

static void say_levels(struct answer_text *answer, const struct stage_findings *stages)
{
	size_t weighed = 0,
	       risen = 0; /* levels and modes; those with more misses in most settings */
	struct misses best = {0};

	for (enum mode mode = MODE_ONECOPY; mode < MODE_NR; mode++) {
		for (size_t i = 0; i < LEVELS_NR; i++) {
			struct misses x = misses_of(answer->a, mode, &levels[i]);

			if (!x.tally.of)
				continue;
			say_misses(answer, &x);
			weighed++;
			risen += x.tally.higher * 2 > x.tally.of;
			if (!best.level || x.change < best.change)
				best = x;
		}
	}
	if (!best.level) {
		answer__headline(answer, "Not measured: no setting has the misses of two-copy "
					 "and of another mode.");
		return;
	}
	say_best(answer, &best, risen == weighed);
	say_copies(answer, best.mode, stages->nr);
	say_sampled(answer, stages);
	for (enum mode mode = MODE_ONECOPY; mode < MODE_NR; mode++)
		for (size_t i = 0; i < LEVELS_NR; i++)
			answer__table(answer, mode, MODE_TWOCOPY, levels[i].raw);
}

void answer__cache(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct stage_findings stages;

	stage_findings__make(&stages, a);
	if (analysis__has(a, METRIC_L1D_MISSES) || analysis__has(a, METRIC_LLC_MISSES))
		say_levels(answer, &stages);
	else
		say_cpu_time(answer, &stages);
}
