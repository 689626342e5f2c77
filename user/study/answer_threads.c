/* SPDX-License-Identifier: GPL-2.0-only */
/* What more threads do: the ceiling that the CPUs set, the best thread count, and then counters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "base/array.h"
#include "common/units.h"
#include "conditions.h"
#include "family.h"
#include "words.h"

/* Most against fewest threads, over the sizes of a mode. */
struct scaling {
	double *per_thread, *misses, *per_kib, *switches, *bytes; /* factors, most / fewest */
	size_t per_thread_nr, misses_nr, per_kib_nr, switches_nr, bytes_nr;
	size_t cells, lower, higher;
};

/* All modes together. */
struct total {
	double *per_thread;
	size_t per_thread_nr, cells, lower, higher;
};

static void scaling__clear(struct scaling *s)
{
	free(s->per_thread);
	free(s->misses);
	free(s->per_kib);
	free(s->switches);
	free(s->bytes);
}

static int scaling__init(struct scaling *s, size_t n)
{
	*s = (struct scaling){
		.per_thread = array__new(n, sizeof(double)),
		.misses = array__new(n, sizeof(double)),
		.per_kib = array__new(n, sizeof(double)),
		.switches = array__new(n, sizeof(double)),
		.bytes = array__new(n, sizeof(double)),
	};
	return s->per_thread && s->misses && s->per_kib && s->switches && s->bytes ? 0 : -1;
}

/* power: -1 of a number whose inverse is said, as bytes per cycle of cycles per byte. */
static void add_factor(const struct claim *c, int power, double *values, size_t *nr)
{
	if (c->difference != DIFFERENCE_UNKNOWN && c->change > -1)
		values[(*nr)++] = pow(c->change + 1, power);
}

static void scaling__add(struct scaling *s, struct answer_text *answer, const struct analysis *a,
			 struct cell *few, struct cell *many)
{
	struct claim c = analysis__compare(a, many, few, METRIC_GBPS_PER_THREAD);

	add_factor(&c, 1, s->per_thread, &s->per_thread_nr);
	s->lower += c.difference == DIFFERENCE_LOWER;
	s->higher += c.difference == DIFFERENCE_HIGHER;
	s->cells += c.difference != DIFFERENCE_UNKNOWN;
	c = analysis__compare(a, many, few, METRIC_LLC_MISSES);
	add_factor(&c, 1, s->misses, &s->misses_nr);
	c = analysis__compare(a, many, few, METRIC_LLC_MISSES_PER_KIB);
	add_factor(&c, 1, s->per_kib, &s->per_kib_nr);
	c = analysis__compare(a, many, few, METRIC_CONTEXT_SWITCHES_PER_GIB);
	add_factor(&c, 1, s->switches, &s->switches_nr);
	c = analysis__compare(a, many, few, METRIC_CYCLES_PER_BYTE);
	add_factor(&c, -1, s->bytes, &s->bytes_nr);
	answer__cite(answer, a, few, METRIC_GBPS_PER_THREAD);
	answer__cite(answer, a, many, METRIC_GBPS_PER_THREAD);
}

static double median_of(double *values, size_t n)
{
	return estimate__of(values, n).median;
}

/* ", context switches per GiB x 2.1"; nothing where no pair of cells has the number. */
static char *factor_text(char *buf, size_t len, const char *what, double *values, size_t n,
			 double divisor)
{
	char factor[WORDS_BUF];

	*buf = '\0';
	if (n)
		snprintf(buf, len, ", %s %s", what,
			 words__factor(factor, sizeof(factor), divisor, median_of(values, n)));
	return buf;
}

/* The cell of a mode with the highest throughput: its thread count is the mode's best. */
static void say_best(struct answer_text *answer, const struct analysis *a, enum mode mode)
{
	struct cell *peak = analysis__peak(a, mode, METRIC_GBPS);
	char threads[UNITS_BUF], size[UNITS_BUF], value[3 * WORDS_BUF];
	struct estimate e = analysis__estimate(a, peak, METRIC_GBPS);

	if (!peak)
		return;
	answer__point(answer, "%s has its highest total with %s: %s at %s.", words__mode(mode),
		      words__threads(threads, sizeof(threads), peak->threads),
		      words__estimate(value, sizeof(value), METRIC_GBPS, &e),
		      format_size(size, sizeof(size), peak->size));
	answer__cite(answer, a, peak, METRIC_GBPS);
}

static void say_factors(struct answer_text *answer, const struct analysis *a, enum mode mode,
			struct scaling *s)
{
	unsigned int few = a->threads[0], many = a->threads[a->threads_nr - 1];
	char misses[WORDS_BUF], per_kib[WORDS_BUF], switches[WORDS_BUF], bytes[WORDS_BUF],
		own[WORDS_BUF];

	if (!s->per_thread_nr)
		return;
	answer__point(
		answer,
		"%s with %u threads against %u, median of %zu size%s: throughput per thread "
		"%s%s%s%s%s.",
		words__mode(mode), many, few, s->per_thread_nr, plural(s->per_thread_nr),
		words__factor(own, sizeof(own), 1, median_of(s->per_thread, s->per_thread_nr)),
		factor_text(per_kib, sizeof(per_kib), "LLC misses per KiB", s->per_kib,
			    s->per_kib_nr, 1),
		factor_text(misses, sizeof(misses), "LLC misses per thread", s->misses,
			    s->misses_nr, (double)many / few),
		factor_text(bytes, sizeof(bytes), "bytes per cycle", s->bytes, s->bytes_nr, 1),
		factor_text(switches, sizeof(switches), "context switches per GiB", s->switches,
			    s->switches_nr, 1));
}

static void say_mode(struct answer_text *answer, const struct analysis *a, enum mode mode,
		     struct total *total)
{
	unsigned int few = a->threads[0], many = a->threads[a->threads_nr - 1];
	struct scaling s;

	if (scaling__init(&s, a->sizes_nr)) {
		scaling__clear(&s);
		answer->failed = true;
		return;
	}
	for (size_t i = 0; i < a->sizes_nr; i++)
		scaling__add(&s, answer, a, analysis__cell(a, mode, a->sizes[i], few),
			     analysis__cell(a, mode, a->sizes[i], many));
	for (size_t i = 0; i < s.per_thread_nr; i++)
		total->per_thread[total->per_thread_nr++] = s.per_thread[i];
	total->lower += s.lower;
	total->higher += s.higher;
	total->cells += s.cells;
	say_factors(answer, a, mode, &s);
	say_best(answer, a, mode);
	scaling__clear(&s);
}

/* A thread count against the fewest, by the total of each mode and size that has both. */
struct best {
	unsigned int threads;
	double factor; /* median of total / total with the fewest threads */
	size_t cells, higher;
};

static struct best totals_of(struct answer_text *answer, const struct analysis *a,
			     unsigned int threads)
{
	double *values = array__new(a->cells_nr, sizeof(*values));
	struct best best = {.threads = threads, .factor = (double)NAN};

	answer->failed |= !values;
	for (size_t i = 0; values && i < a->cells_nr; i++) {
		struct cell *x = &a->cells[i];
		struct claim c;

		if (x->threads != threads)
			continue;
		c = analysis__compare(a, x, analysis__cell(a, x->mode, x->size, a->threads[0]),
				      METRIC_GBPS);
		add_factor(&c, 1, values, &best.cells);
		best.higher += c.difference == DIFFERENCE_HIGHER;
	}
	if (values)
		best.factor = median_of(values, best.cells);
	free(values);
	return best;
}

/* Where the rounds can tell, only totals that are higher somewhere are better. */
static struct best best_of(struct answer_text *answer, const struct analysis *a)
{
	struct best best = {.threads = a->threads[0], .factor = 1};

	for (size_t i = 1; i < a->threads_nr; i++) {
		struct best x = totals_of(answer, a, a->threads[i]);

		if (x.factor > best.factor && (x.higher || !answer__can_claim(a)))
			best = x;
	}
	return best;
}

/* What the CPUs allow: the first sentence. */
static void ceiling_text(char *buf, size_t len, const struct analysis *a, unsigned int cpus,
			 bool pinned)
{
	unsigned int many = a->threads[a->threads_nr - 1];

	if (!cpus)
		snprintf(buf, len,
			 "The number of usable CPUs is unknown: the data set does not say it, so "
			 "the "
			 "ceiling of the throughput per thread is unknown, too.");
	else if (many > cpus)
		snprintf(buf, len,
			 "%u %s threads share %u CPU%s%s: a thread has at most %u/%u (%.3g) of a "
			 "CPU, which is the ceiling of its throughput.",
			 many, pinned ? "sender" : "sender and as many receiver", cpus,
			 plural(cpus), pinned ? "" : " of the machine", cpus, many,
			 (double)cpus / many);
	else
		snprintf(buf, len, "Up to %u threads each sender thread has a CPU of its own (%u).",
			 many, cpus);
}

static void best_text(char *buf, size_t len, const struct analysis *a, const struct best *best)
{
	char threads[UNITS_BUF], few[UNITS_BUF], change[WORDS_BUF];

	words__threads(threads, sizeof(threads), best->threads);
	words__threads(few, sizeof(few), a->threads[0]);
	if (best->threads == a->threads[0])
		snprintf(buf, len, "No more threads than %u have a higher total", a->threads[0]);
	else if (!answer__can_claim(a))
		snprintf(buf, len, "The total is best with %s: %s of that with %s (median)",
			 threads, words__factor(change, sizeof(change), 1, best->factor), few);
	else
		snprintf(buf, len,
			 "The total is best with %s: %s of that with %s (median), higher in %zu of "
			 "%zu combination%s of mode and size",
			 threads, words__factor(change, sizeof(change), 1, best->factor), few,
			 best->higher, best->cells, plural(best->cells));
}

static void standing_text(char *buf, size_t len, const struct analysis *a,
			  const struct total *total)
{
	if (!answer__can_claim(a))
		answer__cannot_claim(buf, len, a);
	else
		snprintf(buf, len,
			 "Per thread it is lower in %zu of %zu, higher in %zu, no "
			 "difference in %zu",
			 total->lower, total->cells, total->higher,
			 total->cells - total->lower - total->higher);
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

static void headline(struct answer_text *answer, const struct analysis *a, struct total *total)
{
	char ceiling[4 * WORDS_BUF], best[4 * WORDS_BUF], standing[3 * WORDS_BUF],
		factor[WORDS_BUF];
	bool pinned;
	unsigned int cpus = conditions__sender_cpus(a->dataset, &pinned);
	struct best most = best_of(answer, a);

	ceiling_text(ceiling, sizeof(ceiling), a, cpus, pinned);
	best_text(best, sizeof(best), a, &most);
	standing_text(standing, sizeof(standing), a, total);
	answer->answered = answer__can_claim(a);
	answer__headline(
		answer,
		"%s %s. With %u threads throughput per thread is %s of that with %u (median "
		"of %zu combination%s of mode and size). %s.",
		ceiling, best, a->threads[a->threads_nr - 1],
		words__factor(factor, sizeof(factor), 1,
			      median_of(total->per_thread, total->per_thread_nr)),
		a->threads[0], total->per_thread_nr, plural(total->per_thread_nr), standing);
	say_cannot(answer, a, cpus);
}

void answer__threads(struct answer_text *answer, const struct analysis *a)
{
	struct total total = {.per_thread = array__new(a->cells_nr, sizeof(double))};

	if (!total.per_thread) {
		answer->failed = true;
		return;
	}
	if (a->threads_nr < 2) {
		answer__headline(answer, "Not measured: the data has one thread count only.");
	} else {
		for (int mode = 0; mode < MODE_NR; mode++)
			say_mode(answer, a, (enum mode)mode, &total);
		if (total.per_thread_nr)
			headline(answer, a, &total);
		else
			answer__headline(answer,
					 "Not measured: no mode and size has a throughput above 0 "
					 "with both %u and %u threads.",
					 a->threads[0], a->threads[a->threads_nr - 1]);
	}
	free(total.per_thread);
}
