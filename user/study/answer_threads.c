/* SPDX-License-Identifier: GPL-2.0-only */
/* The effect of more threads: the limit by CPUs, the best thread count, then counters. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "first_screen.h"

/* Metrics that may change with the thread count. */
static const struct factor_row {
	const char *what;
	enum metric metric;
	bool inverse;    /* the inverse of the metric is stated */
	bool per_thread; /* the metric is of all threads together */
} rows[] = {
	{"throughput per thread", METRIC_GBPS_PER_THREAD, false, false},
	{"LLC misses per KiB", METRIC_LLC_MISSES_PER_KIB, false, false},
	{"LLC misses per thread", METRIC_LLC_MISSES, false, true},
	{"bytes per cycle", METRIC_CYCLES_PER_BYTE, true, false},
	{"context switches per GiB", METRIC_CONTEXT_SWITCHES_PER_GIB, false, false},
	{"delivery latency", METRIC_DELIVERY_P50, false, false},
	{"recv call", METRIC_RECV_P50, false, false},
};

static unsigned int fewest(const struct answer_text *answer)
{
	return answer->a->threads[0];
}

static unsigned int most(const struct answer_text *answer)
{
	return answer->a->threads[answer->a->threads_nr - 1];
}

/* A metric with many threads as a multiple of that with the fewest, where a setting has both. */
struct factors {
	double median; /* over the settings */
	struct tally tally;
};

/* mode: MODE_NR of all. */
static struct factors factors_of(struct answer_text *answer, enum mode mode, enum metric m,
				 unsigned int threads)
{
	const struct analysis *a = answer->a;
	double *values = xcalloc(a->cells_nr, sizeof(double));
	struct factors f = {0};

	for (struct cell *many = a->cells; many < a->cells + a->cells_nr; many++) {
		struct cell *few = analysis__cell(a, many->mode, many->size, fewest(answer));
		struct finding c;

		if (many->threads != threads || (mode != MODE_NR && many->mode != mode))
			continue;
		c = analysis__compare(a, many, few, m);
		if (c.difference == DIFFERENCE_UNKNOWN || !(c.change > -1))
			continue;
		values[f.tally.of] = c.change + 1;
		tally__add(&f.tally, &c);
		answer__cite(answer, few, m);
		answer__cite(answer, many, m);
	}
	f.median = estimate__of(values, f.tally.of).median;
	free(values);
	return f;
}

/* "two-copy with 8 threads against 1, median of 4 sizes: throughput per thread x 0.13, ..." */
static void say_factors(struct answer_text *answer, enum mode mode)
{
	struct item_list list = {0};
	size_t sizes = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct factors f = factors_of(answer, mode, rows[i].metric, most(answer));
		double median = rows[i].inverse ? 1 / f.median : f.median;

		if (rows[i].per_thread)
			median *= (double)fewest(answer) / most(answer);
		if (f.tally.of && isfinite(median))
			item_list__add(&list, "%s %s", rows[i].what,
				       phrases__factor(1, median).text);
		sizes = f.tally.of > sizes ? f.tally.of : sizes;
	}
	if (list.nr)
		answer__point(answer, "%s with %u threads against %u, median of %zu size%s: %s.",
			      phrases__mode(mode), most(answer), fewest(answer), sizes,
			      plural(sizes), item_list__words(&list));
}

/* The cell of a mode with the highest throughput: its thread count is the mode's best. */
static void say_peak(struct answer_text *answer, enum mode mode)
{
	struct cell *peak = analysis__peak(answer->a, mode, METRIC_GBPS);
	struct estimate e = analysis__estimate(answer->a, peak, METRIC_GBPS);

	if (!peak)
		return;
	answer__point(answer, "%s has its highest total with %s: %s at %s.", phrases__mode(mode),
		      phrases__threads(peak->threads).text, phrases__estimate(METRIC_GBPS, &e).text,
		      phrases__size(peak->size).text);
	answer__cite(answer, peak, METRIC_GBPS);
}

/* cpus: of the senders; 0: unknown. */
static void say_ceiling(struct answer_text *answer, unsigned int cpus, bool pinned)
{
	unsigned int many = most(answer);

	if (!cpus)
		answer__headline(answer,
				 "The number of usable CPUs is unknown, and so is the ceiling of "
				 "the throughput per thread: the data set does not say it.");
	else if (many > cpus)
		answer__headline(answer,
				 "%u %s threads share %u CPU%s%s: a thread has at most %u/%u "
				 "(%.3g) of a CPU, which is the ceiling of its throughput.",
				 many, pinned ? "sender" : "sender and as many receiver", cpus,
				 plural(cpus), pinned ? "" : " of the machine", cpus, many,
				 (double)cpus / many);
	else
		answer__headline(answer,
				 "Up to %u threads each sender thread has a CPU of its own (%u).",
				 many, cpus);
}

/* Where the rounds can tell, only totals that are higher somewhere are better. */
static void say_best(struct answer_text *answer)
{
	bool can_claim = answer__can_claim(answer->a);
	struct phrase few = phrases__threads(fewest(answer));
	struct factors best = {.median = 1};
	unsigned int threads = 0;

	for (size_t i = 1; i < answer->a->threads_nr; i++) {
		struct factors f = factors_of(answer, MODE_NR, METRIC_GBPS, answer->a->threads[i]);

		if (f.median > best.median && (f.tally.higher || !can_claim)) {
			best = f;
			threads = answer->a->threads[i];
		}
	}
	if (!threads)
		answer__headline(answer,
				 "The total is best with %s: no more threads have a higher one.",
				 few.text);
	else
		answer__headline(answer,
				 "The total is best with %s: %s of that with %s (median)%s.",
				 phrases__threads(threads).text,
				 phrases__factor(1, best.median).text, few.text,
				 can_claim ? phrases__of(", higher in %zu of %zu combination%s of "
							 "mode and size",
							 best.tally.higher, best.tally.of,
							 plural(best.tally.of))
						     .text
					   : "");
}

static void say_per_thread(struct answer_text *answer, const struct factors *own)
{
	const struct tally *t = &own->tally;

	answer__headline(answer,
			 "With %u threads throughput per thread is %s of that with %u (median of "
			 "%zu combination%s of mode and size).",
			 most(answer), phrases__factor(1, own->median).text, fewest(answer), t->of,
			 plural(t->of));
	if (answer__can_claim(answer->a))
		answer__headline(answer,
				 "Lower in %zu of %zu, higher in %zu, no difference in %zu.",
				 t->lower, t->of, t->higher, tally__unclear(t));
	else
		answer__headline(answer, "%s.", answer__cannot_claim(answer->a).text);
}

static void say_cannot(struct answer_text *answer, unsigned int cpus)
{
	const struct analysis *a = answer->a;

	if (!analysis__has(a, METRIC_LLC_MISSES))
		answer__cannot(answer,
			       "Not shown: cache contention, because LLC misses were not "
			       "measured (%s).",
			       analysis__reason(a, METRIC_LLC_MISSES));
	else if (!cpus || most(answer) > cpus)
		answer__cannot(answer, "Not shown: cache contention, because threads %s.",
			       cpus ? "wait for a CPU as well"
				    : "may wait for a CPU as well (the number of CPUs is unknown)");
	else
		answer__cannot(answer, "Misses that change with the thread count are no proof of "
				       "contention: the data shows that they change together.");
	if (analysis__has(a, METRIC_RECV_P50))
		answer__cannot(answer, "The time of a recv call is not copy time alone: a receiver "
				       "thread with one connection waits for data in it.");
	else
		answer__cannot(answer, "Not shown: recv call, n/a (%s).",
			       analysis__reason(a, METRIC_RECV_P50));
}

void answer__threads(struct answer_text *answer)
{
	struct factors own;
	unsigned int cpus;
	bool pinned;

	if (answer->a->threads_nr < 2) {
		answer__headline(answer, "Not measured: the data has one thread count only.");
		return;
	}
	own = factors_of(answer, MODE_NR, METRIC_GBPS_PER_THREAD, most(answer));
	if (!own.tally.of) {
		answer__headline(answer,
				 "Not measured: no mode and size has a throughput above 0 "
				 "with both %u and %u threads.",
				 fewest(answer), most(answer));
		return;
	}
	cpus = first_screen__sender_cpus(answer->a->dataset, &pinned);
	say_ceiling(answer, cpus, pinned);
	say_best(answer);
	say_per_thread(answer, &own);
	answer->answered = answer__can_claim(answer->a);
	say_cannot(answer, cpus);
	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		say_factors(answer, mode);
		say_peak(answer, mode);
	}
}
