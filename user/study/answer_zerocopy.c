/* SPDX-License-Identifier: GPL-2.0-only */
/* Why zero-copy is not always the fastest: its cost, and whether it was copied. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "common/units.h"

/* A zero-copy cell against the faster of the other two modes. */
struct place {
	struct cell *cell, *rival;
	double change;
};

/* Zero-copy over all settings. */
struct standing {
	struct tally tally;
	struct place worst, best; /* relative to the rival; cell is NULL: no change is known */
};

static struct cell *rival_of(const struct analysis *a, const struct cell *zc)
{
	struct cell *two = analysis__peer(a, zc, MODE_TWOCOPY);
	struct cell *one = analysis__peer(a, zc, MODE_ONECOPY);
	struct estimate e2 = analysis__estimate(a, two, METRIC_GBPS);
	struct estimate e1 = analysis__estimate(a, one, METRIC_GBPS);

	if (!e1.n)
		return e2.n ? two : NULL;
	return !e2.n || e1.median > e2.median ? one : two;
}

static struct standing standing_of(const struct analysis *a)
{
	struct standing s = {0};

	for (struct cell *zc = a->cells; zc < a->cells + a->cells_nr; zc++) {
		struct cell *rival = zc->mode == MODE_ZEROCOPY ? rival_of(a, zc) : NULL;
		struct finding f = analysis__compare(a, zc, rival, METRIC_GBPS);
		struct place here = {zc, rival, f.change};

		if (!rival)
			continue;
		tally__add(&s.tally, &f);
		if (isnan(f.change))
			continue;
		if (!s.worst.cell || f.change < s.worst.change)
			s.worst = here;
		if (!s.best.cell || f.change > s.best.change)
			s.best = here;
	}
	return s;
}

/* "x 6.30 at 1 KiB": CPU time of zero-copy as a multiple of two-copy's, where they differ. */
static void say_cpu_time(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	struct item_list list = {0};

	for (size_t i = 0; i < a->sizes_nr; i++) {
		struct finding f = analysis__compare_modes(a, MODE_ZEROCOPY, MODE_TWOCOPY,
							   a->sizes[i], METRIC_CPU_NS_PER_KIB);

		if (finding__holds(&f) && (i == 0 || i == a->sizes_nr - 1))
			item_list__add(&list, "%s at %s", phrases__factor(1, f.change + 1).text,
				       phrases__size(a->sizes[i]).text);
	}
	if (list.nr)
		answer__headline(answer, "CPU time against two-copy: %s.", item_list__words(&list));
}

static void say_standing(struct answer_text *answer, const struct tally *t)
{
	if (t->untested == t->of)
		answer__headline(answer,
				 "%s: zero-copy is slower than the faster copying mode in %zu of "
				 "%zu setting%s (size x threads).",
				 answer__cannot_claim(answer->a).text, t->untested_lower, t->of,
				 plural(t->of));
	else
		answer__headline(answer,
				 "Zero-copy is slower than the faster copying mode in %zu of %zu "
				 "setting%s (size x threads), faster in %zu, no difference in %zu.",
				 t->lower, t->of, plural(t->of), t->higher, tally__unclear(t));
}

/* One number of the cell beside that of its rival. False: either is unknown. */
static bool say_number(struct answer_text *answer, const struct place *p, enum metric m,
		       const char *what, const char *where)
{
	struct finding f = answer__compare(answer, p->cell, p->rival, m);

	if (f.difference == DIFFERENCE_UNKNOWN)
		return false;
	answer__point(answer, "%s %s: %s against %s of %s (%s).", what, where,
		      phrases__estimate(m, &f.a).text, phrases__estimate(m, &f.b).text,
		      phrases__mode(p->rival->mode), phrases__finding(&f).text);
	return true;
}

static void say_place(struct answer_text *answer, const struct place *p, const char *what)
{
	say_number(answer, p, METRIC_GBPS, what, phrases__cell(p->cell).text);
}

static bool say_copies(struct answer_text *answer, struct cell *zc)
{
	struct item_list list = {0};

	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		struct estimate e = analysis__estimate(answer->a, zc, METRIC_STAGE_CPB(stage));

		if (!e.n || e.median <= 0)
			continue;
		item_list__add(&list, "%s %.2f", stage__key((enum nio_stage)stage), e.median);
		answer__cite(answer, zc, METRIC_STAGE_CPB(stage));
	}
	if (list.nr)
		answer__point(answer,
			      "Moves per payload byte there, by stage (tx_pin references pages, "
			      "the other stages copy): %s.",
			      item_list__words(&list));
	return list.nr;
}

/* Counters of whole runs cannot be compared before it is known how many bytes they are for. */
static const char *why_unexplained(const struct analysis *a)
{
	for (int c = 0; c < PERF_NR; c++)
		if (analysis__has(a, METRIC_PERF_BOTH(c)) && !analysis__has(a, METRIC_PAYLOAD))
			return "Not shown: why, because the data has no ledger, and costs per byte "
			       "need the length of the runs: give --duration.";
	return "Not shown: why, because the data has neither a ledger nor CPU times nor counters.";
}

/* What may explain the worst cell. */
static void explain(struct answer_text *answer, const struct place *worst)
{
	static const enum metric costs[] = {METRIC_CPU_NS_PER_KIB, METRIC_CYCLES_PER_BYTE,
					    METRIC_LLC_MISSES_PER_KIB,
					    METRIC_CONTEXT_SWITCHES_PER_GIB};
	double completed;
	bool known = answer__copied_fraction(answer->a, &completed) >= 0;

	if (!known)
		answer__cannot(answer, "Not shown: whether the kernel copied after all, because "
				       "the data does not count zero-copy completions.");
	known |= say_copies(answer, worst->cell);
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		known |= say_number(answer, worst, costs[i], "There,", metric__words(costs[i]));
	answer__cite(answer, worst->cell, METRIC_COMPLETION_P50);
	if (!known)
		answer__cannot(answer, "%s", why_unexplained(answer->a));
	answer->answered &= known;
}

void answer__zerocopy(struct answer_text *answer)
{
	struct standing s = standing_of(answer->a);
	char *copied;

	if (!s.tally.of) {
		answer__headline(answer, answer->a->has_mode[MODE_ZEROCOPY]
						 ? "Not measured: no size and thread count has the "
						   "throughput of zero-copy and of another mode."
						 : "Not measured: the data has no zero-copy run.");
		return;
	}
	answer->answered = s.tally.untested < s.tally.of;
	copied = answer__copied(answer->a);
	/* The cause first: the kernel's action, if the data has it. */
	if (copied)
		answer__headline(answer, "%s", copied);
	free(copied);
	say_cpu_time(answer);
	say_standing(answer, &s.tally);
	if (!s.worst.cell)
		return;
	/* Zero-copy may be ahead everywhere. */
	say_place(answer, &s.worst, s.worst.change < 0 ? "Largest deficit:" : "Smallest gain:");
	if (s.best.change > 0 && s.best.cell != s.worst.cell)
		say_place(answer, &s.best, "Largest gain:");
	explain(answer, &s.worst);
}
