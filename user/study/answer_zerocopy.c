/* SPDX-License-Identifier: GPL-2.0-only */
/* Why zero-copy is not always the fastest: its cost, and whether it was copied. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "phrases.h"

/* Zero-copy against the faster of the other two modes, cell by cell. */
struct standing {
	struct tally tally;
	struct cell *worst, *worst_rival; /* the cell where it is slowest, relative to its rival */
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

static void standing__add(struct standing *s, const struct finding *c, struct cell *zc,
			  struct cell *rival)
{
	tally__add(&s->tally, c);
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
	struct finding c;
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

/* Role of the worst cell: zero-copy may be ahead in all. */
static const char *worst_words(const struct standing *s)
{
	return s->worst_change < 0 ? "largest deficit" : "smallest gain";
}

/* One cell against its rival. */
static void say_place(struct answer_text *answer, const struct analysis *a, const char *what,
		      struct cell *zc, struct cell *rival)
{
	struct finding c = analysis__compare(a, zc, rival, METRIC_GBPS);
	char cell[PHRASE_BUF], change[4 * PHRASE_BUF], x[3 * PHRASE_BUF], y[3 * PHRASE_BUF];

	answer__point(answer, "%c%s: %s: %s against %s of %s (%s).", toupper(what[0]), what + 1,
		      phrases__cell(cell, sizeof(cell), zc),
		      phrases__estimate(x, sizeof(x), METRIC_GBPS, &c.a),
		      phrases__estimate(y, sizeof(y), METRIC_GBPS, &c.b),
		      phrases__mode(rival->mode), phrases__finding(change, sizeof(change), &c));
	answer__cite(answer, a, zc, METRIC_GBPS);
	answer__cite(answer, a, rival, METRIC_GBPS);
}

static void say_standing(struct answer_text *answer, const struct analysis *a,
			 const struct standing *s)
{
	say_place(answer, a, worst_words(s), s->worst, s->worst_rival);
	if (s->best_change > 0 && s->best != s->worst)
		say_place(answer, a, "largest gain", s->best, s->best_rival);
}

/* A cost in the worst cell, beside that of the compared mode. */
static bool say_cost(struct answer_text *answer, const struct analysis *a, const struct standing *s,
		     enum metric m)
{
	struct finding c = analysis__compare(a, s->worst, s->worst_rival, m);
	char change[4 * PHRASE_BUF], x[3 * PHRASE_BUF], y[3 * PHRASE_BUF];

	if (c.difference == DIFFERENCE_UNKNOWN)
		return false;
	answer__point(answer, "Its %s there: %s against %s of %s (%s).", metric__words(m),
		      phrases__estimate(x, sizeof(x), m, &c.a),
		      phrases__estimate(y, sizeof(y), m, &c.b), phrases__mode(s->worst_rival->mode),
		      phrases__finding(change, sizeof(change), &c));
	answer__cite(answer, a, s->worst, m);
	answer__cite(answer, a, s->worst_rival, m);
	return true;
}

static bool say_copies(struct answer_text *answer, const struct analysis *a, struct cell *zc)
{
	struct item_list list = {0};

	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		struct estimate e = analysis__estimate(a, zc, METRIC_STAGE_CPB(stage));

		if (!e.n || e.median <= 0)
			continue;
		item_list__add(&list, "%s %.2f", stage__key((enum nio_stage)stage), e.median);
		answer__cite(answer, a, zc, METRIC_STAGE_CPB(stage));
	}
	if (list.nr)
		answer__point(answer,
			      "Moves per payload byte there, by stage (tx_pin references pages, "
			      "the other stages copy): %s.",
			      item_list__words(&list));
	return list.nr;
}

static bool explain_zerocopy(struct answer_text *answer, const struct analysis *a,
			     const struct standing *s)
{
	static const enum metric costs[] = {METRIC_CPU_NS_PER_KIB, METRIC_CYCLES_PER_BYTE,
					    METRIC_LLC_MISSES_PER_KIB,
					    METRIC_CONTEXT_SWITCHES_PER_GIB};
	double completed;
	bool known = answer__copied_fraction(a, &completed) >= 0;

	if (!known)
		answer__cannot(answer, "Not shown: whether the kernel copied after all, because "
				       "the data does not count zero-copy completions.");
	known |= say_copies(answer, a, s->worst);
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		known |= say_cost(answer, a, s, costs[i]);
	answer__cite(answer, a, s->worst, METRIC_COMPLETION_P50);
	return known;
}

/* 100 % are all of them, and no rounding of fewer. */
static const char *share_words(char *buf, size_t len, double fraction)
{
	char number[PHRASE_BUF];

	if (fraction < 1 && fraction > 0.9999)
		snprintf(buf, len, "more than 99.99 %% (not all)");
	else
		snprintf(buf, len, "%s %%",
			 phrases__number(number, sizeof(number), fraction * 100));
	return buf;
}

/* The kernel's action: the first cause in the headline; nothing if the data lack it. */
static void put_honoured(FILE *f, const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char n[UNITS_BUF], share[PHRASE_BUF], runs[PHRASE_BUF], cause[4 * PHRASE_BUF];

	if (fraction < 0)
		return;
	format_count(n, sizeof(n), (uint64_t)completed);
	answer__counted_runs(runs, sizeof(runs), a);
	answer__copy_cause(cause, sizeof(cause), a);
	if (fraction == 0)
		fprintf(f, "The kernel copied none of %s zero-copy sends%s. ", n, runs);
	else if (fraction == 1)
		fprintf(f, "The kernel copied all %s zero-copy sends%s after all%s. ", n, runs,
			cause);
	else
		fprintf(f, "The kernel copied %s of %s zero-copy sends%s after all%s. ",
			share_words(share, sizeof(share), fraction), n, runs, cause);
}

/* "x 6.30 at 1 KiB": CPU time of zero-copy as a multiple of two-copy's, where they differ. */
static void list_cost(struct item_list *list, const struct analysis *a, uint64_t size)
{
	struct finding c = analysis__compare_modes(a, MODE_ZEROCOPY, MODE_TWOCOPY, size,
						   METRIC_CPU_NS_PER_KIB);
	char factor[PHRASE_BUF], at[UNITS_BUF];

	if (finding__holds(&c))
		item_list__add(list, "%s at %s",
			       phrases__factor(factor, sizeof(factor), 1, c.change + 1),
			       format_size(at, sizeof(at), size));
}

static void put_cost(FILE *f, const struct analysis *a)
{
	struct item_list list = {0};

	list_cost(&list, a, a->sizes[0]);
	if (a->sizes_nr > 1)
		list_cost(&list, a, a->sizes[a->sizes_nr - 1]);
	if (list.nr)
		fprintf(f, "CPU time against two-copy: %s. ", item_list__words(&list));
}

static void put_standing(FILE *f, const struct analysis *a, const struct standing *s)
{
	const struct tally *t = &s->tally;
	char cannot[PHRASE_BUF];

	if (t->untested == t->of)
		fprintf(f,
			"%s: zero-copy is slower than the faster copying mode in %zu of %zu "
			"setting%s (size x threads).",
			answer__cannot_claim(cannot, sizeof(cannot), a), t->of - t->untested_higher,
			t->of, plural(t->of));
	else
		fprintf(f,
			"Zero-copy is slower than the faster copying mode in %zu of %zu setting%s "
			"(size x threads), faster in %zu, no difference in %zu.",
			t->lower, t->of, plural(t->of), t->higher, tally__unclear(t));
}

/* The cause first: the kernel's action and its cost. */
static void headline(struct answer_text *answer, const struct analysis *a, const struct standing *s)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	put_honoured(f, a);
	put_cost(f, a);
	put_standing(f, a, s);
	xclose_memstream(f);
	answer__headline(answer, "%s", text);
	free(text);
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

void answer__zerocopy(struct answer_text *answer, const struct analysis *a)
{
	struct standing s = standing_of(a);

	if (!a->has_mode[MODE_ZEROCOPY]) {
		answer__headline(answer, "Not measured: the data has no zero-copy run.");
		return;
	}
	if (!s.tally.of) {
		answer__headline(answer, "Not measured: no size and thread count has the "
					 "throughput of zero-copy and of another mode.");
		return;
	}
	answer->answered = s.tally.untested < s.tally.of;
	headline(answer, a, &s);
	if (!s.worst)
		return;
	say_standing(answer, a, &s);
	if (!explain_zerocopy(answer, a, &s)) {
		answer__cannot(answer, "%s", why_unexplained(a));
		answer->answered = false;
	}
}
