/* SPDX-License-Identifier: GPL-2.0-only */
/* The effect of more threads: the limit by CPUs, the best thread count, then counters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "first_screen.h"
#include "phrases.h"

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
#define ROWS_NR (sizeof(rows) / sizeof(rows[0]))

/* Ratio of x to y for each mode and size that has both. */
struct factors {
	double *values; /* tally.of */
	struct tally tally;
};

/* mode: MODE_NR of all. Free values. */
static struct factors factors_of(struct answer_text *answer, const struct analysis *a,
				 enum mode mode, enum metric m, unsigned int x, unsigned int y)
{
	struct factors f = {.values = xcalloc(a->cells_nr, sizeof(double))};

	for (struct cell *many = a->cells; many < a->cells + a->cells_nr; many++) {
		struct cell *few = analysis__cell(a, many->mode, many->size, y);
		struct finding c;

		if (many->threads != x || (mode != MODE_NR && many->mode != mode))
			continue;
		c = analysis__compare(a, many, few, m);
		if (c.difference == DIFFERENCE_UNKNOWN || !(c.change > -1))
			continue;
		f.values[f.tally.of] = c.change + 1;
		tally__add(&f.tally, &c);
		answer__cite(answer, a, few, m);
		answer__cite(answer, a, many, m);
	}
	return f;
}

static double median_of(const struct factors *f)
{
	return estimate__of(f->values, f->tally.of).median;
}

/* The cell of a mode with the highest throughput: its thread count is the mode's best. */
static void say_best(struct answer_text *answer, const struct analysis *a, enum mode mode)
{
	struct cell *peak = analysis__peak(a, mode, METRIC_GBPS);
	char threads[UNITS_BUF], size[UNITS_BUF], value[3 * PHRASE_BUF];
	struct estimate e = analysis__estimate(a, peak, METRIC_GBPS);

	if (!peak)
		return;
	answer__point(answer, "%s has its highest total with %s: %s at %s.", phrases__mode(mode),
		      phrases__threads(threads, sizeof(threads), peak->threads),
		      phrases__estimate(value, sizeof(value), METRIC_GBPS, &e),
		      format_size(size, sizeof(size), peak->size));
	answer__cite(answer, a, peak, METRIC_GBPS);
}

/* "two-copy with 8 threads against 1, median of 4 sizes: throughput per thread x 0.13, ..." */
static void say_factors(struct answer_text *answer, const struct analysis *a, enum mode mode)
{
	unsigned int few = a->threads[0], many = a->threads[a->threads_nr - 1];
	struct item_list list = {0};
	size_t sizes = 0;

	for (size_t i = 0; i < ROWS_NR; i++) {
		struct factors f = factors_of(answer, a, mode, rows[i].metric, many, few);
		double median = median_of(&f);
		char factor[PHRASE_BUF];

		if (rows[i].per_thread)
			median *= (double)few / many;
		if (rows[i].inverse)
			median = 1 / median;
		if (f.tally.of && isfinite(median))
			item_list__add(&list, "%s %s", rows[i].what,
				       phrases__factor(factor, sizeof(factor), 1, median));
		sizes = f.tally.of > sizes ? f.tally.of : sizes;
		free(f.values);
	}
	if (list.nr)
		answer__point(answer, "%s with %u threads against %u, median of %zu size%s: %s.",
			      phrases__mode(mode), many, few, sizes, plural(sizes),
			      item_list__words(&list));
}

/* The thread count with the highest total, against the fewest. */
struct best {
	unsigned int threads;
	double factor; /* of the total, median over modes and sizes */
	size_t cells, higher;
};

/* Where the rounds can tell, only totals that are higher somewhere are better. */
static struct best best_of(struct answer_text *answer, const struct analysis *a)
{
	struct best best = {.threads = a->threads[0], .factor = 1};

	for (size_t i = 1; i < a->threads_nr; i++) {
		struct factors f =
			factors_of(answer, a, MODE_NR, METRIC_GBPS, a->threads[i], a->threads[0]);
		double median = median_of(&f);

		if (median > best.factor && (f.tally.higher || !answer__can_claim(a)))
			best = (struct best){a->threads[i], median, f.tally.of, f.tally.higher};
		free(f.values);
	}
	return best;
}

/* The limit by CPUs: the first sentence. */
static void put_ceiling(FILE *f, const struct analysis *a, unsigned int cpus, bool pinned)
{
	unsigned int many = a->threads[a->threads_nr - 1];

	if (!cpus)
		fputs("The number of usable CPUs is unknown, and so is the ceiling of the "
		      "throughput per thread: the data set does not say it.",
		      f);
	else if (many > cpus)
		fprintf(f,
			"%u %s threads share %u CPU%s%s: a thread has at most %u/%u (%.3g) of a "
			"CPU, which is the ceiling of its throughput.",
			many, pinned ? "sender" : "sender and as many receiver", cpus, plural(cpus),
			pinned ? "" : " of the machine", cpus, many, (double)cpus / many);
	else
		fprintf(f, "Up to %u threads each sender thread has a CPU of its own (%u).", many,
			cpus);
}

static void put_best(FILE *f, const struct analysis *a, const struct best *best)
{
	char threads[UNITS_BUF], few[UNITS_BUF], factor[PHRASE_BUF];

	phrases__threads(threads, sizeof(threads), best->threads);
	phrases__threads(few, sizeof(few), a->threads[0]);
	if (best->threads == a->threads[0]) {
		fprintf(f, " The total is best with %s: no more threads have a higher one.", few);
		return;
	}
	fprintf(f, " The total is best with %s: %s of that with %s (median)", threads,
		phrases__factor(factor, sizeof(factor), 1, best->factor), few);
	if (answer__can_claim(a))
		fprintf(f, ", higher in %zu of %zu combination%s of mode and size", best->higher,
			best->cells, plural(best->cells));
	fputs(".", f);
}

static void put_per_thread(FILE *f, const struct analysis *a, const struct factors *own)
{
	char factor[PHRASE_BUF], cannot[PHRASE_BUF];

	fprintf(f,
		" With %u threads throughput per thread is %s of that with %u (median of %zu "
		"combination%s of mode and size)",
		a->threads[a->threads_nr - 1],
		phrases__factor(factor, sizeof(factor), 1, median_of(own)), a->threads[0],
		own->tally.of, plural(own->tally.of));
	if (answer__can_claim(a))
		fprintf(f, ": lower in %zu of %zu, higher in %zu, no difference in %zu.",
			own->tally.lower, own->tally.of, own->tally.higher,
			tally__unclear(&own->tally));
	else
		fprintf(f, ". %s.", answer__cannot_claim(cannot, sizeof(cannot), a));
}

static void say_cannot(struct answer_text *answer, const struct analysis *a, unsigned int cpus)
{
	unsigned int many = a->threads[a->threads_nr - 1];

	if (!analysis__has(a, METRIC_LLC_MISSES))
		answer__cannot(answer,
			       "Not shown: cache contention, because LLC misses were not "
			       "measured (%s).",
			       analysis__reason(a, METRIC_LLC_MISSES));
	else if (!cpus || many > cpus)
		answer__cannot(answer, "Not shown: cache contention, because threads %s.",
			       cpus ? "wait for a CPU as well"
				    : "may wait for a CPU as well (the number of CPUs is unknown)");
	else
		answer__cannot(answer, "Misses that change with the thread count are no proof of "
				       "contention: the data shows that they change together.");
}

static void say_recv_call(struct answer_text *answer, const struct analysis *a)
{
	if (analysis__has(a, METRIC_RECV_P50))
		answer__cannot(answer, "The time of a recv call is not copy time alone: a receiver "
				       "thread with one connection waits for data in it.");
	else
		answer__cannot(answer, "Not shown: recv call, n/a (%s).",
			       analysis__reason(a, METRIC_RECV_P50));
}

static void headline(struct answer_text *answer, const struct analysis *a,
		     const struct factors *own)
{
	bool pinned;
	unsigned int cpus = first_screen__sender_cpus(a->dataset, &pinned);
	struct best best = best_of(answer, a);
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	put_ceiling(f, a, cpus, pinned);
	put_best(f, a, &best);
	put_per_thread(f, a, own);
	xclose_memstream(f);
	answer->answered = answer__can_claim(a);
	answer__headline(answer, "%s", text);
	say_cannot(answer, a, cpus);
	say_recv_call(answer, a);
	free(text);
}

void answer__threads(struct answer_text *answer, const struct analysis *a)
{
	unsigned int few = a->threads[0], many = a->threads[a->threads_nr - 1];
	struct factors own;

	if (a->threads_nr < 2) {
		answer__headline(answer, "Not measured: the data has one thread count only.");
		return;
	}
	own = factors_of(answer, a, MODE_NR, METRIC_GBPS_PER_THREAD, many, few);
	if (own.tally.of)
		headline(answer, a, &own);
	else
		answer__headline(answer,
				 "Not measured: no mode and size has a throughput above 0 "
				 "with both %u and %u threads.",
				 few, many);
	for (int mode = 0; own.tally.of && mode < MODE_NR; mode++) {
		say_factors(answer, a, (enum mode)mode);
		say_best(answer, a, (enum mode)mode);
	}
	free(own.values);
}
