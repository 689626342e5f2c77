/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made-up data with known effects: rounds of cells differ by noise only, apart from a planted
 * effect. Fixed seeds.
 */
#ifndef SUPPORT_SIMULATED_H
#define SUPPORT_SIMULATED_H

#include <stdint.h>

#include "study/analysis.h"
#include "study/dataset.h"

#define SIMULATED_SIZES   4
#define SIMULATED_THREADS 4
#define SIMULATED_ROUNDS  7
#define SIMULATED_NOISE   0.05 /* standard deviation of a run's throughput, relative */

enum noise {
	NOISE_PLAIN,
	NOISE_DRIFT,   /* all cells of a round together, by as much as the noise, and a slope */
	NOISE_HEAVY,   /* Student's t with 3 degrees of freedom */
	NOISE_UNEQUAL, /* cells with very different noise */
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
	/* Planted into one-copy: a factor on its throughput, in these cells. */
	double effect;
	int size, threads; /* -1: all; size -2: none */
};

/*
 * The number of data sets of a rate: 1000, or $NETIOTRACE_CLAIM_SETS. Sanitizers and mutation tests
 * use fewer: the seeds are fixed, so the result is fixed.
 */
unsigned int simulated__sets(void);

/*
 * At most, or at least, this share of n was found. With fewer sets than 1000 the bound is wider by
 * three standard deviations.
 */
void simulated__check_at_most(unsigned int found, unsigned int n, double share);
void simulated__check_at_least(unsigned int found, unsigned int n, double share);

/* The next data set from the seed. The caller clears it. */
void simulated__make(struct simulated *s, const struct simulated_plan *p, uint64_t *seed);
void simulated__clear(struct simulated *s);

#endif
