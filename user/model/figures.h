/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of a result, for live views and final text. Unmeasured values never count as 0. Pure. */
#ifndef MODEL_FIGURES_H
#define MODEL_FIGURES_H

#include "base/rank_test.h"
#include "ranking.h"
#include "result.h"

/* Copies per payload byte over the stages that were measured. */
struct copies_figure {
	struct real value;
	unsigned int excluded; /* copying stages left out as not measured: 1 << enum nio_stage */
};

struct copies_figure figures__copies(const struct run_result *run);

/* Bytes of one stage for each payload byte received. */
struct real figures__per_byte(const struct run_result *run, enum nio_stage stage);

/* Is the stage's byte count known, and if not, why (never NULL then)? */
bool figures__stage_known(const struct run_result *run, enum nio_stage stage, const char **reason);

/* Is there anything to show of a latency, or a reason to miss it? */
bool figures__shows_latency(const struct result *r, enum latency_kind k);

/* "64 KiB in 8 fields, 1 thread". Fills buf, returns it. */
char *figures__load(char *buf, size_t len, uint64_t size, unsigned int fields,
		    unsigned int threads);

/* "Linux 6.18.44" of either spelling in the environment; "kernel unknown" when it could not be
 * read. */
char *figures__kernel(char *buf, size_t len, const struct environment *env);

/* A figure of a round, such as run_result__gbps(). */
typedef struct real figure_of_round(const struct run_result *run);

/* The CPU time per KiB of the sides that are here. */
struct real figures__cpu(const struct run_result *run);

/* The figure in the rounds of a mode that know it. v: room for runs_nr. Returns how many. */
size_t figures__rounds(const struct result *r, enum mode mode, figure_of_round *figure, double *v);

/*
 * How many comparisons a run makes, which share the level of the test: each pair of its modes by
 * throughput and by CPU time. The sentence on zero-copy and one-copy is one of these.
 */
size_t figures__comparisons(const struct result *r);

/* The rounds of each mode that these need. All rounds asked for, as long as one is missing. */
unsigned int figures__rounds_needed(const struct result *r);

/*
 * Ranks the modes. `early` until all rounds were made: who may end a run whenever a figure looks
 * good would otherwise find a best mode among equal ones.
 */
struct ranking figures__ranking(const struct result *r, figure_of_round *figure,
				bool higher_is_better);

/* Compares the throughput of two modes; DIFFERENCE_UNKNOWN if one has none, DIFFERENCE_FEW until
 * all rounds were made. */
void figures__compare(struct rank_test *t, const struct result *r, enum mode first,
		      enum mode second);

#endif
