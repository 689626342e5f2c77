/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer from counters: misses by mode and level; CPU time by class from samples. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
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

/* The misses of a mode, by level, compared with two-copy in all settings. */
struct misses {
	enum mode mode;
	const struct level *level; /* NULL: of none */
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

/* Most settings have to fall, or all levels to rise in most settings. */
static void answer_best(struct answer_text *answer, const struct misses *best, bool all_rise)
{
	const struct tally *t = &best->tally;
	bool untested = t->untested == t->of, falls = best->change < 0 && t->lower * 2 > t->of;
	struct phrase counts = tally__words_lower(t, "lower", "higher");

	answer->answered = falls || all_rise;
	if (untested)
		answer__headline(answer, "%s.", answer__cannot_claim(answer->a).text);
	if (falls || (untested && best->change < 0))
		answer__headline(answer,
				 "%s, with %s: %s of the misses of two-copy %s in the median "
				 "setting, %s.",
				 best->level->name, phrases__mode(best->mode),
				 phrases__change(best->change).text, best->of_what, counts.text);
	else
		answer__headline(answer, "None%s. The nearest is %s with %s: %s.",
				 all_rise ? ": the misses of all levels rise against two-copy in "
					    "most settings"
					  : " outside the noise: no level has fewer misses than "
					    "with two-copy in most settings",
				 best->level->name, phrases__mode(best->mode), counts.text);
}

/* From the ledger, at the setting of two-copy that received most bytes. */
static bool put_copies(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct cell *two = analysis__peak(a, MODE_TWOCOPY, METRIC_RX_BYTES);
	bool any = false;

	if (!two)
		return false;
	answer__begin_table(answer, 1 + a->modes_nr,
			    "Copies per byte by stage, from the ledger, at %s, %s:",
			    phrases__size(two->size).text, phrases__threads(two->threads).text);
	answer__put(answer, "Stage");
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (a->has_mode[mode])
			answer__put(answer, "%s", phrases__mode(mode));
	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		enum metric m = METRIC_STAGE_CPB(stage);

		if (!stage__is_copy((enum nio_stage)stage) || !analysis__has(a, m))
			continue;
		answer__put(answer, "%s", stage__heading((enum nio_stage)stage));
		for (enum mode mode = 0; mode < MODE_NR; mode++) {
			struct estimate e = analysis__estimate(a, analysis__peer(a, two, mode), m);

			if (!a->has_mode[mode])
				continue;
			answer__put(answer, "%s",
				    phrases__value(m, e.n ? e.median : (double)NAN).text);
			any |= e.n;
		}
	}
	answer__end_table(answer);
	return any;
}

/* Puts the best of all levels and modes first. */
static void answer_levels(struct answer_text *answer)
{
	struct misses best = {0};
	bool all_rise = true;

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		for (size_t i = 0; mode != MODE_TWOCOPY && i < LEVELS_NR; i++) {
			struct misses x = misses_of(answer->a, mode, &levels[i]);

			if (!x.tally.of)
				continue;
			all_rise &= x.tally.higher * 2 > x.tally.of;
			if (!best.level || x.change < best.change)
				best = x;
		}
	}
	if (!best.level) {
		answer__headline(answer, "Not measured: no setting has the misses of two-copy "
					 "and of another mode.");
		return;
	}
	answer_best(answer, &best, all_rise);
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		for (size_t i = 0; mode != MODE_TWOCOPY && i < LEVELS_NR; i++)
			answer__table(answer, mode, MODE_TWOCOPY, levels[i].raw);
	answer__cannot(answer, "Not shown: misses by stage, because the counters count a whole "
			       "side.");
}

void answer__cache(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct stage_findings stages;
	struct item_list savings;

	stage_findings__make(&stages, a);
	savings = stage_findings__savings(&stages);
	if (analysis__has(a, METRIC_L1D_MISSES) || analysis__has(a, METRIC_LLC_MISSES))
		answer_levels(answer);
	else
		answer__headline(answer, "Not measured: %s.",
				 analysis__reason(a, METRIC_L1D_MISSES));
	if (savings.nr)
		answer__headline(answer, "CPU samples show: %s.", item_list__words(&savings));
	stage_findings__table(answer, &stages);
	if (!put_copies(answer) && !stages.nr)
		answer__cannot(answer, "Not shown: from which stage the reduction comes, because "
				       "the data has neither a ledger nor CPU samples.");
}
