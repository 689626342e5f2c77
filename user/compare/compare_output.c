/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as text and as JSON (docs/reference/compare.md); see compare_output.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "compare_output.h"
#include "study/phrases.h"
#include "write/json.h"

#define VALUE_MAX (3 * PHRASE_BUF)

/* "cannot say" has its cause; what differs has an interval, and what does not has no figure. */
static void format_verdict(char *buf, size_t len, const struct change *c, double limit)
{
	static const char *const texts[] = {
		[CHANGE_NOISE] = "no difference",
		[CHANGE_BETTER] = "better",
		[CHANGE_WORSE] = "worse",
		[CHANGE_OTHER] = "different",
	};
	char reason[256];

	if (c->kind == CHANGE_MISSING)
		snprintf(buf, len, "n/a: %s", printable(reason, sizeof(reason), c->reason));
	else if (c->kind == CHANGE_CANNOT_SAY)
		snprintf(buf, len,
			 c->difference == DIFFERENCE_POINT ? "point difference, one round"
							   : "too few rounds");
	else
		snprintf(buf, len, "%s%s", texts[c->kind],
			 change__is_regression(c, limit) ? ", REGRESSION" : "");
}

static void format_change(char *buf, size_t len, const struct change *c)
{
	char change[PHRASE_BUF], interval[2 * PHRASE_BUF];

	buf[0] = '\0';
	if (c->kind == CHANGE_NOISE || c->kind == CHANGE_MISSING)
		return;
	phrases__change(change, sizeof(change), c->change);
	phrases__change_interval(interval, sizeof(interval), c->low, c->high);
	snprintf(buf, len, *interval ? "%s (%s)" : "%s", change, interval);
}

static void put_change(FILE *f, const struct change *c, double limit)
{
	char size[UNITS_BUF], before[VALUE_MAX], after[VALUE_MAX], change[VALUE_MAX], threads[16];
	char verdict[VALUE_MAX];

	phrases__value(before, sizeof(before), c->metric, c->before.median);
	phrases__value(after, sizeof(after), c->metric, c->after.median);
	format_change(change, sizeof(change), c);
	format_verdict(verdict, sizeof(verdict), c, limit);
	snprintf(threads, sizeof(threads), "%u", c->threads);
	fprintf(f, "%-9s %6s %7s  %-24s %14s %14s  %-32s  %s\n", mode__name(c->mode),
		format_size_short(size, sizeof(size), c->size), c->threads ? threads : "n/a",
		metric__name(c->metric), before, after, change, verdict);
}

static void put_changes(FILE *f, const struct changes *c, double limit, bool all)
{
	fprintf(f, "%-9s %6s %7s  %-24s %14s %14s  %-32s  %s\n", "mode", "size", "threads",
		"metric", "before", "after", "change (interval)", "verdict");
	for (size_t i = 0; i < c->nr; i++)
		if (all || c->list[i].kind > CHANGE_NOISE)
			put_change(f, &c->list[i], limit);
	fputc('\n', f);
}

static void put_side(FILE *f, const char *side, const char *name, const struct analysis *a,
		     size_t only_here)
{
	fprintf(f, "%-7s %s: %zu run%s of %zu cell%s", side, name, a->dataset->rows_nr,
		plural(a->dataset->rows_nr), a->cells_nr, plural(a->cells_nr));
	if (a->rounds_min == a->rounds_max)
		fprintf(f, ", %zu round%s", a->rounds_max, plural(a->rounds_max));
	else
		fprintf(f, ", %zu to %zu rounds", a->rounds_min, a->rounds_max);
	if (a->dataset->failures_nr)
		fprintf(f, ", %zu failed", a->dataset->failures_nr);
	if (only_here)
		fprintf(f, "; %zu cell%s only here", only_here, only_here == 1 ? " is" : "s are");
	fputc('\n', f);
}

static void put_environment(FILE *f, const struct changes *c, const char *across)
{
	json_t *differs = changes__environment(c), *pair;
	char name[64], before[512], after[512];
	const char *key;

	json_object_foreach(differs, key, pair) {
		fprintf(f, "differs %s: %s -> %s%s\n", printable(name, sizeof(name), key),
			printable(before, sizeof(before),
				  json_string_value(json_object_get(pair, "before"))),
			printable(after, sizeof(after),
				  json_string_value(json_object_get(pair, "after"))),
			json_environment__passes(key) ? " (of the first run each)" : "");
	}
	json_decref(differs);
	key = changes__made_otherwise(c, across);
	if (key)
		fprintf(f,
			"The two differ in the setting %s, which can cause any of the changes "
			"below.\n",
			key);
}

static size_t different(const struct changes *c)
{
	return c->of_kind[CHANGE_BETTER] + c->of_kind[CHANGE_WORSE] + c->of_kind[CHANGE_OTHER];
}

static size_t points(const struct changes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr; i++)
		n += c->list[i].kind == CHANGE_CANNOT_SAY &&
		     c->list[i].difference == DIFFERENCE_POINT;
	return n;
}

static void put_counts(FILE *f, const struct changes *c)
{
	size_t point = points(c), few = c->of_kind[CHANGE_CANNOT_SAY] - point, most = 1;

	fprintf(f,
		"%zu of %zu comparison%s in %zu cell%s differ%s (%zu better, %zu worse), %zu do%s "
		"not",
		different(c), c->nr, plural(c->nr), c->cells, plural(c->cells),
		different(c) == 1 ? "s" : "", c->of_kind[CHANGE_BETTER], c->of_kind[CHANGE_WORSE],
		c->of_kind[CHANGE_NOISE], c->of_kind[CHANGE_NOISE] == 1 ? "es" : "");
	for (int m = 0; m < METRIC_NR; m++)
		most = c->tests[m] > most ? c->tests[m] : most;
	if (point)
		fprintf(f,
			", %zu %s one round on a side: point difference%s without an interval "
			"(list with --all)",
			point, point == 1 ? "has" : "have", plural(point));
	if (few)
		fprintf(f, ", %zu %s too few rounds: %u of each are needed", few,
			few == 1 ? "has" : "have", rank_test__rounds_needed(most));
	if (c->of_kind[CHANGE_MISSING])
		fprintf(f, ", %zu %s a value on one side only", c->of_kind[CHANGE_MISSING],
			c->of_kind[CHANGE_MISSING] == 1 ? "has" : "have");
	fputs(".\n", f);
	if (different(c))
		fprintf(f,
			"Where nothing differs, a metric shows any difference in at most %.0f %% "
			"of comparisons; %zu metric%s tested.\n",
			RANK_LEVEL * 100, changes__metrics(c),
			changes__metrics(c) == 1 ? " was" : "s were");
}

/* The same decision as the exit status. */
static void put_gate(FILE *f, const struct changes *c, double limit, enum gate gate)
{
	size_t n = changes__regressions(c, limit);

	if (gate == GATE_FAILED)
		fprintf(f,
			"Gate FAILED: %zu of %zu gated comparison%s %s worse by more than %g %%.\n",
			n, c->gated, plural(c->gated), n == 1 ? "is" : "are", limit * 100);
	else if (gate == GATE_PASSED)
		fprintf(f,
			"Gate passed: none of %zu gated comparison%s is worse by more than %g "
			"%%.\n",
			c->gated, plural(c->gated), limit * 100);
	else if (gate == GATE_CANNOT_TELL)
		fputs("Gate CANNOT TELL: see the message of --fail-on-regression.\n", f);
}

void compare_output__text(const struct changes *c, const struct compared *names, double limit,
			  bool all, FILE *f)
{
	enum gate gate = gate__of(c, limit, names->across);
	/* Only what makes the gate fail is called a regression: no ratio is above infinity. */
	double over = gate == GATE_FAILED ? limit : (double)INFINITY;

	put_side(f, "before", names->before, c->before, c->cells_before);
	put_side(f, "after", names->after, c->after, c->cells_after);
	put_environment(f, c, names->across);
	fputc('\n', f);
	if (all ? c->nr : different(c))
		put_changes(f, c, over, all);
	put_counts(f, c);
	put_gate(f, c, limit, gate);
}

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

static json_t *estimate_json(const struct estimate *e)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "median", json_value__real(e->median), "low",
			 json_value__real(e->low), "high", json_value__real(e->high), "coverage",
			 json_value__real(e->coverage), "n", json_value__u64(e->n));
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
	const char *reason = reason_of(c);
	json_t *o = json_pack(
		"{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b}",
		"mode", mode__name(c->mode), "size", json_value__u64(c->size), "threads",
		c->threads ? json_value__u64(c->threads) : json_null(), "metric",
		metric__name(c->metric), "unit", metric__unit(c->metric), "before",
		estimate_json(&c->before), "after", estimate_json(&c->after), "change",
		json_value__real(c->change), "change_low", json_value__real(c->low), "change_high",
		json_value__real(c->high), "change_coverage", json_value__real(c->coverage), "p",
		json_value__real(c->p), "gate_p", json_value__real(c->gate_p), "verdict",
		kind_name(c->kind), "regression", change__is_regression(c, limit));

	if (reason)
		json_object_set_new(o, "reason", json_value__text(reason));
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
		json_object_set_new(o, kind_name((enum change_kind)kind),
				    json_value__u64(c->of_kind[kind]));
	json_object_set_new(o, "false_expected", json_value__real(changes__false_expected(c)));
	return o;
}

static json_t *side_json(const char *name, const struct analysis *a, size_t only_here)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_value__text(name), "version",
		json_value__text(a->dataset->version), "runs", json_value__u64(a->dataset->rows_nr),
		"failed", json_value__u64(a->dataset->failures_nr), "cells",
		json_value__u64(a->cells_nr), "cells_only_here", json_value__u64(only_here));
}

json_t *compare_output__json(const struct changes *c, const struct compared *names, double limit)
{
	static const char *const gates[] = {[GATE_NONE] = NULL,
					    [GATE_PASSED] = "passed",
					    [GATE_FAILED] = "failed",
					    [GATE_CANNOT_TELL] = "cannot_tell"};
	enum gate gate = gate__of(c, limit, names->across);
	bool told = gate == GATE_PASSED || gate == GATE_FAILED;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", COMPARE_SCHEMA,
		"before", side_json(names->before, c->before, c->cells_before), "after",
		side_json(names->after, c->after, c->cells_after), "environment_differs",
		changes__environment(c), "cells_compared", json_value__u64(c->cells),
		"fail_on_regression", json_value__real(limit), "regressions",
		told ? json_value__u64(changes__regressions(c, limit)) : json_null(), "gate",
		json_value__text(gates[gate]), "verdicts", counts_json(c),
		/* Only what makes the gate fail is a regression: no ratio is above infinity. */
		"changes", list_json(c, gate == GATE_FAILED ? limit : (double)INFINITY));
}
