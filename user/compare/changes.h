/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed between two data sets, cell by cell and number by number, whether the change is
 * outside the noise, and what --fail-on-regression decides. Pure: user/compare/ writes text and
 * JSON.
 */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include <jansson.h>

#include "study/analysis.h"

/* Smaller changes are not called changes, however little the rounds differ. */
#define CHANGE_MIN 0.001

/* The metric that is compared under this name (metric__name). 0 or -EINVAL. */
int change_metric__parse(const char *name, enum metric *m);

enum change_kind {
	CHANGE_MISSING,    /* only one side has a value */
	CHANGE_CANNOT_SAY, /* one round on a side, or too few rounds to show a difference */
	CHANGE_NOISE,      /* no difference, or less than CHANGE_MIN */
	CHANGE_BETTER,     /* these three: different by the rule of base/rank_test.h */
	CHANGE_WORSE,
	CHANGE_OTHER, /* no better direction */
};

struct change {
	struct cell *before, *after;
	enum metric metric;
	struct finding f; /* of after (a) against before (b); p is NaN without a test */
	double gate_p;    /* p x comparisons of the metric, at most 1; NaN: not gated */
	bool gated;       /* getting worse is a regression */
	enum change_kind kind;
	const char *reason; /* CHANGE_MISSING: why the other side has none; in its data set */
};

struct changes {
	const struct analysis *before, *after;
	struct change *list; /* in order of mode, size, threads, metric; only what a side has */
	size_t nr;
	size_t of_kind[CHANGE_OTHER + 1];
	size_t cells, cells_before, cells_after; /* in both; only before, only after */
	size_t tests[METRIC_NR]; /* comparisons of a metric, which are made together */
	size_t metrics;          /* that are tested */
	size_t gated;            /* comparisons that the gate can test; 0: it can never fire */
	bool gates[METRIC_NR];   /* metrics whose worsening is a regression */
	bool by_name;            /* the caller named them: each must be known on both sides */
};

/*
 * Compares the requested metrics (of those with a name) in every cell that both data sets have, by
 * the rule of base/rank_test.h: all cells of a metric are compared together. gate: the metrics
 * whose worsening is a regression; NULL: throughput, CPU time, and copies per byte where both sides
 * know it, of those that are compared. Free with changes__clear(). Both analyses must outlive it.
 */
void changes__find(struct changes *c, const struct analysis *before, const struct analysis *after,
		   const bool metrics[METRIC_NR], const bool gate[METRIC_NR]);
void changes__clear(struct changes *c);

/* Gated, CHANGE_WORSE, and by more than limit (0.05: 5 %). From 0 to anything is more. */
bool change__is_regression(const struct change *c, double limit);
size_t changes__regressions(const struct changes *c, double limit);

/*
 * Settings and members of the environments that differ, and the length of a run, as {"<key>":
 * {"before", "after"}}. Text: a CSV file has no numbers. New reference.
 */
json_t *changes__environment(const struct changes *c);

/*
 * The first differing setting of the traffic (not of the machine), which may explain differences.
 * across: allowed settings, separated by commas; NULL: none. NULL: none differs.
 */
const char *changes__made_otherwise(const struct changes *c, const char *across);

/* Why the gate of --fail-on-regression cannot test a cell of the old data set. */
enum untestable {
	UNTESTABLE_NONE,   /* it can */
	UNTESTABLE_ABSENT, /* no run after */
	UNTESTABLE_FAILED, /* every run after failed */
	UNTESTABLE_NULL,   /* no run after has *m */
	UNTESTABLE_FEW,    /* rounds too few for any test of *m */
};

/* Sets *m to the first such metric. Metrics that the old cell lacks are ignored. */
enum untestable untestable__of(const struct changes *c, struct cell *before, enum metric *m);

/* The result of --fail-on-regression for the whole comparison. */
enum gate {
	GATE_NONE, /* none was asked for */
	GATE_PASSED,
	GATE_FAILED,      /* there is a regression */
	GATE_CANNOT_TELL, /* none is seen, and not every cell could be judged */
};

/*
 * The decision behind text, JSON and exit status. limit: of --fail-on-regression; NaN: none.
 * across: settings that may differ, separated by commas; NULL: none.
 */
enum gate gate__of(const struct changes *c, double limit, const char *across);

#endif
