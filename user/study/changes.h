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

/* Of the changes that are listed as better, worse or different at most this share is expected to be
 * false (Benjamini and Hochberg 1995). */
#define CHANGE_FALSE_SHARE 0.05
/*
 * A gate of --fail-on-regression fires on two data sets that are the same in at most this share; 5
 * % are promised, the rest is for rounds that are not quite independent.
 */
#define CHANGE_GATE_LEVEL 0.04

enum change_kind {
	CHANGE_MISSING,    /* only one side has a value */
	CHANGE_CANNOT_SAY, /* so few rounds that no test of theirs can tell */
	CHANGE_NOISE,      /* not to be told apart, or it is next to nothing */
	CHANGE_BETTER,     /* these three: of the list that CHANGE_FALSE_SHARE speaks of */
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
	double p;      /* that chance alone makes as much; NaN: cannot be said */
	double gate_p; /* that, being worse, in the family of the gate; NaN: not in the gate */
	enum change_kind kind;
	const char *reason; /* CHANGE_MISSING: why the other side has none; in its data set */
};

struct changes {
	const struct analysis *before, *after;
	struct change *list; /* in order of mode, size, threads, metric; only what a side has */
	size_t nr;
	size_t of_kind[CHANGE_OTHER + 1];
	size_t cells, cells_before, cells_after; /* in both; only before, only after */
	size_t gated;                            /* comparisons in the gate */
	bool gates[METRIC_NR];                   /* of which getting worse is a regression */
};

/*
 * Compares the metrics asked for (of those with a name) in every cell that both have: whole rounds
 * of the two change places (block_test__two_samples). gate: those of which getting worse is a
 * regression, tested as one family; NULL: throughput and CPU time, as far as they are compared. 0
 * or -ENOMEM; changes__clear() in any case. Both analyses must outlive it.
 */
int changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		  const bool metrics[METRIC_NR], const bool gate[METRIC_NR]);
void changes__clear(struct changes *c);

/*
 * Worse, by the gate's test, and by more than limit (0.05: 5 %). From 0 to anything is more than
 * any limit.
 */
bool change__is_regression(const struct change *c, double limit);
size_t changes__regressions(const struct changes *c, double limit);

/* Can a gate tell of so many rounds, if they differ as much as they can? */
bool changes__can_gate(size_t before, size_t after);

/* Can the gate fire at all? Two rounds against two cannot, whatever they say. */
bool changes__gate_can_tell(const struct changes *c);

/* How many of those called better, worse or different are expected to be so by chance alone. */
double changes__false_expected(const struct changes *c);

/*
 * Settings and members of the environments that differ, as {"<key>": {"before", "after"}}. Text: a
 * CSV file has no numbers. New reference; NULL: out of memory.
 */
json_t *changes__environment(const struct changes *c);

/*
 * The first setting of the traffic, not of the machine, that differs: what is found is then of
 * that, too. across: those that may differ, with commas; NULL: none. NULL: none differs.
 */
const char *changes__made_otherwise(const struct changes *c, const char *across);

/* Words and files of a comparison: what the two were called. */
struct changes_names {
	const char *before, *after;
	const char *across; /* settings that may differ, with commas; NULL: none */
};

/* all: also what is inside the noise. 0 or -errno. */
int changes__text(const struct changes *c, const struct changes_names *names, bool all, FILE *f);

/* limit: of --fail-on-regression; NaN: none. New reference; NULL: out of memory. */
json_t *changes__json(const struct changes *c, const struct changes_names *names, double limit);

#endif
