/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as text and as JSON (docs/reference/compare.md); see compare.h. */
#include <math.h>

#include "base/printable.h"
#include "common/units.h"
#include "compare.h"
#include "study/phrases.h"
#include "write/json.h"

/* The changes in words: verdicts of the text, and of the document. */
static const struct {
	const char *text, *key;
} kinds[] = {
	[CHANGE_MISSING] = {"n/a", "missing"},
	[CHANGE_CANNOT_SAY] = {"too few rounds", "cannot_say"},
	[CHANGE_NOISE] = {"no difference", "noise"},
	[CHANGE_BETTER] = {"better", "better"},
	[CHANGE_WORSE] = {"worse", "worse"},
	[CHANGE_OTHER] = {"different", "different"},
};

static const char *reason_of(const struct change *c)
{
	if (c->kind == CHANGE_MISSING)
		return c->reason;
	if (c->kind == CHANGE_CANNOT_SAY)
		return c->f.difference == DIFFERENCE_POINT ? "one round on a side has no interval"
							   : "too few rounds to show a difference";
	return isnan(c->f.change) ? "a change from 0 has no ratio" : NULL;
}

/* "too few rounds" has its cause, a difference its interval, and no difference no figure. */
static struct phrase verdict(const struct change *c, double limit)
{
	char reason[256];

	if (c->kind == CHANGE_MISSING)
		return phrases__of("n/a: %s", printable(reason, sizeof(reason), c->reason));
	if (c->f.difference == DIFFERENCE_POINT)
		return phrases__of("one round");
	return phrases__of("%s%s", kinds[c->kind].text,
			   change__is_regression(c, limit) ? ", REGRESSION" : "");
}

static struct phrase change_words(const struct change *c)
{
	struct phrase interval = phrases__change_interval(c->f.low, c->f.high);

	if (c->kind == CHANGE_NOISE || c->kind == CHANGE_MISSING)
		return phrases__of("%s", "");
	if (!*interval.text)
		return phrases__change(c->f.change);
	return phrases__of("%s (%s)", phrases__change(c->f.change).text, interval.text);
}

#define ROW_FORMAT "%-8s %6s %7s  %-24s %12s %12s  %-26s  %s\n"

static void put_change(FILE *f, const struct change *c, double limit)
{
	char size[UNITS_BUF], threads[16];

	snprintf(threads, sizeof(threads), c->before->threads ? "%u" : "n/a", c->before->threads);
	fprintf(f, ROW_FORMAT, mode__name(c->before->mode),
		format_size_short(size, sizeof(size), c->before->size), threads,
		metric__name(c->metric), phrases__value(c->metric, c->f.b.median).text,
		phrases__value(c->metric, c->f.a.median).text, change_words(c).text,
		verdict(c, limit).text);
}

static void put_changes(FILE *f, const struct changes *c, double limit, bool all)
{
	fprintf(f, ROW_FORMAT, "mode", "size", "threads", "metric", "before", "after",
		"change (interval)", "verdict");
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

static void put_count(FILE *f, size_t n, const char *what)
{
	if (n)
		fprintf(f, "%7zu  %s\n", n, what);
}

static void put_counts(FILE *f, const struct changes *c)
{
	size_t one = 0, most = 1;

	for (size_t i = 0; i < c->nr; i++)
		one += c->list[i].f.difference == DIFFERENCE_POINT;
	for (enum metric m = 0; m < METRIC_NR; m++)
		most = c->tests[m] > most ? c->tests[m] : most;
	fprintf(f, "%zu of %zu comparison%s in %zu cell%s differ%s: %zu better, %zu worse.\n",
		different(c), c->nr, plural(c->nr), c->cells, plural(c->cells),
		different(c) == 1 ? "s" : "", c->of_kind[CHANGE_BETTER], c->of_kind[CHANGE_WORSE]);
	put_count(f, c->of_kind[CHANGE_NOISE], "no difference");
	put_count(f, one, "one round on a side and so no interval (--all lists them)");
	put_count(f, c->of_kind[CHANGE_CANNOT_SAY] - one,
		  phrases__of("too few rounds (%u of each are needed)",
			      rank_test__rounds_needed(most))
			  .text);
	put_count(f, c->of_kind[CHANGE_MISSING], "a value on one side only");
	if (different(c))
		fprintf(f,
			"Where nothing differs, a metric shows any difference in at most %.0f %% "
			"of comparisons;\nmetrics tested: %zu.\n",
			RANK_LEVEL * 100, c->metrics);
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

static json_t *estimate_json(const struct estimate *e)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "median", json_value__real(e->median), "low",
			 json_value__real(e->low), "high", json_value__real(e->high), "coverage",
			 json_value__real(e->coverage), "n", json_value__u64(e->n));
}

static json_t *change_json(const struct change *c, double limit)
{
	const struct cell *cell = c->before;
	const char *reason = reason_of(c);
	json_t *o = json_pack(
		"{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b}",
		"mode", mode__name(cell->mode), "size", json_value__u64(cell->size), "threads",
		cell->threads ? json_value__u64(cell->threads) : json_null(), "metric",
		metric__name(c->metric), "unit", metric__unit(c->metric), "before",
		estimate_json(&c->f.b), "after", estimate_json(&c->f.a), "change",
		json_value__real(c->f.change), "change_low", json_value__real(c->f.low),
		"change_high", json_value__real(c->f.high), "change_coverage",
		json_value__real(c->f.coverage), "p", json_value__real(c->f.p), "gate_p",
		json_value__real(c->gate_p), "verdict", kinds[c->kind].key, "regression",
		change__is_regression(c, limit));

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
		json_object_set_new(o, kinds[kind].key, json_value__u64(c->of_kind[kind]));
	/* Metrics that show a change by chance alone where nothing differs: at most so many. */
	json_object_set_new(o, "false_expected", json_value__real(RANK_LEVEL * (double)c->metrics));
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
	bool gated = gate == GATE_PASSED || gate == GATE_FAILED;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", COMPARE_SCHEMA,
		"before", side_json(names->before, c->before, c->cells_before), "after",
		side_json(names->after, c->after, c->cells_after), "environment_differs",
		changes__environment(c), "cells_compared", json_value__u64(c->cells),
		"fail_on_regression", json_value__real(limit), "regressions",
		gated ? json_value__u64(changes__regressions(c, limit)) : json_null(), "gate",
		json_value__text(gates[gate]), "verdicts", counts_json(c),
		/* Only what makes the gate fail is a regression: no ratio is above infinity. */
		"changes", list_json(c, gate == GATE_FAILED ? limit : (double)INFINITY));
}
