/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes between two data sets; see changes.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "base/rank_test.h"
#include "base/stats.h"
#include "common/xalloc.h"
#include "study/phrases.h"
#include "study/run_conditions.h"
#include "write/json_value.h"

#define RUN_LENGTHS_ALIKE 0.1 /* as rank_test__relative(): a run ends with its last message */

int change_metric__parse(const char *name, enum metric *m)
{
	for (*m = 0; *name && *m < METRIC_NR; ++*m)
		if (strcmp(metric__name(*m), name) == 0)
			return 0;
	return -EINVAL;
}

static enum change_kind kind_of(const struct change *x)
{
	const struct finding *f = &x->f;
	enum better better = metric__better(x->metric);

	if (f->difference == DIFFERENCE_UNKNOWN)
		return CHANGE_MISSING;
	if (f->difference == DIFFERENCE_POINT || f->difference == DIFFERENCE_FEW)
		return CHANGE_CANNOT_SAY;
	if (f->difference == DIFFERENCE_NOISE || fabs(f->change) < CHANGE_MIN)
		return CHANGE_NOISE;
	/*
	 * Instructions per cycle have no better direction: fewer instructions for the same work
	 * also lower them. Copies per byte, cycles and CPU time show what improved.
	 */
	if (better == BETTER_NEITHER || x->metric == METRIC_IPC)
		return CHANGE_OTHER;
	return (f->difference == DIFFERENCE_HIGHER) == (better == BETTER_HIGHER) ? CHANGE_BETTER
										 : CHANGE_WORSE;
}

/* Copies of the sender's side are fewer than copies of both sides of the same transfer. */
static bool of_other_sides(const struct changes *c, enum metric m)
{
	const struct dataset *b = c->before->dataset, *a = c->after->dataset;

	return m == METRIC_COPIES && ((b->copies_of_sender && a->copies_of_both) ||
				      (b->copies_of_both && a->copies_of_sender));
}

static void add_change(struct changes *c, struct cell *before, struct cell *after, enum metric m)
{
	struct estimate b = analysis__estimate(c->before, before, m);
	struct estimate a = analysis__estimate(c->after, after, m);

	if (!a.n && !b.n)
		return;
	c->list[c->nr++] = (struct change){.before = before, .after = after, .metric = m};
	/* With one round on a side there is no test. */
	c->tests[m] += a.n >= 2 && b.n >= 2 && !of_other_sides(c, m);
}

/*
 * Could more copies be copies that were there before, unseen? Those of BEFORE are the least that is
 * certain, and leave out stages that its hooks did not see.
 */
static bool may_be_unseen(const struct changes *c, const struct change *x)
{
	struct estimate most = analysis__estimate(c->before, x->before, METRIC_COPIES_AT_MOST);

	return x->metric == METRIC_COPIES &&
	       (c->before->dataset->copies_exclude & ~c->after->dataset->copies_exclude ||
		(most.n && x->f.a.median <= most.median));
}

/* All comparisons of the metric must be counted before. */
static void test_change(struct changes *c, struct change *x)
{
	enum metric m = x->metric;
	size_t tests = c->tests[m] ? c->tests[m] : 1;

	x->f = analysis__compare_across(c->after, x->after, c->before, x->before, m, tests);
	if (x->f.a.n < 2 || x->f.b.n < 2)
		x->f.p = (double)NAN;
	if (!x->f.a.n || !x->f.b.n)
		x->reason = analysis__reason(x->f.a.n ? c->before : c->after, m);
	if (x->f.a.n && x->f.b.n && of_other_sides(c, m)) {
		x->f = (struct finding){.a = x->f.a,
					.b = x->f.b,
					.change = (double)NAN,
					.low = (double)NAN,
					.high = (double)NAN,
					.coverage = (double)NAN,
					.p = (double)NAN};
		x->reason = "one data set has the sender's copies, the other those of both sides";
	}
	x->kind = kind_of(x);
	x->gated = c->gates[m] && !(x->kind == CHANGE_WORSE && may_be_unseen(c, x));
	x->gate_p = x->gated ? fmin(1, x->f.p * (double)tests) : (double)NAN;
	c->of_kind[x->kind]++;
	c->gated += x->gated && x->kind > CHANGE_CANNOT_SAY;
}

void changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		   const bool metrics[METRIC_NR], const bool gate[METRIC_NR])
{
	bool compared[METRIC_NR];

	*c = (struct changes){.before = before, .after = after, .by_name = gate != NULL};
	for (enum metric m = 0; m < METRIC_NR; m++) {
		compared[m] = metrics[m] && *metric__name(m);
		c->gates[m] = compared[m] && metric__better(m) != BETTER_NEITHER &&
			      (gate ? gate[m]
				    : m == METRIC_GBPS || m == METRIC_CPU_NS_PER_KIB ||
					       m == METRIC_COPIES);
	}
	c->list = xcalloc(before->cells_nr * METRIC_NR, sizeof(*c->list));
	for (size_t i = 0; i < before->cells_nr; i++) {
		struct cell *b = &before->cells[i], *a = analysis__peer(after, b, b->mode);

		for (enum metric m = 0; a && m < METRIC_NR; m++)
			if (compared[m])
				add_change(c, b, a, m);
		c->cells += a != NULL;
	}
	c->cells_before = before->cells_nr - c->cells;
	c->cells_after = after->cells_nr - c->cells;
	for (size_t i = 0; i < c->nr; i++)
		test_change(c, &c->list[i]);
	for (enum metric m = 0; m < METRIC_NR; m++)
		c->metrics += c->tests[m] > 0;
}

void changes__clear(struct changes *c)
{
	free(c->list);
	*c = (struct changes){0};
}

bool change__is_regression(const struct change *c, double limit)
{
	if (!c->gated || c->kind != CHANGE_WORSE)
		return false;
	return isnan(c->f.change) ? limit < (double)INFINITY : fabs(c->f.change) > limit;
}

size_t changes__regressions(const struct changes *c, double limit)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr; i++)
		n += change__is_regression(&c->list[i], limit);
	return n;
}

/* Adds the members that both have with different values. */
static void put_differences(json_t *o, const json_t *before, const json_t *after)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)before, key, value) {
		json_t *b = run_conditions__text(value);
		json_t *a = run_conditions__text(json_object_get(after, key));

		if (a && b && !json_equal(a, b) && !json_key__is_reason(key))
			json_object_set_new(o, key, json_pack("{sOsO}", "before", b, "after", a));
		json_decref(b);
		json_decref(a);
	}
}

/* Median length of a run in seconds; NaN: unknown. */
static double run_length(const struct dataset *d)
{
	double *values = xcalloc(d->rows_nr + 1, sizeof(*values)), median;

	for (size_t i = 0; i < d->rows_nr; i++)
		values[i] = d->rows[i].value[METRIC_DURATION];
	median = stats__spread(values, d->rows_nr).median;
	free(values);
	return median;
}

/* Measured lengths are never equal, so as text with two digits, and of those that are far apart. */
static void put_run_length(json_t *o, double before, double after)
{
	if (!(before > 0 && after > 0) ||
	    fabs(rank_test__relative(before, after)) < RUN_LENGTHS_ALIKE)
		return;
	json_object_set_new(o, "duration_s",
			    json_pack("{ss,ss}", "before", phrases__of("%.2g", before).text,
				      "after", phrases__of("%.2g", after).text));
}

json_t *changes__environment(const struct changes *c)
{
	const struct dataset *before = c->before->dataset, *after = c->after->dataset;
	json_t *o = json_object();

	put_differences(o, before->environment, after->environment);
	put_differences(o, before->conditions, after->conditions);
	put_run_length(o, run_length(before), run_length(after));
	return o;
}

const char *changes__made_otherwise(const struct changes *c, const char *across)
{
	return run_conditions__difference(c->before->dataset->conditions,
					  c->after->dataset->conditions, across, true);
}

static bool failed(const struct dataset *d, const struct cell *cell)
{
	for (size_t i = 0; i < d->failures_nr; i++) {
		const struct dataset_failure *f = &d->failures[i];

		if (f->mode && strcmp(f->mode, mode__name(cell->mode)) == 0 &&
		    f->size == cell->size && f->threads == cell->threads)
			return true;
	}
	return false;
}

enum untestable untestable__of(const struct changes *c, struct cell *before, enum metric *m)
{
	struct cell *after = analysis__peer(c->after, before, before->mode);

	if (!after)
		return failed(c->after->dataset, before) ? UNTESTABLE_FAILED : UNTESTABLE_ABSENT;
	for (*m = 0; *m < METRIC_NR; ++*m) {
		size_t b = analysis__estimate(c->before, before, *m).n;
		size_t a = analysis__estimate(c->after, after, *m).n;

		if (!c->gates[*m] || !b || (*m == METRIC_COPIES && !c->by_name))
			continue;
		if (!a)
			return UNTESTABLE_NULL;
		if (a < 2 || b < 2 || !rank_test__can_differ(a, b, c->tests[*m]))
			return UNTESTABLE_FEW;
	}
	return UNTESTABLE_NONE;
}

enum gate gate__of(const struct changes *c, double limit, const char *across)
{
	enum metric m;

	if (isnan(limit))
		return GATE_NONE;
	if (changes__made_otherwise(c, across) || !c->gated)
		return GATE_CANNOT_TELL;
	if (changes__regressions(c, limit))
		return GATE_FAILED;
	for (size_t i = 0; i < c->before->cells_nr; i++)
		if (untestable__of(c, &c->before->cells[i], &m))
			return GATE_CANNOT_TELL;
	return GATE_PASSED;
}
