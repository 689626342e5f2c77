/* SPDX-License-Identifier: GPL-2.0-only */
/* Each pair of modes by size, and the cheapest mode of each setting. */
#include <math.h>

#include "answer.h"
#include "common/units.h"
#include "leaders.h"

/* What is compared. */
struct pair {
	enum mode first, second;
	enum metric metric;
	bool by_medians; /* no comparison of the table is tested */
};

/* The first mode is better, worse, or neither, or too few rounds can say. */
enum side { SIDE_BETTER, SIDE_WORSE, SIDE_NEITHER, SIDE_UNTESTED, SIDE_NR };

static enum side side_of(const struct finding *f, const struct pair *pair)
{
	int better = leaders__better(f, pair->metric);

	if (finding__untested(f) && !pair->by_medians)
		return SIDE_UNTESTED;
	return better ? better > 0 ? SIDE_BETTER : SIDE_WORSE : SIDE_NEITHER;
}

/* The thread counts of a size that are on one side, and their changes. */
struct changes {
	size_t nr;
	double min, max;
};

static void add_item(struct item_list *list, uint64_t size, const struct changes *c, size_t of,
		     bool shown)
{
	struct phrase changes = {""}, counts = {""};

	if (!c->nr)
		return;
	if (shown)
		changes = phrases__of(" (%s)", phrases__range(c->min, c->max).text);
	if (c->nr < of)
		counts = phrases__of(" with %zu of %zu thread counts", c->nr, of);
	item_list__add(list, "%s%s%s", phrases__size(size).text, counts.text, changes.text);
}

/* Adds the size to the list of each side that one of its thread counts is on. Returns whether both
 * modes have the size. */
static bool add_size(struct item_list lists[SIDE_NR], const struct analysis *a,
		     const struct pair *pair, uint64_t size)
{
	struct changes at[SIDE_NR];
	size_t of = 0;

	for (enum side side = 0; side < SIDE_NR; side++)
		at[side] = (struct changes){0, INFINITY, -INFINITY};
	for (size_t t = 0; t < a->threads_nr; t++) {
		struct finding f = analysis__compare_modes(
			a, analysis__cell(a, pair->first, size, a->threads[t]),
			analysis__cell(a, pair->second, size, a->threads[t]), pair->metric);
		struct changes *c = &at[side_of(&f, pair)];

		if (f.difference == DIFFERENCE_UNKNOWN)
			continue;
		of++;
		c->nr++;
		c->min = fmin(c->min, f.change);
		c->max = fmax(c->max, f.change);
	}
	for (enum side side = 0; side < SIDE_NR; side++)
		add_item(&lists[side], size, &at[side], of, side < SIDE_NEITHER);
	return of;
}

/* A row of the table, with the lists of so many sides. False: no size has both modes. */
static bool put_pair(struct answer_text *answer, const struct pair *pair, enum side sides)
{
	const struct analysis *a = answer->a;
	struct item_list lists[SIDE_NR] = {{.nr = 0}};
	bool any = false;

	for (size_t s = 0; s < a->sizes_nr; s++)
		any |= add_size(lists, a, pair, a->sizes[s]);
	if (!any)
		return false;
	answer__put_all(answer, phrases__mode(pair->first), phrases__mode(pair->second));
	for (enum side side = 0; side < sides; side++)
		answer__put(answer, "%s", item_list__words(&lists[side]));
	return true;
}

/* How the comparisons of all pairs end. */
static struct tally tally_pairs(const struct analysis *a, enum metric m)
{
	struct tally t = {0};

	for (size_t i = 0; i < a->cells_nr; i++)
		for (enum mode second = 0; second < a->cells[i].mode; second++) {
			struct finding f = analysis__compare_modes(
				a, &a->cells[i], analysis__peer(a, &a->cells[i], second), m);

			tally__add(&t, &f);
		}
	return t;
}

/* Returns the number of pairs. */
static size_t put_pairs(struct answer_text *answer, enum metric m, const struct tally *t)
{
	bool cost = metric__better(m) == BETTER_LOWER, by_medians = t->untested == t->of;
	enum side sides = t->untested && !by_medians ? SIDE_NR : SIDE_UNTESTED;
	size_t nr = 0;

	answer__begin_table(answer, 2 + sides,
			    "Each pair by %s, at each message size%s:", metric__words(m),
			    by_medians ? " (no change is certain)" : "");
	answer__put_all(answer, "Way to send", "Against", cost ? "Cheaper at" : "Faster at",
			cost ? "Costs more at" : "Slower at", "No difference at");
	if (sides == SIDE_NR)
		answer__put(answer, "Too few rounds at");
	for (enum mode first = 0; first < MODE_NR; first++)
		for (enum mode second = 0; second < first; second++)
			nr += put_pair(answer, &(struct pair){first, second, m, by_medians}, sides);
	answer__end_table(answer);
	return nr;
}

void answer__pairs(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	enum metric cost = analysis__cost(a);
	struct tally t = tally_pairs(a, METRIC_GBPS), costs = tally_pairs(a, cost);
	size_t nr = put_pairs(answer, METRIC_GBPS, &t);

	if (!nr) {
		answer__headline(answer, "Not measured: no size and thread count has the "
					 "throughput of two modes.");
		return;
	}
	answer->answered = t.untested < t.of;
	answer__headline(answer, "%zu pair%s of ways to send %s compared.", nr, plural(nr),
			 nr == 1 ? "is" : "are");
	if (!answer->answered)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	if (!put_pairs(answer, cost, &costs) || costs.of < t.of)
		answer__cannot_compare_cost(answer, ", or where " SOFTIRQ_UNKNOWN);
}

/* The two cheapest modes of a setting. Returns how the second one compares with the first. */
static struct finding put_cheapest(struct answer_text *answer, uint64_t size, unsigned int threads,
				   enum mode best, enum metric m)
{
	const struct analysis *a = answer->a;
	struct cell *cell = analysis__cell(a, best, size, threads);
	enum mode second = leaders__best_median(a, size, threads, m, best);
	struct cell *next = analysis__cell(a, second, size, threads);
	struct finding f = analysis__compare_modes(a, next, cell, m);

	answer__put_all(answer, phrases__size(size).text, phrases__threads(threads).text,
			phrases__mode(best),
			phrases__value(m, analysis__estimate(a, cell, m).median).text);
	if (second == MODE_NR) {
		answer__put_all(answer, "none", "", "");
		return f;
	}
	answer__put_all(answer, phrases__mode(second),
			phrases__value(m, analysis__estimate(a, next, m).median).text);
	answer__put_finding(answer, &f);
	return f;
}

void answer__cheapest(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	enum metric m = analysis__cost(a);
	bool withheld = false;
	struct tally t = {0};

	if (!analysis__has(a, m)) {
		answer__headline(answer, "Not measured: %s.", analysis__reason(a, m));
		return;
	}
	answer__begin_table(answer, 7, "The cheapest way to send a message, by the median%s:",
			    answer__can_claim(a) ? "" : " (no change is certain)");
	answer__put_all(answer, "Message size", "Threads", "Cheapest", metric__words(m),
			"Runner-up", metric__words(m), "Runner-up costs");
	for (size_t s = 0; s < a->sizes_nr; s++)
		for (size_t i = 0; i < a->threads_nr; i++) {
			enum mode best =
				leaders__best_median(a, a->sizes[s], a->threads[i], m, MODE_NR);
			struct finding f;

			if (best == MODE_NR)
				continue;
			if (leaders__rank(a, a->sizes[s], a->threads[i], m).withheld) {
				withheld = true;
				answer__put_all(answer, phrases__size(a->sizes[s]).text,
						phrases__threads(a->threads[i]).text, "not known",
						"", "", "", SOFTIRQ_UNKNOWN);
				continue;
			}
			f = put_cheapest(answer, a->sizes[s], a->threads[i], best, m);
			tally__add(&t, &f);
		}
	answer__end_table(answer);
	answer->answered = t.untested < t.of;
	if (!answer->answered && withheld)
		answer__headline(answer, "Not known: %s.", SOFTIRQ_UNKNOWN);
	else if (!t.of)
		answer__headline(answer,
				 "Not measured: no size and thread count has the %s of two modes.",
				 metric__words(m));
	else if (!answer->answered)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	else
		answer__headline(answer,
				 "The runner-up costs more for certain in %zu of %zu setting%s.",
				 t.higher, t.of, plural(t.of));
}
