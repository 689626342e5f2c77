/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes between two data sets; see changes.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "common/xalloc.h"
#include "settings.h"
#include "write/json.h"

int change_metric__parse(const char *name, enum metric *m)
{
	for (int i = 0; *name && i < METRIC_NR; i++) {
		if (strcmp(metric__name((enum metric)i), name) == 0) {
			*m = (enum metric)i;
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Instructions per cycle have no better direction: fewer instructions for the same work also lower
 * them. Copies per byte, cycles and CPU time show what improved.
 */
static enum change_kind direction(enum metric m, bool higher)
{
	if (m == METRIC_IPC)
		return CHANGE_OTHER;
	switch (metric__better(m)) {
	case BETTER_HIGHER:
		return higher ? CHANGE_BETTER : CHANGE_WORSE;
	case BETTER_LOWER:
		return higher ? CHANGE_WORSE : CHANGE_BETTER;
	default:
		return CHANGE_OTHER;
	}
}

static enum change_kind kind_of(const struct change *x)
{
	switch (x->difference) {
	case DIFFERENCE_UNKNOWN:
		return CHANGE_MISSING;
	case DIFFERENCE_POINT:
	case DIFFERENCE_FEW:
		return CHANGE_CANNOT_SAY;
	case DIFFERENCE_NOISE:
		return CHANGE_NOISE;
	default:
		return fabs(x->change) < CHANGE_MIN
			       ? CHANGE_NOISE
			       : direction(x->metric, x->difference == DIFFERENCE_HIGHER);
	}
}

static void add_change(struct changes *c, struct cell *before, struct cell *after, enum metric m)
{
	struct change *x = &c->list[c->nr];
	struct estimate b = analysis__estimate(c->before, before, m);
	struct estimate a = analysis__estimate(c->after, after, m);

	if (!a.n && !b.n)
		return;
	*x = (struct change){
		.mode = before->mode,
		.size = before->size,
		.threads = before->threads,
		.metric = m,
		.cell_before = before,
		.cell_after = after,
		.before = b,
		.after = a,
		.gated = c->gates[m],
		.gate_p = (double)NAN,
	};
	if (!a.n || !b.n)
		x->reason = analysis__reason(a.n ? c->before : c->after, m);
	/* With one round on a side there is no test, only a point difference. */
	c->tests[m] += a.n >= 2 && b.n >= 2;
	c->nr++;
}

static void compare_cell(struct changes *c, struct cell *before, struct cell *after,
			 const bool metrics[METRIC_NR])
{
	for (int m = 0; m < METRIC_NR; m++)
		if (metrics[m] && *metric__name((enum metric)m))
			add_change(c, before, after, (enum metric)m);
}

static void test_change(const struct changes *c, struct change *x)
{
	size_t tests = c->tests[x->metric] ? c->tests[x->metric] : 1;
	struct finding f = analysis__compare_across(c->after, x->cell_after, c->before,
						    x->cell_before, x->metric, tests);

	x->change = f.change;
	x->low = f.low;
	x->high = f.high;
	x->coverage = f.coverage;
	x->p = f.a.n < 2 || f.b.n < 2 ? (double)NAN : f.p;
	x->difference = f.difference;
	x->kind = kind_of(x);
	if (x->gated)
		x->gate_p = fmin(1, x->p * (double)tests);
}

bool changes__can_tell(const struct changes *c, enum metric m, size_t before, size_t after)
{
	return before >= 2 && after >= 2 && rank_test__can_tell(after, before, c->tests[m]);
}

static void set_gates(struct changes *c, const bool metrics[METRIC_NR], const bool *gate)
{
	for (int m = 0; m < METRIC_NR; m++)
		c->gates[m] = metrics[m] && *metric__name((enum metric)m) &&
			      metric__better((enum metric)m) != BETTER_NEITHER &&
			      (gate ? gate[m] : m == METRIC_GBPS || m == METRIC_CPU_NS_PER_KIB);
}

void changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		   const bool metrics[METRIC_NR], const bool gate[METRIC_NR])
{
	*c = (struct changes){.before = before, .after = after};
	set_gates(c, metrics, gate);
	c->list = xcalloc(before->cells_nr * METRIC_NR, sizeof(*c->list));
	for (size_t i = 0; i < before->cells_nr; i++) {
		struct cell *b = &before->cells[i];
		struct cell *a = analysis__cell(after, b->mode, b->size, b->threads);

		if (a)
			compare_cell(c, b, a, metrics);
		c->cells += a != NULL;
	}
	c->cells_before = before->cells_nr - c->cells;
	c->cells_after = after->cells_nr - c->cells;
	for (struct change *x = c->list; x < c->list + c->nr; x++) {
		test_change(c, x);
		c->of_kind[x->kind]++;
		c->gated += x->gated && x->kind > CHANGE_CANNOT_SAY;
	}
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
	return isnan(c->change) ? limit < (double)INFINITY : fabs(c->change) > limit;
}

size_t changes__regressions(const struct changes *c, double limit)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr; i++)
		n += change__is_regression(&c->list[i], limit);
	return n;
}

bool changes__gate_can_tell(const struct changes *c)
{
	return c->gated > 0;
}

size_t changes__metrics(const struct changes *c)
{
	size_t n = 0;

	for (int m = 0; m < METRIC_NR; m++)
		n += c->tests[m] > 0;
	return n;
}

double changes__false_expected(const struct changes *c)
{
	return RANK_LEVEL * (double)changes__metrics(c);
}

/* null: nothing to compare. */
static json_t *as_text(const json_t *value)
{
	const char *string = json_string_value(value);
	json_t *result;
	char *text;

	if (!value || json_is_null(value) || string)
		return json_value__text(string && *string ? string : NULL);
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	result = json_value__text(text);
	free(text);
	return result;
}

/* Adds the key if both values differ; a missing value is no difference. */
static void put_difference(json_t *o, const char *key, const json_t *before, const json_t *after)
{
	json_t *b = as_text(before), *a = as_text(after);

	if (!json_is_null(b) && !json_is_null(a) && !json_equal(a, b))
		json_object_set_new(o, key, json_pack("{sOsO}", "before", b, "after", a));
	json_decref(b);
	json_decref(a);
}

json_t *changes__environment(const struct changes *c)
{
	const struct dataset *before = c->before->dataset, *after = c->after->dataset;
	json_t *o = json_object(), *value;
	const char *key;

	json_object_foreach(before->environment, key, value) {
		if (!json_key__is_reason(key))
			put_difference(o, key, value, json_object_get(after->environment, key));
	}
	json_object_foreach(before->settings, key, value) {
		put_difference(o, key, value, json_object_get(after->settings, key));
	}
	return o;
}

const char *changes__made_otherwise(const struct changes *c, const char *across)
{
	const json_t *before = c->before->dataset->settings, *after = c->after->dataset->settings;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)before, key, value)
		if (settings__differs(key, value, after, across) && !settings__is_of_machine(key))
			return key;
	return NULL;
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

/* Was the metric tested, or missing in the old cell? */
static bool judge_metric(const struct changes *c, struct cell *before, struct cell *after,
			 struct untestable *u)
{
	struct estimate b = analysis__estimate(c->before, before, u->metric);
	struct estimate a = analysis__estimate(c->after, after, u->metric);

	u->why = a.n ? UNTESTABLE_FEW : UNTESTABLE_NULL;
	return !b.n || changes__can_tell(c, u->metric, b.n, a.n);
}

static bool judge_cell(const struct changes *c, struct cell *before, struct untestable *u)
{
	struct cell *after = analysis__cell(c->after, before->mode, before->size, before->threads);

	*u = (struct untestable){.cell = before};
	if (!after) {
		u->why = failed(c->after->dataset, before) ? UNTESTABLE_FAILED : UNTESTABLE_ABSENT;
		return false;
	}
	for (int m = 0; m < METRIC_NR; m++) {
		u->metric = (enum metric)m;
		if (c->gates[m] && !judge_metric(c, before, after, u))
			return false;
	}
	return true;
}

bool untestable__next(const struct changes *c, size_t *at, struct untestable *u)
{
	while (*at < c->before->cells_nr)
		if (!judge_cell(c, &c->before->cells[(*at)++], u))
			return true;
	return false;
}

enum gate gate__of(const struct changes *c, double limit, const char *across)
{
	struct untestable u;
	size_t at = 0;

	if (isnan(limit))
		return GATE_NONE;
	if (changes__made_otherwise(c, across) || !changes__gate_can_tell(c))
		return GATE_CANNOT_TELL;
	if (changes__regressions(c, limit))
		return GATE_FAILED;
	return untestable__next(c, &at, &u) ? GATE_CANNOT_TELL : GATE_PASSED;
}
