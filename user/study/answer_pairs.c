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
};

/* Adds the size if the first mode is better (side 1), worse (-1), or neither (0) at one of its
 * thread counts, with the changes. Returns whether both modes have the size. */
static bool add_size(struct item_list *list, const struct analysis *a, const struct pair *pair,
		     uint64_t size, int side)
{
	double min = INFINITY, max = -INFINITY;
	size_t of = 0, nr = 0;
	struct phrase changes = {""}, counts = {""};

	for (size_t t = 0; t < a->threads_nr; t++) {
		struct finding f = analysis__compare(
			a, analysis__cell(a, pair->first, size, a->threads[t]),
			analysis__cell(a, pair->second, size, a->threads[t]), pair->metric);

		of += f.difference != DIFFERENCE_UNKNOWN;
		if (f.difference == DIFFERENCE_UNKNOWN || leaders__better(&f, pair->metric) != side)
			continue;
		nr++;
		min = fmin(min, f.change);
		max = fmax(max, f.change);
	}
	if (!nr)
		return of;
	if (side)
		changes = phrases__of(" (%s)", phrases__range(min, max).text);
	if (nr < of)
		counts = phrases__of(" with %zu of %zu thread counts", nr, of);
	item_list__add(list, "%s%s%s", phrases__size(size).text, counts.text, changes.text);
	return true;
}

/* A row of the table. False: no size has both modes. */
static bool put_pair(struct answer_text *answer, const struct pair *pair)
{
	static const int sides[] = {1, -1, 0};
	const struct analysis *a = answer->a;
	struct item_list lists[3] = {{.nr = 0}};
	bool any = false;

	for (size_t i = 0; i < 3; i++)
		for (size_t s = 0; s < a->sizes_nr; s++)
			any |= add_size(&lists[i], a, pair, a->sizes[s], sides[i]);
	if (!any)
		return false;
	answer__put_all(answer, phrases__mode(pair->first), phrases__mode(pair->second));
	for (size_t i = 0; i < 3; i++)
		answer__put(answer, "%s", item_list__words(&lists[i]));
	return true;
}

/* Returns the number of pairs. */
static size_t put_pairs(struct answer_text *answer, enum metric m)
{
	bool cost = metric__better(m) == BETTER_LOWER;
	size_t nr = 0;

	answer__begin_table(answer, 5, "Each pair by %s, at each message size%s:", metric__words(m),
			    answer__can_claim(answer->a) ? "" : " (no change is certain)");
	answer__put_all(answer, "Way to send", "Against", cost ? "Cheaper at" : "Faster at",
			cost ? "Costs more at" : "Slower at", "No difference at");
	for (enum mode first = 0; first < MODE_NR; first++)
		for (enum mode second = 0; second < first; second++)
			nr += put_pair(answer, &(struct pair){first, second, m});
	answer__end_table(answer);
	return nr;
}

void answer__pairs(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	size_t nr = put_pairs(answer, METRIC_GBPS);

	if (!nr) {
		answer__headline(answer, "Not measured: no size and thread count has the "
					 "throughput of two modes.");
		return;
	}
	answer->answered = answer__can_claim(a);
	answer__headline(answer, "%zu pair%s of ways to send %s compared.", nr, plural(nr),
			 nr == 1 ? "is" : "are");
	if (!answer->answered)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	if (!put_pairs(answer, analysis__cost(a)))
		answer__cannot(answer, "Not shown: CPU time, which the data set does not have.");
}

/* The two cheapest modes of a setting. Returns how the second one compares with the first. */
static struct finding put_cheapest(struct answer_text *answer, uint64_t size, unsigned int threads,
				   enum mode best, enum metric m)
{
	const struct analysis *a = answer->a;
	struct cell *cell = analysis__cell(a, best, size, threads);
	enum mode second = leaders__best_median(a, size, threads, m, best);
	struct cell *next = analysis__cell(a, second, size, threads);
	struct finding f = analysis__compare(a, next, cell, m);

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
			f = put_cheapest(answer, a->sizes[s], a->threads[i], best, m);
			tally__add(&t, &f);
		}
	answer__end_table(answer);
	answer->answered = t.untested < t.of;
	if (!t.of)
		answer__headline(answer, "Only one way to send was measured.");
	else if (!answer->answered)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	else
		answer__headline(answer,
				 "The runner-up costs more for certain in %zu of %zu setting%s.",
				 t.higher, t.of, plural(t.of));
}
