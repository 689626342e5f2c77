/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed between two data sets; see changes.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "write/json.h"

/* Up to here the bootstrap interval of a median is the range of the rounds. */
#define RANGE_ROUNDS_MAX 5

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

static enum change_kind direction(enum metric m, bool higher)
{
	switch (metric__better(m)) {
	case BETTER_HIGHER:
		return higher ? CHANGE_BETTER : CHANGE_WORSE;
	case BETTER_LOWER:
		return higher ? CHANGE_WORSE : CHANGE_BETTER;
	default:
		return CHANGE_OTHER;
	}
}

static enum change_kind kind_of(enum metric m, const struct comparison *c)
{
	switch (c->difference) {
	case DIFFERENCE_UNKNOWN:
		return CHANGE_MISSING;
	case DIFFERENCE_POINT:
		return CHANGE_CANNOT_SAY;
	case DIFFERENCE_NOISE:
		return CHANGE_NOISE;
	default:
		if (fabs(c->change) < CHANGE_MIN)
			return CHANGE_NOISE;
		return direction(m, c->difference == DIFFERENCE_HIGHER);
	}
}

static void add_change(struct changes *c, struct cell *before, struct cell *after, enum metric m)
{
	struct change *x = &c->list[c->nr];
	struct estimate b = analysis__estimate(c->before, before, m);
	struct estimate a = analysis__estimate(c->after, after, m);
	struct comparison comparison = estimate__compare(&a, &b);

	if (!a.n && !b.n)
		return;
	*x = (struct change){
		.mode = before->mode,
		.size = before->size,
		.threads = before->threads,
		.metric = m,
		.before = b,
		.after = a,
		.change = comparison.change,
		.kind = kind_of(m, &comparison),
	};
	if (x->kind == CHANGE_MISSING)
		x->reason = analysis__reason(a.n ? c->before : c->after, m);
	c->of_kind[x->kind]++;
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

int changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		  const bool metrics[METRIC_NR])
{
	*c = (struct changes){.before = before, .after = after};
	c->list = calloc(before->cells_nr * METRIC_NR + 1, sizeof(*c->list));
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
	return 0;
}

void changes__clear(struct changes *c)
{
	free(c->list);
	*c = (struct changes){0};
}

bool change__is_regression(const struct change *c, double limit)
{
	if (c->kind != CHANGE_WORSE)
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

static double chance(unsigned int n, unsigned int m)
{
	double orders = 1;

	for (unsigned int i = 1; i <= n; i++)
		orders = orders * (m + i) / i;
	return 2 / orders;
}

double changes__by_chance(const struct changes *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct change *x = &c->list[i];

		if (x->kind < CHANGE_NOISE || x->before.n > RANGE_ROUNDS_MAX ||
		    x->after.n > RANGE_ROUNDS_MAX)
			continue;
		/* What is the same in all rounds (copies per byte) is not subject to chance. */
		if (x->before.low == x->before.high && x->after.low == x->after.high)
			continue;
		sum += chance(x->before.n, x->after.n);
	}
	return sum;
}

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
	return json_finish(o, err);
}
