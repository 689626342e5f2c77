/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of a result, for live views and final text. Unmeasured values never count as 0. Pure. */
#ifndef MODEL_FIGURES_H
#define MODEL_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rank_test.h"
#include "common/mode.h"
#include "result.h"

/* Copies per payload byte over the stages that were measured. */
struct copies_figure {
	struct real value;
	unsigned int excluded; /* copying stages left out as not measured: 1 << enum nio_stage */
};

struct copies_figure figures__copies(const struct run_result *run);

/* May stages whose bytes are unknown have copied, or were events of known ones missed? */
bool figures__copies_is_least(const struct run_result *run);

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

/* The CPU time per KiB of the processes that are here. */
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

/* Which mode is best, by the rule of base/rank_test.h: a mode and its value in each round. */
struct ranked_mode {
	enum mode mode;
	const double *values;
	size_t n;              /* 0: unknown, the mode is ignored */
	const double *at_most; /* values are at least; the same if both are exact */
};

struct ranking {
	size_t known;        /* modes with a value; the rest means nothing below 2 */
	bool early;          /* too few rounds to name a best mode */
	enum mode best;      /* by the median */
	size_t rounds;       /* fewest of a mode with a value */
	unsigned int needed; /* rounds of each mode with which the test can name a best mode */
	bool ties[MODE_NR];  /* of modes that no mode is ahead of, without best itself */
	bool all_tie;        /* no mode is ahead of any other */
	const char *unknown; /* with known 0: why no mode can be ranked */
};

/*
 * tests: how many comparisons share the level of the test, these among them. 0: the time for tests
 * has not come, `early` is set.
 */
struct ranking ranking__of(const struct ranked_mode *modes, size_t n, bool higher_is_better,
			   size_t tests);

/*
 * Does software execute a machine's instructions? Its times and rates tell the emulator's speed,
 * and no mode is ranked by them.
 */
bool figures__are_emulated(const struct result *r);

/*
 * Ranks the modes; softirq: with known cpu_figures__softirq(), at least and at most. `early` until
 * all rounds were made: who may end a run whenever a figure looks good would otherwise find a best
 * mode among equal ones.
 */
struct ranking figures__ranking(const struct result *r, figure_of_round *figure, bool softirq,
				bool higher_is_better);

/* Why softirq work on other tasks is unknown in a round that has CPU time; NULL: it is known. */
const char *figures__no_softirq(const struct result *r);

/*
 * By CPU time with softirq work; `unknown` is figures__no_softirq(). A mode is cheaper than another
 * only if its time at most is less than the other's time at least.
 */
struct ranking figures__cheapest(const struct result *r);

/* Compares the throughput of two modes; DIFFERENCE_UNKNOWN if one has none, DIFFERENCE_FEW until
 * all rounds were made. */
void figures__compare(struct rank_test *t, const struct result *r, enum mode first,
		      enum mode second);

/* Rounds that every mode completed: "2 of 5 rounds" of a run that ended early. */
unsigned int rounds__complete(const struct result *r);

/* Has each mode made all its rounds, to their end? Also while auxiliary rounds follow. */
bool rounds__all(const struct result *r);

/* Did the run end before all rounds were made? */
bool rounds__ended_early(const struct result *r);

/* "1 round", "5 rounds"; "3 to 5 rounds" where modes differ. Fills buf, returns it. */
char *rounds__words(char *buf, size_t len, const struct result *r);

/* CPU time by class: shares from the sampled round, times from the run itself. */

/* A class in ns per KiB of payload, between which values in 95 of 100 cases. */
struct cpu_figure {
	struct real value;
	double low, high; /* meaningless unless value is known */
};

/* The CPU time to divide, ns: the run's own of a side; elsewhere, the time of the samples. */
struct num cpu_figures__total(const struct run_result *r, enum nio_sample_owner w);

/* Why the time of a class of sampled CPU time is unknown; NULL: it is known. */
const char *cpu_figures__hidden(const struct cpu_result *cpu, enum nio_sample_owner w,
				enum cpu_class c);

/* For class c, per KiB moved by the run (elsewhere: by its sampled round). */
struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_owner w,
				       enum cpu_class c);

/* All classes together: the CPU time of the side, ns per KiB. */
struct real cpu_figures__sum(const struct run_result *r, enum nio_sample_owner w);

/*
 * TCP's softirq work on top of other tasks for the run's sockets, ns per KiB: at least and (with
 * work that may be for other sockets, and lost samples) at most. Both ends have the noise of the
 * samples: cpu_time__mean(). Unknown unless samples have this work once.
 */
struct real cpu_figures__softirq(const struct run_result *r, bool at_most);

/* A class of the processes that are here, ns per KiB; softirq: and of samples elsewhere. */
struct real cpu_figures__class(const struct run_result *r, enum cpu_class c, bool softirq);

/*
 * Mean ns of a send call: PATH_SEND_TOTAL the whole, by the load generator's clock around its
 * system calls; else the time in that part, over the calls that were followed.
 */
struct real time_figures__part(const struct run_result *run, enum path_part part);

/*
 * Mean ns of a send call outside tcp_sendmsg: the whole less the parts. Unknown also when only some
 * calls were followed: then the means are of different calls and do not subtract.
 */
struct real time_figures__outside(const struct run_result *run);

/* Send calls that the load generator timed, of the round that the times are of. */
uint64_t time_figures__calls(const struct run_result *run);

/* Bytes that a stage's ns is of; with some events timed, their share. Of the times' round. */
struct real time_figures__timed_bytes(const struct run_result *run, enum nio_stage stage);

/* ns of a stage for each KiB it moved, also if only some events were timed; 0: it moved nothing. */
struct real time_figures__per_kib(const struct run_result *run, enum nio_stage stage);

#endif
