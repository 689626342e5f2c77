/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A data set as cells (one mode, size and thread count) with medians and intervals over their
 * rounds, and findings: comparisons of two cells or modes by the rule of base/rank_test.h. Pure.
 *
 * The machine is faster in some rounds of a sweep than in others. Such drift would hide differences
 * between modes, so a comparison divides each value by the pace of its round: the median, over the
 * runs of the other modes in this round, of value / median of its cell. Runs of the compared modes
 * have no part in it, so that the pace cannot invent a difference. There is no pace where a round
 * has fewer than PACE_RUNS_MIN such runs, and none between two data sets: there, rounds that differ
 * as a whole can be the only sign that the two machines or days differ.
 */
#ifndef STUDY_ANALYSIS_H
#define STUDY_ANALYSIS_H

#include "base/stats.h"
#include "base/rank_test.h"
#include "dataset.h"

#define PACE_RUNS_MIN 4

/* Kinds of comparisons: those of one kind share the level, see test_family.h. */
enum test_family_kind {
	TEST_FAMILY_MODES,   /* two modes, at one size and thread count */
	TEST_FAMILY_THREADS, /* a thread count against the fewest */
	TEST_FAMILY_SIZES,   /* a size against the next smaller one */
	TEST_FAMILY_KINDS,
	TEST_FAMILY_ALONE = TEST_FAMILY_KINDS, /* any other two cells: a comparison on its own */
};

struct cell {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	const struct dataset_row *rows; /* in the data set */
	size_t rows_nr;
	/* Computed when first asked for. */
	struct estimate estimate[METRIC_NR];
	bool known[METRIC_NR];
};

struct analysis {
	const struct dataset *dataset; /* must outlive the analysis */
	struct cell *cells;            /* in order of mode, size, threads */
	size_t cells_nr;
	uint64_t *sizes; /* all that occur, ascending */
	size_t sizes_nr;
	unsigned int *threads; /* all that occur, ascending */
	size_t threads_nr;
	bool has_mode[MODE_NR];
	size_t modes_nr;               /* of these */
	size_t rounds_min, rounds_max; /* of a cell */
	/* All runs measured in one round, over all cells, have the same block number. */
	size_t *block; /* of each row of the data set */
	size_t blocks_nr;
	size_t (*tests)[METRIC_NR]; /* of each kind; 0: not counted yet */
	struct paces *paces;        /* computed when first asked for */
};

/* Whether the number of one cell is higher or lower than that of another, with the evidence. */
struct finding {
	struct estimate a, b;       /* over all rounds of each */
	double change;              /* of the medians, a / b - 1; NaN: unknown, or b is 0 */
	double low, high, coverage; /* interval of the change; NaN: none */
	int sign;                   /* of the difference of the medians: 1, -1, 0 */
	double p;                   /* of this comparison alone; NaN: unknown */
	size_t tests;               /* simultaneous comparisons */
	enum difference difference;
	/*
	 * Of CPU time of the processes, within one data set: softirq work on other tasks is unknown
	 * or can change what is found. Imported data without a figure of it is taken as it is.
	 */
	bool softirq_decides;
};

/* Free with analysis__clear(). */
void analysis__init(struct analysis *a, const struct dataset *d);
void analysis__clear(struct analysis *a);

/* NULL: no such cell. */
struct cell *analysis__cell(const struct analysis *a, enum mode mode, uint64_t size,
			    unsigned int threads);

/* The cell of another mode at the same size and thread count; NULL: none. */
struct cell *analysis__peer(const struct analysis *a, const struct cell *cell, enum mode mode);

/* The next smaller size there is; 0: it is the smallest. */
uint64_t analysis__smaller(const struct analysis *a, uint64_t size);

/* Median and interval of a metric in a cell; of n 0 when cell is NULL. */
struct estimate analysis__estimate(const struct analysis *a, struct cell *cell, enum metric m);

/* test_family.c: x against y, as one comparison of its kind. DIFFERENCE_UNKNOWN when one is NULL.
 */
struct finding analysis__compare(const struct analysis *a, struct cell *x, struct cell *y,
				 enum metric m);

#define SOFTIRQ_DECIDES "; softirq work on other tasks can change it"
#define SOFTIRQ_UNKNOWN "softirq work on other tasks was not sampled or can change the order"

/*
 * As analysis__compare(), where one mode may be called better than another: DIFFERENCE_UNKNOWN
 * (SOFTIRQ_UNKNOWN says why) if softirq work decides.
 */
struct finding analysis__compare_modes(const struct analysis *a, struct cell *x, struct cell *y,
				       enum metric m);

/* A cell of one data set against a cell of another, as one of `tests` comparisons. */
struct finding analysis__compare_across(const struct analysis *ax, struct cell *x,
					const struct analysis *ay, struct cell *y, enum metric m,
					size_t tests);

/* Is a difference found, in either direction? */
bool finding__holds(const struct finding *f);

/* Of one round, or of too few to find any difference? */
bool finding__untested(const struct finding *f);

/* The number of a row's block. */
size_t analysis__block(const struct analysis *a, const struct dataset_row *row);

/* Has any run a value? */
bool analysis__has(const struct analysis *a, enum metric m);

/* The cost of a byte: CPU time of both sides or of the sender, or cycles, as measured. */
enum metric analysis__cost(const struct analysis *a);

/* The cell with the highest median, of one mode or (MODE_NR) of all; NULL: none has a value. */
struct cell *analysis__peak(const struct analysis *a, enum mode mode, enum metric m);

/* Why a metric is missing, in words; never NULL. */
const char *analysis__reason(const struct analysis *a, enum metric m);

#endif
