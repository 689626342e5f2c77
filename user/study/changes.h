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

/* What is compared: name on the command line and in JSON, metric. */
#define CHANGE_METRICS(X)                     \
	X("throughput_gbps", GBPS)            \
	X("copies_per_byte", COPIES)          \
	X("copied_fraction", COPIED_FRACTION) \
	X("cpu_s_per_gb", CPU_PER_GB)         \
	X("send_call_p50", SEND_P50)          \
	X("send_call_p99", SEND_P99)          \
	X("delivery_p50", DELIVERY_P50)       \
	X("delivery_p99", DELIVERY_P99)       \
	X("completion_p50", COMPLETION_P50)   \
	X("completion_p99", COMPLETION_P99)   \
	X("latency", LATENCY)                 \
	X("cycles_per_byte", CYCLES_PER_BYTE) \
	X("instructions_per_cycle", IPC)      \
	X("l1d_misses_per_kib", L1D_PER_KIB)  \
	X("llc_misses_per_kib", LLC_PER_KIB)  \
	X("context_switches_per_gb", SWITCHES_PER_GB)

#define CHANGE_METRICS_NR 16

/* Smaller changes are not called changes, however little the rounds differ. */
#define CHANGE_MIN 0.001

const char *change_metric__name(enum metric m);             /* NULL: not compared */
int change_metric__parse(const char *name, enum metric *m); /* -EINVAL */

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
 * Compares the metrics asked for (of CHANGE_METRICS) in every cell that both have. 0 or -ENOMEM;
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
