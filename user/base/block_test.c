/* SPDX-License-Identifier: GPL-2.0-only */
/* Permutation tests on blocks; see block_test.h. Knows nothing of what the values are. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "block_test.h"
#include "median.h"
#include "common/splitmix.h"
#include "stats.h"

#define PRIOR_WEIGHT 3.0 /* of the group's variance against the test's own */
/* Two permutations of one set of numbers may differ by rounding. */
#define SAME (1 - 1e-9)

/* What a permutation does to a block: its weight in the first and the second mean. */
struct engine {
	struct block_test *t;
	bool two_samples, one_sided;
	double *values;    /* clipped */
	signed char *mark; /* of each block: sign, or group 0 and 1 */
	double *mean, *variance, *statistic, *observed, *scratch;
	size_t *order, *count, *own;
	int groups;
};

static void engine__free(struct engine *e)
{
	free(e->values);
	free(e->mark);
	free(e->mean);
	free(e->variance);
	free(e->statistic);
	free(e->observed);
	free(e->scratch);
	free(e->order);
	free(e->count);
	free(e->own);
}

static int engine__init(struct engine *e, struct block_test *t)
{
	size_t n = t->tests, all = t->tests * t->blocks;

	*e = (struct engine){
		.t = t,
		.values = array__new(all, sizeof(double)),
		.mark = array__new(t->blocks, 1),
		.mean = array__new(n, sizeof(double)),
		.variance = array__new(n, sizeof(double)),
		.statistic = array__new(n, sizeof(double)),
		.observed = array__new(n, sizeof(double)),
		.scratch = array__new(all, sizeof(double)),
		.order = array__new(n, sizeof(size_t)),
		.count = array__new(n, sizeof(size_t)),
		.own = array__new(n, sizeof(size_t)),
	};
	for (size_t i = 0; i < t->tests; i++)
		if (t->group[i] >= e->groups)
			e->groups = t->group[i] + 1;
	return e->values && e->mark && e->mean && e->variance && e->statistic && e->observed &&
			       e->scratch && e->order && e->count && e->own
		       ? 0
		       : -ENOMEM;
}

/* Differences are measured from 0, which no change of signs moves; values of two samples from the
 * test's median, which no exchange moves. */
static double center(const struct engine *e, const double *row)
{
	size_t n = 0;

	if (!e->two_samples)
		return 0;
	for (size_t b = 0; b < e->t->blocks; b++)
		if (!isnan(row[b]))
			e->scratch[n++] = row[b];
	return median__lower(e->scratch, n);
}

static void clip_group(struct engine *e, int group)
{
	const struct block_test *t = e->t;
	size_t i, b, n = 0;
	double limit;

	for (i = 0; i < t->tests; i++)
		for (b = 0; t->group[i] == group && b < t->blocks; b++)
			if (!isnan(e->values[i * t->blocks + b]))
				e->scratch[n++] = fabs(e->values[i * t->blocks + b]);
	limit = BLOCK_TEST_CLIP * median__lower(e->scratch, n);
	if (!(limit > 0))
		return; /* most are exactly the same: what differs is not to be cut to nothing */
	for (i = 0; i < t->tests; i++)
		for (b = 0; t->group[i] == group && b < t->blocks; b++)
			if (!isnan(e->values[i * t->blocks + b]))
				e->values[i * t->blocks + b] =
					fmax(-limit, fmin(limit, e->values[i * t->blocks + b]));
}

static void prepare(struct engine *e)
{
	const struct block_test *t = e->t;

	for (size_t i = 0; i < t->tests; i++) {
		const double *row = t->values + i * t->blocks;
		double middle = center(e, row);

		for (size_t b = 0; b < t->blocks; b++)
			e->values[i * t->blocks + b] = row[b] - middle;
	}
	for (int g = 0; g < e->groups; g++)
		clip_group(e, g);
}

/* Mean and its variance under the marks as they are. */
static void measure_paired(struct engine *e, size_t i)
{
	const double *row = e->values + i * e->t->blocks;
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t b = 0; b < e->t->blocks; b++) {
		if (isnan(row[b]))
			continue;
		sum += e->mark[b] * row[b];
		squares += row[b] * row[b];
		n++;
	}
	e->mean[i] = n ? sum / (double)n : (double)NAN;
	e->variance[i] =
		n > 1 ? fmax(0, squares - sum * sum / (double)n) / (double)(n - 1) / (double)n : 0;
}

static void measure_samples(struct engine *e, size_t i)
{
	const double *row = e->values + i * e->t->blocks;
	double sum[2] = {0}, squares[2] = {0}, within;
	double n[2] = {0};

	for (size_t b = 0; b < e->t->blocks; b++) {
		if (isnan(row[b]))
			continue;
		sum[(int)e->mark[b]] += row[b];
		squares[(int)e->mark[b]] += row[b] * row[b];
		n[(int)e->mark[b]]++;
	}
	e->mean[i] = (double)NAN;
	e->variance[i] = 0;
	if (n[0] < 1 || n[1] < 1)
		return;
	within = fmax(0, squares[0] - sum[0] * sum[0] / n[0]) +
		 fmax(0, squares[1] - sum[1] * sum[1] / n[1]);
	e->mean[i] = sum[1] / n[1] - sum[0] / n[0];
	if (n[0] + n[1] > 2)
		e->variance[i] = within / (n[0] + n[1] - 2) * (1 / n[0] + 1 / n[1]);
}

static double group_variance(const struct engine *e, int group)
{
	size_t n = 0;

	for (size_t i = 0; i < e->t->tests; i++)
		if (e->t->group[i] == group && !isnan(e->mean[i]))
			e->scratch[n++] = e->variance[i];
	return median__lower(e->scratch, n);
}

/* NaN: a test without values. */
static void compute(struct engine *e, double *statistic)
{
	const struct block_test *t = e->t;

	for (size_t i = 0; i < t->tests; i++) {
		if (e->two_samples)
			measure_samples(e, i);
		else
			measure_paired(e, i);
	}
	for (int g = 0; g < e->groups; g++) {
		double prior = group_variance(e, g);

		for (size_t i = 0; i < t->tests; i++) {
			double v = (e->variance[i] + PRIOR_WEIGHT * prior) / (1 + PRIOR_WEIGHT);

			if (t->group[i] == g)
				statistic[i] = (e->one_sided ? e->mean[i] : fabs(e->mean[i])) /
					       sqrt(v + 1e-300);
		}
	}
}

/* Descending by the observed statistic; tests without values last. An insertion sort keeps ties. */
static void sort_tests(struct engine *e)
{
	for (size_t i = 0; i < e->t->tests; i++) {
		size_t j = i;
		double x = isnan(e->observed[i]) ? -(double)INFINITY : e->observed[i];

		for (;
		     j && (isnan(e->observed[e->order[j - 1]]) || e->observed[e->order[j - 1]] < x);
		     j--)
			e->order[j] = e->order[j - 1];
		e->order[j] = i;
	}
}

/* The largest statistic of all tests that were not larger than this one when observed. */
static void count_family(struct engine *e)
{
	double largest = -(double)INFINITY;

	for (size_t i = e->t->tests; i-- > 0;) {
		size_t test = e->order[i];

		if (isnan(e->observed[test]))
			continue;
		if (e->statistic[test] > largest)
			largest = e->statistic[test];
		e->count[test] += largest >= e->observed[test] * (e->observed[test] > 0 ? SAME : 1);
	}
}

static size_t count_at_least(const double *sorted, size_t n, double x)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] >= x)
			high = middle;
		else
			low = middle + 1;
	}
	return n - low;
}

/* Among all tests of its group with a value: what one's own few permutations cannot resolve. */
static void count_group(struct engine *e, int group)
{
	const struct block_test *t = e->t;
	size_t n = 0;

	for (size_t i = 0; i < t->tests; i++)
		if (t->group[i] == group && !isnan(e->observed[i]) && !isnan(e->statistic[i]))
			e->scratch[n++] = e->statistic[i];
	qsort(e->scratch, n, sizeof(*e->scratch), stats__compare);
	for (size_t i = 0; i < t->tests; i++)
		if (t->group[i] == group && !isnan(e->observed[i]))
			e->own[i] += count_at_least(e->scratch, n, e->observed[i] * SAME);
}

static void take(struct engine *e)
{
	compute(e, e->statistic);
	count_family(e);
	for (int g = 0; e->two_samples && !e->one_sided && g < e->groups; g++)
		count_group(e, g);
	for (size_t i = 0; !e->two_samples && i < e->t->tests; i++)
		e->own[i] += e->statistic[i] >= e->observed[i] * SAME;
}

static size_t group_size(const struct engine *e, int group)
{
	size_t n = 0;

	for (size_t i = 0; i < e->t->tests; i++)
		n += e->t->group[i] == group && !isnan(e->observed[i]);
	return n;
}

static void finish(struct engine *e, size_t permutations)
{
	const struct block_test *t = e->t;
	double last = 0;

	for (size_t i = 0; i < t->tests; i++) {
		size_t test = e->order[i], among = 1;

		t->p[test] = t->adjusted[test] = (double)NAN;
		if (isnan(e->observed[test]))
			continue;
		if (e->two_samples)
			among = group_size(e, t->group[test]);
		if (!e->one_sided)
			t->p[test] = (double)e->own[test] / (double)(permutations * among);
		last = fmax(last, (double)e->count[test] / (double)permutations);
		t->adjusted[test] = last;
	}
}

/* 2^(blocks-1) or more than BLOCK_TEST_PERMUTATIONS. */
static size_t sign_permutations(size_t blocks)
{
	size_t n = 1;

	while (blocks-- > 1 && n <= BLOCK_TEST_PERMUTATIONS)
		n *= 2;
	return n;
}

/* The first of them is what was observed. */
static void set_signs(struct engine *e, size_t number, bool all, uint64_t *state)
{
	for (size_t b = 1; b < e->t->blocks; b++) {
		if (all)
			e->mark[b] = number >> (b - 1) & 1 ? -1 : 1;
		else if (number)
			e->mark[b] = splitmix__next(state) >> 63 ? -1 : 1;
	}
}

int block_test__paired(struct block_test *t)
{
	size_t permutations = sign_permutations(t->blocks);
	bool all = permutations <= BLOCK_TEST_PERMUTATIONS;
	uint64_t state = 1;
	struct engine e;
	int err = engine__init(&e, t);

	if (!err) {
		memset(e.mark, 1, t->blocks);
		prepare(&e);
		compute(&e, e.observed);
		sort_tests(&e);
		permutations = all ? permutations : BLOCK_TEST_PERMUTATIONS;
		for (size_t i = 0; i < permutations; i++) {
			set_signs(&e, i, all, &state);
			take(&e);
		}
		finish(&e, permutations);
	}
	engine__free(&e);
	return err;
}

/* n over k, or more than BLOCK_TEST_PERMUTATIONS. */
static double choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return round(c);
}

/* The next of the arrangements of zeros and ones in order; false after the last. */
static bool next_arrangement(signed char *mark, size_t n)
{
	size_t i = n - 1, j = n - 1;
	signed char swap;

	while (i && mark[i - 1] >= mark[i])
		i--;
	if (!i)
		return false;
	while (mark[j] <= mark[i - 1])
		j--;
	swap = mark[i - 1];
	mark[i - 1] = mark[j];
	mark[j] = swap;
	for (j = n - 1; i < j; i++, j--) {
		swap = mark[i];
		mark[i] = mark[j];
		mark[j] = swap;
	}
	return true;
}

static void shuffle(signed char *mark, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i; i--) {
		size_t j = (size_t)(((splitmix__next(state) >> 32) * (i + 1)) >> 32);
		signed char swap = mark[i];

		mark[i] = mark[j];
		mark[j] = swap;
	}
}

/* The first arrangement, zeros before ones, is what was observed. */
static size_t take_arrangements(struct engine *e, bool all)
{
	size_t n = e->t->blocks, taken = 0;
	uint64_t state = 1;

	do {
		take(e);
		taken++;
		if (!all)
			shuffle(e->mark, n, &state);
	} while (all ? next_arrangement(e->mark, n) : taken < BLOCK_TEST_PERMUTATIONS);
	return taken;
}

int block_test__two_samples(struct block_test *t, size_t before, bool one_sided)
{
	struct engine e;
	int err = engine__init(&e, t);

	if (!err && t->blocks) {
		e.two_samples = true;
		e.one_sided = one_sided;
		memset(e.mark + before, 1, t->blocks - before);
		prepare(&e);
		compute(&e, e.observed);
		sort_tests(&e);
		finish(&e,
		       take_arrangements(&e, choose(t->blocks, before) <= BLOCK_TEST_PERMUTATIONS));
	}
	engine__free(&e);
	return err;
}

double block_test__paired_floor(size_t blocks)
{
	return blocks ? 1 / fmin((double)sign_permutations(blocks), BLOCK_TEST_PERMUTATIONS) : 1;
}

double block_test__two_samples_floor(size_t before, size_t after, bool one_sided)
{
	double n = choose(before + after, before);

	if (!before || !after)
		return 1;
	/* Groups of one size: the opposite arrangement has the same statistic. */
	return (one_sided || before != after ? 1 : 2) / fmin(n, BLOCK_TEST_PERMUTATIONS);
}

double block_test__discovery_limit(const double *p, size_t n, double share)
{
	double *sorted = array__new(n, sizeof(*sorted)), limit = -1;
	size_t tests = 0;

	if (!sorted)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			sorted[tests++] = p[i];
	qsort(sorted, tests, sizeof(*sorted), stats__compare);
	for (size_t i = 0; i < tests; i++)
		if (sorted[i] <= share * (double)(i + 1) / (double)tests)
			limit = sorted[i];
	free(sorted);
	return limit;
}
