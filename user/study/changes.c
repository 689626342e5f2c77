/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed between two data sets; see changes.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/block_test.h"
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

/* Better or worse, once it is known to be no chance. */
static enum change_kind kind_of(const struct change *x, double limit)
{
	if (!x->before.n || !x->after.n)
		return CHANGE_MISSING;
	if (isnan(x->p))
		return CHANGE_CANNOT_SAY;
	if (!(x->p <= limit) || fabs(x->change) < CHANGE_MIN || x->after.median == x->before.median)
		return CHANGE_NOISE;
	return direction(x->metric, x->after.median > x->before.median);
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
		.before = b,
		.after = a,
		.change = a.n && b.n && b.median != 0 ? a.median / b.median - 1 : (double)NAN,
		.p = (double)NAN,
		.gate_p = (double)NAN,
	};
	if (!a.n || !b.n)
		x->reason = analysis__reason(a.n ? c->before : c->after, m);
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

/* What is tested together: values by block, those before first. */
struct test_table {
	struct block_test t;
	double *values, *p;
	int *group;
	size_t *change; /* of each test: its place in the list */
};

static void test_table__free(struct test_table *t)
{
	free(t->values);
	free(t->p);
	free(t->group);
	free(t->change);
}

static int test_table__init(struct test_table *t, const struct changes *c)
{
	size_t blocks = c->before->blocks_nr + c->after->blocks_nr;

	*t = (struct test_table){
		.values = array__new(c->nr * blocks, sizeof(double)),
		.p = array__new(2 * c->nr, sizeof(double)),
		.group = array__new(c->nr, sizeof(int)),
		.change = array__new(c->nr, sizeof(size_t)),
	};
	if (!t->values || !t->p || !t->group || !t->change)
		return -ENOMEM;
	t->t = (struct block_test){.values = t->values,
				   .group = t->group,
				   .blocks = blocks,
				   .p = t->p,
				   .adjusted = t->p + c->nr};
	return 0;
}

static void put_rounds(const struct analysis *a, const struct change *x, double *row)
{
	const struct cell *cell = analysis__cell(a, x->mode, x->size, x->threads);

	for (size_t i = 0; i < cell->rows_nr; i++)
		row[analysis__block(a, &cell->rows[i])] = cell->rows[i].value[x->metric];
}

/* As shares of the median, so that a group's noise is of one kind; sign -1: higher is worse. */
static void scale(double *row, size_t n, double median, double sign)
{
	for (size_t b = 0; b < n; b++)
		row[b] = sign * (median > 0 ? row[b] / median : row[b]);
}

/* A group for each metric that is compared, numbered without gaps. */
static int group_of(enum metric m)
{
	int group = 0;

	for (int i = 0; i < (int)m; i++)
		group += *metric__name((enum metric)i) != '\0';
	return group;
}

static void add_test(struct test_table *t, const struct changes *c, size_t i, double sign)
{
	const struct change *x = &c->list[i];
	double *row = t->values + t->t.tests * t->t.blocks;
	double median = x->before.median / 2 + x->after.median / 2;

	for (size_t b = 0; b < t->t.blocks; b++)
		row[b] = (double)NAN;
	put_rounds(c->before, x, row);
	put_rounds(c->after, x, row + c->before->blocks_nr);
	scale(row, t->t.blocks, median, sign);
	t->group[t->t.tests] = group_of(x->metric);
	t->change[t->t.tests++] = i;
}

static bool can_tell(const struct change *x)
{
	return block_test__two_samples_floor(x->before.n, x->after.n, false) <= CHANGE_FALSE_SHARE;
}

static int test_list(struct changes *c)
{
	struct test_table t;
	int err = test_table__init(&t, c);
	double limit;

	/* The p of the list are found among all tests of a number, which resolves what few rounds
	 * of one cannot; that one alone could tell is asked all the same. */
	for (size_t i = 0; !err && i < c->nr; i++)
		if (can_tell(&c->list[i]))
			add_test(&t, c, i, 1);
	if (!err)
		err = block_test__two_samples(&t.t, c->before->blocks_nr, false);
	for (size_t i = 0; !err && i < t.t.tests; i++)
		c->list[t.change[i]].p = t.t.p[i];
	limit = err ? -1 : block_test__discovery_limit(t.p, t.t.tests, CHANGE_FALSE_SHARE);
	if (isnan(limit))
		err = -ENOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		c->list[i].kind = kind_of(&c->list[i], limit);
		c->of_kind[c->list[i].kind]++;
	}
	test_table__free(&t);
	return err;
}

bool changes__can_gate(size_t before, size_t after)
{
	return before && after &&
	       block_test__two_samples_floor(before, after, true) <= CHANGE_GATE_LEVEL;
}

static bool is_gated(const struct changes *c, const struct change *x)
{
	return c->gates[x->metric] && changes__can_gate(x->before.n, x->after.n);
}

static void set_gates(struct changes *c, const bool metrics[METRIC_NR], const bool *gate)
{
	for (int m = 0; m < METRIC_NR; m++)
		c->gates[m] = metrics[m] && *metric__name((enum metric)m) &&
			      metric__better((enum metric)m) != BETTER_NEITHER &&
			      (gate ? gate[m] : m == METRIC_GBPS || m == METRIC_CPU_NS_PER_KIB);
}

static int test_gate(struct changes *c)
{
	struct test_table t;
	int err = test_table__init(&t, c);

	for (size_t i = 0; !err && i < c->nr; i++)
		if (is_gated(c, &c->list[i]))
			add_test(&t, c, i,
				 metric__better(c->list[i].metric) == BETTER_HIGHER ? -1 : 1);
	if (!err)
		err = block_test__two_samples(&t.t, c->before->blocks_nr, true);
	for (size_t i = 0; !err && i < t.t.tests; i++)
		c->list[t.change[i]].gate_p = t.t.adjusted[i];
	c->gated = t.t.tests;
	test_table__free(&t);
	return err;
}

int changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		  const bool metrics[METRIC_NR], const bool gate[METRIC_NR])
{
	int err;

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
	err = test_list(c);
	return err ? err : test_gate(c);
}

void changes__clear(struct changes *c)
{
	free(c->list);
	*c = (struct changes){0};
}

bool change__is_regression(const struct change *c, double limit)
{
	bool higher = c->after.median > c->before.median;

	if (!(c->gate_p <= CHANGE_GATE_LEVEL) || c->after.median == c->before.median ||
	    direction(c->metric, higher) != CHANGE_WORSE)
		return false;
	return isnan(c->change) || fabs(c->change) > limit;
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

double changes__false_expected(const struct changes *c)
{
	return CHANGE_FALSE_SHARE * (double)(c->of_kind[CHANGE_BETTER] + c->of_kind[CHANGE_WORSE] +
					     c->of_kind[CHANGE_OTHER]);
}

/* null: nothing to compare; NULL: out of memory. */
static json_t *as_text(const json_t *value)
{
	char *text;
	json_t *result;

	if (!value || json_is_null(value) || json_is_string(value))
		return json_is_string(value) && *json_string_value(value)
			       ? json_string(json_string_value(value))
			       : json_null();
	text = json_text(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	result = text ? json_value__text(text) : NULL;
	free(text);
	return result;
}

/* Puts the key when the two differ; what only one knows is no difference. */
static int put_difference(json_t *o, const char *key, const json_t *before, const json_t *after)
{
	json_t *b = as_text(before), *a = as_text(after), *pair;
	int err = 0;

	if (!b || !a || json_is_null(b) || json_is_null(a) || json_equal(a, b)) {
		err = b && a ? 0 : -1;
		json_decref(b);
		json_decref(a);
		return err;
	}
	pair = json_object();
	err |= json_put(pair, "before", b);
	err |= json_put(pair, "after", a);
	return json_put(o, key, json_finish(pair, err));
}

json_t *changes__environment(const struct changes *c)
{
	const json_t *before = c->before->dataset->environment;
	const json_t *after = c->after->dataset->environment;
	json_t *o = json_object(), *value;
	const char *key;
	int err = 0;

	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)before, key, value) {
		if (!json_key__is_reason(key))
			err |= put_difference(o, key, value, json_object_get(after, key));
	}
	json_object_foreach(c->before->dataset->settings, key, value)
		err |= put_difference(o, key, value,
				      json_object_get(c->after->dataset->settings, key));
	return json_finish(o, err);
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
