/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed between two data sets; see changes.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rank_test.h"
#include "changes.h"
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
 * Instructions per cycle have no better direction of their own: fewer instructions for the same
 * work lower it, too. Copies per byte, cycles and CPU time say what got better.
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

static size_t cells_missing(const struct analysis *from, const struct analysis *in)
{
	size_t n = 0;

	for (size_t i = 0; i < from->cells_nr; i++) {
		const struct cell *cell = &from->cells[i];

		n += !analysis__cell(in, cell->mode, cell->size, cell->threads);
	}
	return n;
}

static void take_rounds(const struct cell *cell, enum metric m, double *values)
{
	for (size_t i = 0; i < cell->rows_nr; i++)
		values[i] = cell->rows[i].value[m];
}

static int test_change(const struct changes *c, struct change *x)
{
	size_t n = x->cell_after->rows_nr, m = x->cell_before->rows_nr;
	double *values = array__new(n + m, sizeof(*values));
	size_t tests = c->tests[x->metric] ? c->tests[x->metric] : 1;
	struct rank_test t;
	int err = -ENOMEM;

	if (values) {
		take_rounds(x->cell_after, x->metric, values);
		take_rounds(x->cell_before, x->metric, values + n);
		err = rank_test__of(&t, values, n, values + n, m, tests);
	}
	free(values);
	if (err)
		return err;
	x->change = t.change;
	x->low = t.low;
	x->high = t.high;
	x->coverage = t.coverage;
	x->p = t.n < 2 || t.m < 2 ? (double)NAN : t.p;
	x->difference = t.difference;
	if (x->gated)
		x->gate_p = fmin(1, x->p * (double)tests);
	return 0;
}

static int test_list(struct changes *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		struct change *x = &c->list[i];

		if (test_change(c, x))
			return -ENOMEM;
		x->kind = kind_of(x);
		c->of_kind[x->kind]++;
		c->gated += x->gated && x->kind > CHANGE_CANNOT_SAY;
	}
	return 0;
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

int changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		  const bool metrics[METRIC_NR], const bool gate[METRIC_NR])
{
	*c = (struct changes){.before = before, .after = after};
	set_gates(c, metrics, gate);
	c->list = array__new(before->cells_nr * METRIC_NR, sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	for (size_t i = 0; i < before->cells_nr; i++) {
		struct cell *b = &before->cells[i];
		struct cell *a = analysis__cell(after, b->mode, b->size, b->threads);

		if (!a)
			continue;
		compare_cell(c, b, a, metrics);
		c->cells++;
	}
	c->cells_before = cells_missing(before, after);
	c->cells_after = cells_missing(after, before);
	if (analysis__lacked_memory(before) | analysis__lacked_memory(after))
		return -ENOMEM;
	return test_list(c);
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
	char *text;
	json_t *result;

	if (!value || json_is_null(value) || json_is_string(value))
		return json_is_string(value) && *json_string_value(value)
			       ? json_string(json_string_value(value))
			       : json_null();
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	result = json_value__text(text);
	free(text);
	return result;
}

/* Puts the key when the two differ; what only one knows is no difference. */
static void put_difference(json_t *o, const char *key, const json_t *before, const json_t *after)
{
	json_t *b = as_text(before), *a = as_text(after), *pair;

	if (json_is_null(b) || json_is_null(a) || json_equal(a, b)) {
		json_decref(b);
		json_decref(a);
		return;
	}
	pair = json_object();
	json_put(pair, "before", b);
	json_put(pair, "after", a);
	json_put(o, key, pair);
}

json_t *changes__environment(const struct changes *c)
{
	const json_t *before = c->before->dataset->environment;
	const json_t *after = c->after->dataset->environment;
	json_t *o = json_object(), *value;
	const char *key;

	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)before, key, value) {
		if (!json_key__is_reason(key))
			put_difference(o, key, value, json_object_get(after, key));
	}
	json_object_foreach(c->before->dataset->settings, key, value)
		put_difference(o, key, value, json_object_get(c->after->dataset->settings, key));
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
