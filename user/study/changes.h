/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed between two data sets, cell by cell and number by number, and whether it is outside
 * the noise. Pure: text and JSON of it are in changes_text.c and changes_json.c.
 */
#ifndef NETIOTRACE_CHANGES_H
#define NETIOTRACE_CHANGES_H

#include <jansson.h>
#include <stdio.h>

#include "analysis.h"

/* Smaller changes are not called changes, however little the rounds differ. */
#define CHANGE_MIN 0.001

/* The metric that is compared under this name (metric__name). 0 or -EINVAL. */
int change_metric__parse(const char *name, enum metric *m);

enum change_kind {
	CHANGE_MISSING,    /* only one side has a value */
	CHANGE_CANNOT_SAY, /* one round on a side has no interval */
	CHANGE_NOISE,      /* intervals overlap, or it is next to nothing */
	CHANGE_BETTER,     /* these three: the intervals do not overlap */
	CHANGE_WORSE,
	CHANGE_OTHER, /* neither direction is the better one */
};

struct change {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	enum metric metric;
	struct estimate before, after;
	double change; /* after / before - 1; NaN when before is 0 or either is unknown */
	enum change_kind kind;
	const char *reason; /* CHANGE_MISSING: why the other side has none; in its data set */
};

struct changes {
	const struct analysis *before, *after;
	struct change *list; /* in order of mode, size, threads, metric; only what a side has */
	size_t nr;
	size_t of_kind[CHANGE_OTHER + 1];
	size_t cells, cells_before, cells_after; /* in both; only before, only after */
};

/*
 * Compares the metrics asked for (of those with a name) in every cell that both have. 0 or -ENOMEM;
 * changes__clear() in any case. Both analyses must outlive it.
 */
int changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		  const bool metrics[METRIC_NR]);
void changes__clear(struct changes *c);

/*
 * Worse, outside the noise, and by more than limit (0.05: 5 %). From 0 to anything is more than any
 * limit.
 */
bool change__is_regression(const struct change *c, double limit);
size_t changes__regressions(const struct changes *c, double limit);

/*
 * How many of the comparisons that have intervals would be called changes although nothing changed:
 * of n rounds before and m after, all of one are above all of the other in 2 of (n + m over n)
 * orders. Only for up to five rounds, whose interval is their range; more are left out.
 */
double changes__by_chance(const struct changes *c);

/*
 * Members of the environments that differ, as {"<key>": {"before", "after"}}. Text: a CSV file has
 * no numbers. New reference; NULL: out of memory.
 */
json_t *changes__environment(const struct changes *c);

/* Words and files of a comparison: what the two were called. */
struct changes_names {
	const char *before, *after;
};

/* all: also what is inside the noise. 0 or -errno. */
int changes__text(const struct changes *c, const struct changes_names *names, bool all, FILE *f);

/* limit: of --fail-on-regression; NaN: none. New reference; NULL: out of memory. */
json_t *changes__json(const struct changes *c, const struct changes_names *names, double limit);

#endif
