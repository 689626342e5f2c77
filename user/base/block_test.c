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
#include "permute.h"
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
	size_t *member; /* the tests, by group; those of a group in their order */
	size_t *end;    /* of each group, in member */
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
	free(e->member);
	free(e->end);
}

static size_t group_begin(const struct engine *e, int group)
{
	return group ? e->end[group - 1] : 0;
}

/* Each permutation goes through the tests of each group: found once. */
static int find_members(struct engine *e)
{
	const struct block_test *t = e->t;
	size_t n = 0;

	for (size_t i = 0; i < t->tests; i++)
		if (t->group[i] >= e->groups)
			e->groups = t->group[i] + 1;
	e->end = array__new((size_t)e->groups, sizeof(size_t));
	if (!e->end)
		return -ENOMEM;
	for (int g = 0; g < e->groups; g++) {
		for (size_t i = 0; i < t->tests; i++)
			if (t->group[i] == g)
				e->member[n++] = i;
		e->end[g] = n;
	}
	return 0;
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
		.member = array__new(n, sizeof(size_t)),
	};
	if (!e->values || !e->mark || !e->mean || !e->variance || !e->statistic || !e->observed ||
	    !e->scratch || !e->order || !e->count || !e->own || !e->member)
		return -ENOMEM;
	return find_members(e);
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
	size_t m, b, blocks = e->t->blocks, n = 0;
	double limit, *row;

	for (m = group_begin(e, group); m < e->end[group]; m++) {
		row = e->values + e->member[m] * blocks;
		for (b = 0; b < blocks; b++)
			if (!isnan(row[b]))
				e->scratch[n++] = fabs(row[b]);
	}
	limit = BLOCK_TEST_CLIP * median__lower(e->scratch, n);
	if (!(limit > 0))
		return; /* most are exactly the same: what differs is not to be cut to nothing */
	for (m = group_begin(e, group); m < e->end[group]; m++) {
		row = e->values + e->member[m] * blocks;
		for (b = 0; b < blocks; b++)
			if (!isnan(row[b]))
				row[b] = fmax(-limit, fmin(limit, row[b]));
	}
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

	for (size_t m = group_begin(e, group); m < e->end[group]; m++)
		if (!isnan(e->mean[e->member[m]]))
			e->scratch[n++] = e->variance[e->member[m]];
	return median__lower(e->scratch, n);
}

/* NaN: a test without values. */
static void compute(struct engine *e, double *statistic)
{
	for (size_t i = 0; i < e->t->tests; i++) {
		if (e->two_samples)
			measure_samples(e, i);
		else
			measure_paired(e, i);
	}
	for (int g = 0; g < e->groups; g++) {
		double prior = group_variance(e, g);

		for (size_t m = group_begin(e, g); m < e->end[g]; m++) {
			size_t i = e->member[m];
			double v = (e->variance[i] + PRIOR_WEIGHT * prior) / (1 + PRIOR_WEIGHT);

			statistic[i] =
				(e->one_sided ? e->mean[i] : fabs(e->mean[i])) / sqrt(v + 1e-300);
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
	size_t i, m, n = 0;

	for (m = group_begin(e, group); m < e->end[group]; m++) {
		i = e->member[m];
		if (!isnan(e->observed[i]) && !isnan(e->statistic[i]))
			e->scratch[n++] = e->statistic[i];
	}
	qsort(e->scratch, n, sizeof(*e->scratch), stats__compare);
	for (m = group_begin(e, group); m < e->end[group]; m++) {
		i = e->member[m];
		if (!isnan(e->observed[i]))
			e->own[i] += count_at_least(e->scratch, n, e->observed[i] * SAME);
	}
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

	for (size_t m = group_begin(e, group); m < e->end[group]; m++)
		n += !isnan(e->observed[e->member[m]]);
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

int block_test__paired(struct block_test *t)
{
	size_t permutations = permute__sign_count(t->blocks, BLOCK_TEST_PERMUTATIONS);
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
			/* The first of them is what was observed. */
			if (all)
				permute__signs(e.mark, t->blocks, i);
			else if (i)
				permute__draw_signs(e.mark, t->blocks, &state);
			take(&e);
		}
		finish(&e, permutations);
	}
	engine__free(&e);
	return err;
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
			permute__shuffle(e->mark, n, &state);
	} while (all ? permute__next(e->mark, n) : taken < BLOCK_TEST_PERMUTATIONS);
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
		finish(&e, take_arrangements(&e, permute__choose(t->blocks, before) <=
							 BLOCK_TEST_PERMUTATIONS));
	}
	engine__free(&e);
	return err;
}

double block_test__paired_floor(size_t blocks)
{
	size_t n = permute__sign_count(blocks, BLOCK_TEST_PERMUTATIONS);

	return blocks ? 1 / fmin((double)n, BLOCK_TEST_PERMUTATIONS) : 1;
}

double block_test__two_samples_floor(size_t before, size_t after, bool one_sided)
{
	double n = permute__choose(before + after, before);

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
