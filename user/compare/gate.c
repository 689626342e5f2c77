/* SPDX-License-Identifier: GPL-2.0-only */
/* The gate of --fail-on-regression; see gate.h. A gate that cannot see is none that was passed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "common/units.h"
#include "gate.h"
#include "study/unjudged.h"
#include "study/words.h"

/* Cells that are named; of more there is a count. */
#define NAMED_MAX 8

static void put_cell(FILE *f, const struct unjudged *u)
{
	char size[UNITS_BUF];

	fprintf(f, "%s %s", mode__name(u->cell->mode),
		format_size_short(size, sizeof(size), u->cell->size));
	if (u->cell->threads)
		fprintf(f, " t%u", u->cell->threads);
	switch (u->why) {
	case UNJUDGED_ABSENT:
		fputs(" (no run)", f);
		break;
	case UNJUDGED_FAILED:
		fputs(" (every run failed)", f);
		break;
	case UNJUDGED_NULL:
		fprintf(f, " (no %s)", metric__name(u->metric));
		break;
	case UNJUDGED_FEW:
		fprintf(f, " (too few rounds of %s)", metric__name(u->metric));
	}
}

/* How many there are; the first of them as text. */
static size_t list_unjudged(const struct changes *c, FILE *f)
{
	struct unjudged u;
	size_t at = 0, n = 0;

	while (unjudged__next(c, &at, &u)) {
		if (n++ >= NAMED_MAX)
			continue;
		fputs(n > 1 ? ", " : "", f);
		put_cell(f, &u);
	}
	if (n > NAMED_MAX)
		fprintf(f, " and %zu more", n - NAMED_MAX);
	return n;
}

/* Names the cells that no gate can judge, if there are any. */
static void judge_cells(const struct changes *c, const struct compare_options *o)
{
	char *list = NULL;
	size_t size, n;
	FILE *f = open_memstream(&list, &size);

	n = f ? list_unjudged(c, f) : 0;
	if (!f || fclose(f)) {
		free(list);
		log_error("out of memory.");
		return;
	}
	if (n)
		log_error("--fail-on-regression cannot tell whether %zu of %zu cell%s of %s got "
			  "worse in %s: %s.",
			  n, c->before->cells_nr, plural(c->before->cells_nr), o->names.before,
			  o->names.after, list);
	free(list);
}

static void log_regression(const struct change *c)
{
	char size[UNITS_BUF], before[WORDS_BUF], after[WORDS_BUF], change[WORDS_BUF];
	char interval[2 * WORDS_BUF + 8], threads[UNITS_BUF] = "";

	if (c->threads)
		snprintf(threads, sizeof(threads), " t%u", c->threads);
	words__change_interval(interval, sizeof(interval), c->low, c->high);
	log_error("regression: %s %s%s %s: %s -> %s, %s%s%s%s.", mode__name(c->mode),
		  format_size_short(size, sizeof(size), c->size), threads, metric__name(c->metric),
		  words__value(before, sizeof(before), c->metric, c->before.median),
		  words__value(after, sizeof(after), c->metric, c->after.median),
		  words__change(change, sizeof(change), c->change), *interval ? " (" : "", interval,
		  *interval ? ")" : "");
}

static int log_failed(const struct changes *c, const struct compare_options *o)
{
	size_t n = changes__regressions(c, o->limit);

	judge_cells(c, o);
	for (size_t i = 0; i < c->nr; i++)
		if (change__is_regression(&c->list[i], o->limit))
			log_regression(&c->list[i]);
	log_error("%zu of %zu gated comparison%s %s worse by more than %g %%.", n, c->gated,
		  plural(c->gated), n == 1 ? "is" : "are", o->limit * 100);
	return EXIT_ASSERTION;
}

/* The rounds that the metric with the most comparisons needs. */
static unsigned int rounds_needed(const struct changes *c)
{
	size_t most = 1;

	for (int m = 0; m < METRIC_NR; m++)
		if (c->gates[m] && c->tests[m] > most)
			most = c->tests[m];
	return rank_test__rounds_needed(most);
}

static int log_cannot_tell(const struct changes *c, const struct compare_options *o)
{
	const char *differs = changes__made_otherwise(c, o->names.across);

	if (differs)
		log_error("--fail-on-regression cannot tell: %s and %s differ in the setting %s; "
			  "if you compare just that, add --across %s.",
			  o->names.before, o->names.after, differs, differs);
	else if (!changes__gate_can_tell(c))
		log_error("--fail-on-regression cannot tell: throughput or CPU time of %u rounds "
			  "on either side is needed.",
			  rounds_needed(c));
	else
		judge_cells(c, o);
	return EXIT_RUN_FAILED;
}

int gate__judge(const struct changes *c, const struct compare_options *o)
{
	switch (gate__of(c, o->limit, o->names.across)) {
	case GATE_FAILED:
		return log_failed(c, o);
	case GATE_CANNOT_TELL:
		return log_cannot_tell(c, o);
	default:
		return EXIT_DONE;
	}
}
