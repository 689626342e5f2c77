/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as a JSON document; docs/OUTPUT.md, "Comparison". */
#include <math.h>

#include "study/unjudged.h"
#include "write/json.h"

#define COMPARE_SCHEMA "netiotrace.compare/1"

static const char *kind_name(enum change_kind kind)
{
	static const char *const names[] = {
		[CHANGE_MISSING] = "missing", [CHANGE_CANNOT_SAY] = "cannot_say",
		[CHANGE_NOISE] = "noise",     [CHANGE_BETTER] = "better",
		[CHANGE_WORSE] = "worse",     [CHANGE_OTHER] = "different",
	};

	return names[kind];
}

/* json_value__real() makes null of what is no number. */
static json_t *estimate_json(const struct estimate *e)
{
	json_t *o = json_object();

	json_put(o, "median", json_value__real(e->median));
	json_put(o, "low", json_value__real(e->low));
	json_put(o, "high", json_value__real(e->high));
	json_put(o, "coverage", json_value__real(e->coverage));
	json_put_u64(o, "n", e->n);
	return o;
}

static const char *reason_of(const struct change *c)
{
	if (c->kind == CHANGE_MISSING)
		return c->reason;
	if (c->kind == CHANGE_CANNOT_SAY)
		return c->difference == DIFFERENCE_POINT
			       ? "one round on a side: a point difference without an interval"
			       : "too few rounds to show a difference";
	return isnan(c->change) ? "a change from 0 has no ratio" : NULL;
}

static json_t *change_json(const struct change *c, double limit)
{
	json_t *o = json_object();
	const char *reason = reason_of(c);

	json_put(o, "mode", json_value__text(mode__name(c->mode)));
	json_put_u64(o, "size", c->size);
	json_put(o, "threads", c->threads ? json_value__u64(c->threads) : json_null());
	json_put(o, "metric", json_value__text(metric__name(c->metric)));
	json_put(o, "unit", json_value__text(metric__unit(c->metric)));
	json_put(o, "before", estimate_json(&c->before));
	json_put(o, "after", estimate_json(&c->after));
	json_put(o, "change", json_value__real(c->change));
	json_put(o, "change_low", json_value__real(c->low));
	json_put(o, "change_high", json_value__real(c->high));
	json_put(o, "change_coverage", json_value__real(c->coverage));
	json_put(o, "p", json_value__real(c->p));
	json_put(o, "gate_p", json_value__real(c->gate_p));
	json_put(o, "verdict", json_value__text(kind_name(c->kind)));
	json_put(o, "regression", json_boolean(change__is_regression(c, limit)));
	if (reason)
		json_put(o, "reason", json_value__text(reason));
	return o;
}

static json_t *list_json(const struct changes *c, double limit)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->nr; i++)
		json_array_append_new(array, change_json(&c->list[i], limit));
	return array;
}

static json_t *counts_json(const struct changes *c)
{
	json_t *o = json_object();

	for (int kind = 0; kind <= CHANGE_OTHER; kind++)
		json_put_u64(o, kind_name((enum change_kind)kind), c->of_kind[kind]);
	json_put(o, "false_expected", json_value__real(changes__false_expected(c)));
	return o;
}

static json_t *gate_json(enum gate gate)
{
	static const char *const names[] = {
		[GATE_PASSED] = "passed",
		[GATE_FAILED] = "failed",
		[GATE_CANNOT_TELL] = "cannot_tell",
	};

	return gate == GATE_NONE ? json_null() : json_value__text(names[gate]);
}

static json_t *side_json(const char *name, const struct analysis *a, size_t only_here)
{
	json_t *o = json_object();

	json_put(o, "name", json_value__text(name));
	json_put(o, "version", json_value__text(a->dataset->version));
	json_put_u64(o, "runs", a->dataset->rows_nr);
	json_put_u64(o, "failed", a->dataset->failures_nr);
	json_put_u64(o, "cells", a->cells_nr);
	json_put_u64(o, "cells_only_here", only_here);
	return o;
}

json_t *changes__json(const struct changes *c, const struct changes_names *names, double limit)
{
	enum gate gate = gate__of(c, limit, names->across);
	bool told = gate == GATE_PASSED || gate == GATE_FAILED;
	json_t *o = json_object();

	json_put(o, "schema", json_value__text(COMPARE_SCHEMA));
	json_put(o, "before", side_json(names->before, c->before, c->cells_before));
	json_put(o, "after", side_json(names->after, c->after, c->cells_after));
	json_put(o, "environment_differs", changes__environment(c));
	json_put_u64(o, "cells_compared", c->cells);
	json_put(o, "fail_on_regression", json_value__real(limit));
	json_put(o, "regressions",
		 told ? json_value__u64(changes__regressions(c, limit)) : json_null());
	json_put(o, "gate", gate_json(gate));
	json_put(o, "verdicts", counts_json(c));
	/* Only what makes the gate fail is a regression: no ratio is above infinity. */
	json_put(o, "changes", list_json(c, gate == GATE_FAILED ? limit : (double)INFINITY));
	return o;
}
