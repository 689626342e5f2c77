/* SPDX-License-Identifier: GPL-2.0-only */
/* At which sizes one mode is ahead of another, by throughput and by CPU time. */
#include "answer.h"
#include "common/units.h"

/* Phrases for a comparison by one metric. */
struct terms {
	enum metric metric;
	const char *ahead, *behind;
	const char *by;       /* at the end of a clause */
	const char *headline; /* of a cost */
};

static const struct terms by_throughput = {METRIC_GBPS, "faster", "slower", "", ""};
static const struct terms by_cpu_time = {METRIC_CPU_NS_PER_KIB, "cheaper", "more expensive",
					 ", by CPU time per KiB", "By CPU time per KiB"};
/* Where the receiver is on another machine, and its CPU time is not known. */
static const struct terms by_sender_cpu_time = {
	METRIC_CPU_S_NS_PER_KIB, "cheaper", "more expensive", ", by the sender's CPU time per KiB",
	"By the sender's CPU time per KiB"};

/* Two modes over all settings. */
struct comparison {
	enum mode first, second;
	const struct terms *terms;
	struct tally tally;
	uint64_t largest;           /* size with both modes */
	uint64_t first_size;        /* the smallest at which the first mode is ahead; 0: none */
	unsigned int first_threads; /* 0: over all thread counts */
	struct finding lead;        /* at first_size */
};

static bool is_ahead(const struct comparison *c, const struct finding *f)
{
	return f->difference == (metric__better(c->terms->metric) == BETTER_LOWER
					 ? DIFFERENCE_LOWER
					 : DIFFERENCE_HIGHER);
}

/* All thread counts of a size together tell more than each, and are added before. */
static void add_lead(struct comparison *c, uint64_t size, unsigned int threads,
		     const struct finding *f)
{
	if (!is_ahead(c, f) || (c->first_size && c->first_size <= size))
		return;
	c->first_size = size;
	c->first_threads = threads;
	c->lead = *f;
}

/*
 * At one thread count, size by size; names the sizes between which the lead changes. Sizes without
 * a difference lie between them.
 */
static void compare_sizes(struct answer_text *answer, struct comparison *c, unsigned int threads)
{
	const struct analysis *a = answer->a;
	enum difference last = DIFFERENCE_NOISE;
	uint64_t last_size = 0;

	for (size_t i = 0; i < a->sizes_nr; i++) {
		uint64_t size = a->sizes[i];
		struct finding f = analysis__compare(a, analysis__cell(a, c->first, size, threads),
						     analysis__cell(a, c->second, size, threads),
						     c->terms->metric);

		tally__add(&c->tally, &f);
		add_lead(c, size, threads, &f);
		if (f.difference != DIFFERENCE_UNKNOWN && size > c->largest)
			c->largest = size;
		if (!finding__holds(&f))
			continue;
		if (last_size && last != f.difference)
			answer__point(answer,
				      "Crossover with %s%s: between %s and %s, %s takes the lead.",
				      phrases__threads(threads).text, c->terms->by,
				      phrases__size(last_size).text, phrases__size(size).text,
				      phrases__mode(is_ahead(c, &f) ? c->first : c->second));
		last = f.difference;
		last_size = size;
	}
}

static void compare_all(struct answer_text *answer, struct comparison *c)
{
	const struct analysis *a = answer->a;

	for (size_t i = 0; a->threads_nr > 1 && i < a->sizes_nr; i++) {
		struct finding f = analysis__compare_modes(a, c->first, c->second, a->sizes[i],
							   c->terms->metric);

		add_lead(c, a->sizes[i], 0, &f);
	}
	for (size_t i = 0; i < a->threads_nr; i++)
		compare_sizes(answer, c, a->threads[i]);
	answer__table(answer, c->first, c->second, c->terms->metric);
}

/* "faster in 5 of 16 settings (size x threads), slower in 4, no difference in 7" */
static struct phrase counts(const struct comparison *c, const char *what)
{
	bool lower = metric__better(c->terms->metric) == BETTER_LOWER;
	const struct tally *t = &c->tally;

	if (t->untested == t->of)
		return phrases__of("%s in %zu of %zu setting%s%s", c->terms->ahead,
				   lower ? t->untested_lower : t->untested_higher, t->of,
				   plural(t->of), what);
	return phrases__of("%s in %zu of %zu setting%s%s, %s in %zu, no difference in %zu",
			   c->terms->ahead, lower ? t->lower : t->higher, t->of, plural(t->of),
			   what, c->terms->behind, lower ? t->higher : t->lower, tally__unclear(t));
}

/* The smallest size at which the first mode is ahead, and by how much. */
static struct phrase where(const struct answer_text *answer, const struct comparison *c,
			   const char *because)
{
	if (!answer->answered)
		return answer__cannot_claim(answer->a);
	if (!c->first_size)
		return phrases__of("At none up to %s%s", phrases__size(c->largest).text, because);
	return phrases__of("First at %s (%s; %s)", phrases__size(c->first_size).text,
			   c->first_threads ? phrases__threads(c->first_threads).text
					    : "all thread counts together",
			   phrases__change_of(&c->lead).text);
}

/* because: a cause, as the end of a sentence. */
static void compare(struct answer_text *answer, enum mode first, const char *because)
{
	bool both = analysis__has(answer->a, METRIC_CPU_NS_PER_KIB);
	struct comparison speed = {first, MODE_TWOCOPY, .terms = &by_throughput};
	struct comparison cost = {first, MODE_TWOCOPY,
				  .terms = both ? &by_cpu_time : &by_sender_cpu_time};
	const char *name = phrases__mode(first);

	compare_all(answer, &speed);
	compare_all(answer, &cost);
	answer->answered = speed.tally.untested < speed.tally.of;
	if (!speed.tally.of)
		answer__headline(answer,
				 "Not measured: no size and thread count has the throughput of "
				 "both %s and two-copy.",
				 name);
	else
		answer__headline(answer, "%s: %s is %s.", where(answer, &speed, because).text, name,
				 counts(&speed, " (size x threads)").text);
	if (!cost.tally.of)
		answer__cannot(answer, "Not shown: CPU time, which the data set does not have.");
	else if (speed.tally.of)
		answer__headline(answer, "%s: %s.", cost.terms->headline, counts(&cost, "").text);
}

void answer__one_over_two(struct answer_text *answer)
{
	compare(answer, MODE_ONECOPY, "");
}

void answer__zero_over_two(struct answer_text *answer)
{
	double completed;
	bool all_copied = answer__copied_fraction(answer->a, &completed) == 1;

	compare(answer, MODE_ZEROCOPY,
		all_copied ? phrases__of(", because the kernel copied every send%s",
					 answer__counted_runs(answer->a).text)
				     .text
			   : "");
}
