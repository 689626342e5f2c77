/* SPDX-License-Identifier: GPL-2.0-only */
/* Why zero-copy is not always the fastest: its cost, and whether it was copied. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"

/* A mode that pins against the faster of those that copy, over all settings. */
struct standing {
	struct tally tally;
	struct cell *worst, *rival; /* the setting with the lowest change; NULL: none is known */
	double change;              /* there */
};

/* The copying mode with the highest median throughput; NULL: there is none. */
static struct cell *rival_of(const struct analysis *a, const struct cell *zc)
{
	struct cell *best = NULL;

	for (enum mode mode = 0; zc && mode < MODE_NR; mode++) {
		bool rival = mode__has(mode, MODE_COPIES) && !mode__has(mode, MODE_PINS);
		struct cell *cell = rival ? analysis__peer(a, zc, mode) : NULL;
		struct estimate e = analysis__estimate(a, cell, METRIC_GBPS);

		if (e.n && (!best || e.median > analysis__estimate(a, best, METRIC_GBPS).median))
			best = cell;
	}
	return best;
}

static void put_setting(struct answer_text *answer, struct cell *zc, struct standing *s)
{
	struct cell *rival = rival_of(answer->a, zc);
	struct finding f = analysis__compare(answer->a, zc, rival, METRIC_GBPS);

	tally__add(&s->tally, &f);
	if (!rival || f.difference == DIFFERENCE_UNKNOWN || f.difference == DIFFERENCE_NOISE)
		answer__put_finding(answer, &f);
	else
		answer__put(answer, "%s (%s)", phrases__change_of(&f).text,
			    phrases__mode(rival->mode));
	if (!rival || isnan(f.change) || (s->worst && f.change >= s->change))
		return;
	s->worst = zc;
	s->rival = rival;
	s->change = f.change;
}

static struct standing put_standing(struct answer_text *answer, enum mode mode)
{
	const struct analysis *a = answer->a;
	struct standing s = {0};

	answer__begin_table(
		answer, 1 + a->threads_nr,
		"Throughput of %s against the faster copying mode%s:", phrases__mode(mode),
		answer__can_claim(a) ? "" : " (no change is certain)");
	answer__put_threads(answer, "Message size");
	for (size_t i = 0; i < a->sizes_nr; i++) {
		answer__put(answer, "%s", phrases__size(a->sizes[i]).text);
		for (size_t t = 0; t < a->threads_nr; t++)
			put_setting(answer, analysis__cell(a, mode, a->sizes[i], a->threads[t]),
				    &s);
	}
	answer__end_table(answer);
	return s;
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

/* A number of the worst setting beside that of the rival. False: either is unknown, or both 0. */
static bool put_cost(struct answer_text *answer, const struct standing *s, enum metric m,
		     const char *what)
{
	struct finding f = analysis__compare(answer->a, s->worst, s->rival, m);

	if (f.difference == DIFFERENCE_UNKNOWN || (f.a.median == 0 && f.b.median == 0))
		return false;
	answer__put_all(answer, what, phrases__estimate(m, &f.a).text,
			phrases__estimate(m, &f.b).text);
	answer__put_finding(answer, &f);
	return true;
}

/* What may explain the worst setting. Returns whether anything does. */
static bool put_costs(struct answer_text *answer, const struct standing *s)
{
	static const enum metric costs[] = {METRIC_CPU_NS_PER_KIB, METRIC_CYCLES_PER_BYTE,
					    METRIC_LLC_MISSES_PER_KIB,
					    METRIC_CONTEXT_SWITCHES_PER_GIB};
	bool any = false;

	answer__begin_table(answer, 4,
			    "%s, %s:", s->change < 0 ? "Largest deficit" : "Smallest gain",
			    phrases__cell(s->worst).text);
	answer__put_all(answer, "Number", phrases__mode(s->worst->mode),
			phrases__mode(s->rival->mode), "Change");
	put_cost(answer, s, METRIC_GBPS, metric__words(METRIC_GBPS));
	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		bool copies = stage__is_copy((enum nio_stage)stage);
		struct phrase what =
			phrases__of("%s, %s per byte", stage__heading((enum nio_stage)stage),
				    copies ? "copies" : "references");

		any |= put_cost(answer, s, METRIC_STAGE_CPB(stage), what.text);
	}
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		any |= put_cost(answer, s, costs[i], metric__words(costs[i]));
	answer__end_table(answer);
	return any;
}

/* The answer for one mode that pins. */
static void answer_mode(struct answer_text *answer, enum mode mode)
{
	const struct analysis *a = answer->a;
	char *copied = answer__copied(a, mode);
	struct standing s = put_standing(answer, mode);
	const char *name = phrases__mode(mode);
	bool known = copied;

	if (!s.tally.of) {
		answer__drop_table(answer);
		answer__headline(answer,
				 "Not measured: no size and thread count has the throughput of %s "
				 "and of a mode that copies.",
				 name);
		free(copied);
		return;
	}
	/* The cause first: the kernel's action, if the data has it. */
	if (copied)
		answer__headline(answer, "%s", copied);
	else
		answer__cannot(answer,
			       "Not shown: whether the kernel copied after all, because %s.",
			       answer__why_uncounted(a, mode).text);
	free(copied);
	if (s.tally.untested == s.tally.of)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	answer__headline(
		answer, "%s is %s.", name,
		tally__words_lower(&s.tally, "slower than the faster copying mode", "faster").text);
	if (s.worst)
		known |= put_costs(answer, &s);
	if (!known)
		answer__cannot(answer, "%s", why_unexplained(a));
	answer->answered |= s.tally.untested < s.tally.of && known;
}

void answer__zerocopy(struct answer_text *answer)
{
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (mode__has(mode, MODE_PINS) && answer->a->has_mode[mode])
			answer_mode(answer, mode);
	if (!answer->headline)
		answer__headline(answer, "Not measured: the data has no zero-copy run.");
}
