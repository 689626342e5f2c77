/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A data set as cells (one mode, size and thread count) with medians and intervals over their
 * rounds, and what can be found among them: peaks, duels of two modes over the sizes, crossovers.
 * Pure. Nothing is claimed that the intervals do not bear.
 */
#ifndef NETIOTRACE_ANALYSIS_H
#define NETIOTRACE_ANALYSIS_H

#include "claim.h"
#include "dataset.h"

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
	size_t rounds_min, rounds_max; /* of a cell */
	/* What was measured in one round, over all cells, has one number. */
	size_t *block; /* of each row of the data set */
	size_t blocks_nr;
	struct family *family; /* how many comparisons are made together: family.h */
	bool *lacked;          /* analysis__lacked_memory() */
};

/* 0 or -ENOMEM. Free with analysis__clear(), in any case. */
int analysis__init(struct analysis *a, const struct dataset *d);
void analysis__clear(struct analysis *a);

/* NULL: there is no such cell. */
struct cell *analysis__cell(const struct analysis *a, enum mode mode, uint64_t size,
			    unsigned int threads);

/* Median and interval of a metric in a cell; of n 0 when cell is NULL. */
struct estimate analysis__estimate(const struct analysis *a, struct cell *cell, enum metric m);

/* x against y, by the rule of base/rank_test.h. DIFFERENCE_UNKNOWN when one is NULL. */
struct claim analysis__compare(const struct analysis *a, struct cell *x, struct cell *y,
			       enum metric m);

/*
 * Two modes at a size, over all thread counts that both have. The value of a round is the sum over
 * the thread counts of value / mean of the two medians, so that each counts as much. Its estimates
 * a and b are unknown: cells of several thread counts have no median in common.
 */
struct claim analysis__compare_modes(const struct analysis *a, enum mode first, enum mode second,
				     uint64_t size, enum metric m);

/*
 * Was there no memory for an estimate or a comparison, so that it says it is not known, since this
 * was last asked?
 */
bool analysis__lacked_memory(const struct analysis *a);

/* The number of a row's block. */
size_t analysis__block(const struct analysis *a, const struct dataset_row *row);

/* Has any run a value? */
bool analysis__has(const struct analysis *a, enum metric m);

/* The cell with the highest median, of one mode or (MODE_NR) of all; NULL: none has a value. */
struct cell *analysis__peak(const struct analysis *a, enum mode mode, enum metric m);

/* Why a metric is missing, in words; never NULL. */
const char *analysis__reason(const struct analysis *a, enum metric m);

/* Two modes at one thread count, size by size. */
struct duel_point {
	uint64_t size;
	struct claim c; /* of the first mode against the second */
};

/* Between two neighbouring sizes at which the order is certain and opposite. */
struct crossover {
	uint64_t below, above; /* the sizes */
	bool to_first;         /* the first mode is ahead from above on */
};

struct duel {
	enum mode first, second;
	unsigned int threads;
	enum metric metric;
	struct duel_point *points; /* sizes at which both have a value, ascending */
	size_t points_nr;
	struct crossover *crossovers;
	size_t crossovers_nr;
	size_t ahead, behind, noise; /* sizes by outcome, where the rounds can tell */
	size_t few;                  /* sizes with several rounds, but too few to claim anything */
	size_t point_only;           /* sizes with one round */
	size_t point_ahead;          /* of those two, where the first is ahead, by the sign */
};

/* 0 or -ENOMEM; "ahead" is the better direction of the metric. Free with duel__clear(). */
int analysis__duel(const struct analysis *a, enum mode first, enum mode second,
		   unsigned int threads, enum metric m, struct duel *duel);
void duel__clear(struct duel *duel);

#endif
