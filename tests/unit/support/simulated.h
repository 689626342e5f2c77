/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of which the truth is known, because it is made up: cells whose rounds differ by noise and
 * by nothing else, but for an effect that was planted. Fixed seeds.
 */
#ifndef SUPPORT_SIMULATED_H
#define SUPPORT_SIMULATED_H

#include <stdint.h>

#include "study/analysis.h"
#include "study/dataset.h"

#define SIMULATED_SIZES   4
#define SIMULATED_THREADS 4
#define SIMULATED_ROUNDS  7
#define SIMULATED_NOISE   0.05 /* standard deviation of a run, of its throughput */

enum noise {
	NOISE_PLAIN,
	NOISE_DRIFT,   /* all of a round together, as much as the noise itself, and a slope */
	NOISE_HEAVY,   /* Student's t of 3 degrees of freedom */
	NOISE_UNEQUAL, /* cells of very different noise */
	NOISE_NR,
};

extern const char *const noise_names[NOISE_NR];

struct simulated {
	struct dataset d;
	struct analysis a;
};

struct simulated_plan {
	enum noise noise;
	unsigned int rounds;
	/* Planted into one-copy: a factor on its throughput, at these cells. */
	double effect;
	int size, threads; /* -1: all; size -2: none */
};

/* How many data sets a rate is counted of: 1000, or $NETIOTRACE_CLAIM_SETS. Under a sanitizer, and
 * where the same code is run for many changes of it, fewer will do: the seeds are fixed, so that
 * the outcome is, too. */
unsigned int simulated__sets(void);

/* At most, or at least, this share of n was found. Where the sets are fewer than usual, chance may
 * add or take three standard deviations. */
void simulated__check_at_most(unsigned int found, unsigned int n, double share);
void simulated__check_at_least(unsigned int found, unsigned int n, double share);

/* The next data set from the seed; to be cleared. */
void simulated__make(struct simulated *s, const struct simulated_plan *p, uint64_t *seed);
void simulated__clear(struct simulated *s);

#endif
