/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison as text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "study/changes.h"
#include "write/json.h"
#include "common/units.h"

#define VALUE_MAX 112

/* "31.2", and for times with their own unit: "14.2 us". */
static void format_value(char *buf, size_t len, enum metric m, double value)
{
	if (strcmp(metric__unit(m), "ns") == 0)
		format_ns(buf, len, value);
	else
		snprintf(buf, len, fabs(value) >= 1000 ? "%.0f" : "%.3g", value);
}

static void format_estimate(char buf[VALUE_MAX], enum metric m, const struct estimate *e)
{
	char median[UNITS_BUF], low[UNITS_BUF], high[UNITS_BUF];

	if (!e->n) {
		snprintf(buf, VALUE_MAX, "n/a");
		return;
	}
	format_value(median, sizeof(median), m, e->median);
	if (!estimate__has_interval(e)) {
		snprintf(buf, VALUE_MAX, "%s", median);
		return;
	}
	format_value(low, sizeof(low), m, e->low);
	format_value(high, sizeof(high), m, e->high);
	snprintf(buf, VALUE_MAX, "%s (%s - %s)", median, low, high);
}

static const char *words(enum change_kind kind)
{
	static const char *const texts[] = {
		[CHANGE_MISSING] = "",    [CHANGE_CANNOT_SAY] = "cannot say: too few rounds",
		[CHANGE_NOISE] = "noise", [CHANGE_BETTER] = "better",
		[CHANGE_WORSE] = "worse", [CHANGE_OTHER] = "different",
	};

	return texts[kind];
}

static void put_change(FILE *f, const struct change *c)
{
	char size[UNITS_BUF], before[VALUE_MAX], after[VALUE_MAX], change[32] = "", threads[16];
	char reason[256];

	format_estimate(before, c->metric, &c->before);
	format_estimate(after, c->metric, &c->after);
	if (isfinite(c->change))
		snprintf(change, sizeof(change), "%+.1f %%", c->change * 100);
	snprintf(threads, sizeof(threads), "%u", c->threads);
	fprintf(f, "%-9s %6s %7s  %-23s %-29s %-29s %9s  %s\n", mode__name(c->mode),
		format_size_short(size, sizeof(size), c->size), c->threads ? threads : "n/a",
		metric__name(c->metric), before, after, change,
		c->kind == CHANGE_MISSING ? printable(reason, sizeof(reason), c->reason)
					  : words(c->kind));
}

static void put_changes(FILE *f, const struct changes *c, bool all)
{
	fprintf(f, "%-9s %6s %7s  %-23s %-29s %-29s %9s\n", "mode", "size", "threads", "metric",
		"before", "after", "change");
	for (size_t i = 0; i < c->nr; i++)
		if (all || c->list[i].kind > CHANGE_NOISE)
			put_change(f, &c->list[i]);
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

static int put_environment(FILE *f, const struct changes *c, const char *across)
{
	json_t *differs = changes__environment(c), *pair;
	char name[64], before[512], after[512];
	const char *key;

	if (!differs)
		return -ENOMEM;
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
			"The two were made with different %s: what is found below is of that as "
			"well "
			"as of anything else.\n",
			key);
	return 0;
}

static void put_counts(FILE *f, const struct changes *c)
{
	size_t outside =
		c->of_kind[CHANGE_BETTER] + c->of_kind[CHANGE_WORSE] + c->of_kind[CHANGE_OTHER];

	fprintf(f, "%zu comparison%s in %zu cell%s: %zu outside the noise (%zu better, %zu worse)",
		c->nr, plural(c->nr), c->cells, plural(c->cells), outside,
		c->of_kind[CHANGE_BETTER], c->of_kind[CHANGE_WORSE]);
	fprintf(f, ", %zu inside", c->of_kind[CHANGE_NOISE]);
	if (c->of_kind[CHANGE_CANNOT_SAY])
		fprintf(f, ", %zu cannot be told (too few rounds: 4 of each at least, 7 are good)",
			c->of_kind[CHANGE_CANNOT_SAY]);
	if (c->of_kind[CHANGE_MISSING])
		fprintf(f, ", %zu %s a value on one side only", c->of_kind[CHANGE_MISSING],
			c->of_kind[CHANGE_MISSING] == 1 ? "has" : "have");
	fputc('\n', f);
	if (outside)
		fprintf(f,
			"of the %zu outside at most %.0f %% are expected to be there by chance: "
			"about %.1f\n",
			outside, CHANGE_FALSE_SHARE * 100, changes__false_expected(c));
}

static bool anything_to_list(const struct changes *c, bool all)
{
	return all ? c->nr
		   : c->of_kind[CHANGE_BETTER] + c->of_kind[CHANGE_WORSE] +
			       c->of_kind[CHANGE_OTHER];
}

int changes__text(const struct changes *c, const struct changes_names *names, bool all, FILE *f)
{
	int err;

	put_side(f, "before", names->before, c->before, c->cells_before);
	put_side(f, "after", names->after, c->after, c->cells_after);
	err = put_environment(f, c, names->across);
	if (err)
		return err;
	fputc('\n', f);
	if (anything_to_list(c, all))
		put_changes(f, c, all);
	put_counts(f, c);
	return 0;
}
