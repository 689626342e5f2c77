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
	{"L1D misses per KiB", METRIC_L1D_MISSES_PER_KIB, false, false},
	{"LLC misses per KiB", METRIC_LLC_MISSES_PER_KIB, false, false},
	{"L1D misses per thread", METRIC_L1D_MISSES, false, true},
	{"LLC misses per thread", METRIC_LLC_MISSES, false, true},
	{"bytes per cycle", METRIC_CYCLES_PER_BYTE, true, false},
	{"context switches per GiB", METRIC_CONTEXT_SWITCHES_PER_GIB, false, false},
	{"delivery latency", METRIC_DELIVERY_P50, false, false},
	{"recv call", METRIC_RECV_P50, false, false},
};

static unsigned int fewest(const struct analysis *a)
{
	return a->threads[0];
}

static unsigned int most(const struct analysis *a)
{
	return a->threads[a->threads_nr - 1];
}

/* A metric with many threads as a multiple of that with the fewest, where a setting has both. */
struct factors {
	double median; /* over the settings */
	struct tally tally;
};

/* mode: MODE_NR of all. */
static struct factors factors_of(const struct analysis *a, enum mode mode, enum metric m,
				 unsigned int threads)
{
	double *values = xcalloc(a->cells_nr, sizeof(double));
	struct factors f = {0};

	for (struct cell *many = a->cells; many < a->cells + a->cells_nr; many++) {
		struct cell *few = analysis__cell(a, many->mode, many->size, fewest(a));
		struct finding c;

		if (many->threads != threads || (mode != MODE_NR && many->mode != mode))
			continue;
		c = analysis__compare(a, many, few, m);
		if (c.difference == DIFFERENCE_UNKNOWN || !(c.change > -1))
			continue;
		values[f.tally.of] = c.change + 1;
		tally__add(&f.tally, &c);
	}
	f.median = estimate__of(values, f.tally.of).median;
	free(values);
	return f;
}

static void answer_ceiling(struct answer_text *answer, unsigned int cpus, bool pinned)
{
	unsigned int many = most(answer->a);

	if (!cpus)
		answer__cannot(answer, "Not shown: the ceiling of the throughput per thread, "
				       "because the number of usable CPUs is unknown.");
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

/* Where the rounds can show a difference, only totals that are higher somewhere are better. */
static void answer_best(struct answer_text *answer)
{
	const struct analysis *a = answer->a;
	bool can_claim = answer__can_claim(a);
	struct phrase few = phrases__threads(fewest(a));
	struct factors best = {.median = 1};
	unsigned int threads = 0;

	for (size_t i = 1; i < a->threads_nr; i++) {
		struct factors f = factors_of(a, MODE_NR, METRIC_GBPS, a->threads[i]);

		if (f.median > best.median && (f.tally.higher || !can_claim)) {
			best = f;
			threads = a->threads[i];
		}
	}
	if (threads)
		answer__headline(answer,
				 "The total is best with %s: x %.2f of that with %s (median of the "
				 "modes and sizes), %s.",
				 phrases__threads(threads).text, best.median, few.text,
				 tally__words(&best.tally, "higher", "lower").text);
	else
		answer__headline(answer,
				 "No thread count has a higher total than %s, by the median of the "
				 "modes and sizes%s.",
				 few.text, can_claim ? ", outside the noise" : "");
}

/* The total of each mode and size with more threads against that with the fewest. */
static void put_totals(struct answer_text *answer)
{
	const struct analysis *a = answer->a;

	answer__begin_table(answer, 1 + a->threads_nr,
			    "Throughput in total against %s%s:", phrases__threads(fewest(a)).text,
			    answer__can_claim(a) ? "" : " (no change is certain)");
	answer__put_threads(answer, "Mode and size");
	for (size_t c = 0; c < a->cells_nr; c++) {
		struct cell *few = &a->cells[c];

		if (few->threads != fewest(a))
			continue;
		answer__put(answer, "%s, %s", phrases__mode(few->mode),
			    phrases__size(few->size).text);
		answer__put(
			answer, "%s",
			phrases__value(METRIC_GBPS, analysis__estimate(a, few, METRIC_GBPS).median)
				.text);
		for (size_t i = 1; i < a->threads_nr; i++) {
			struct cell *many = analysis__cell(a, few->mode, few->size, a->threads[i]);
			struct finding f = analysis__compare(a, many, few, METRIC_GBPS);

			answer__put_finding(answer, &f);
		}
	}
	answer__end_table(answer);
}

/* "throughput per thread | x 0.130 | x 0.141 | x 0.120" */
static void put_factors(struct answer_text *answer)
{
	const struct analysis *a = answer->a;

	answer__begin_table(answer, 1 + a->modes_nr,
			    "With %u threads as a multiple of %u, median of the sizes:", most(a),
			    fewest(a));
	answer__put(answer, "Number");
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		if (a->has_mode[mode])
			answer__put(answer, "%s", phrases__mode(mode));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!factors_of(a, MODE_NR, rows[i].metric, most(a)).tally.of)
			continue;
		answer__put(answer, "%s", rows[i].what);
		for (enum mode mode = 0; mode < MODE_NR; mode++) {
			struct factors f = factors_of(a, mode, rows[i].metric, most(a));
			double median = rows[i].inverse ? 1 / f.median : f.median;

			if (!a->has_mode[mode])
				continue;
			if (rows[i].per_thread)
				median *= (double)fewest(a) / most(a);
			answer__put(answer, "%s",
				    f.tally.of && isfinite(median) ? phrases__factor(1, median).text
								   : "n/a");
		}
	}
	answer__end_table(answer);
}

static void answer_cannot(struct answer_text *answer, unsigned int cpus)
{
	const struct analysis *a = answer->a;

	if (!analysis__has(a, METRIC_LLC_MISSES))
		answer__cannot(answer,
			       "Not shown: cache contention, because LLC misses were not "
			       "measured (%s).",
			       analysis__reason(a, METRIC_LLC_MISSES));
	else if (!cpus || most(a) > cpus)
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
	const struct analysis *a = answer->a;
	struct factors own;
	unsigned int cpus;
	bool pinned;

	if (a->threads_nr < 2) {
		answer__headline(answer, "Not measured: the data has one thread count only.");
		return;
	}
	own = factors_of(a, MODE_NR, METRIC_GBPS_PER_THREAD, most(a));
	if (!own.tally.of) {
		answer__headline(answer,
				 "Not measured: no mode and size has a throughput above 0 "
				 "with both %u and %u threads.",
				 fewest(a), most(a));
		return;
	}
	cpus = first_screen__sender_cpus(a->dataset, &pinned);
	answer_ceiling(answer, cpus, pinned);
	if (!answer__can_claim(a))
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	answer_best(answer);
	answer__headline(
		answer, "With %u threads throughput per thread is x %.3f of that with %u (median).",
		most(a), own.median, fewest(a));
	answer->answered = answer__can_claim(a);
	put_totals(answer);
	put_factors(answer);
	answer_cannot(answer, cpus);
}
