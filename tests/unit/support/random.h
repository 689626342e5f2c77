/* SPDX-License-Identifier: GPL-2.0-only */
/* Seeded noise for simulations: the same numbers on every machine. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "common/splitmix.h"

/* A number between 0 and 1, both exclusive. */
static inline double random_uniform(uint64_t *state)
{
	return ((double)(splitmix__next(state) >> 12) + 0.5) / 4503599627370496.0;
}

/* Box and Muller 1958; standard deviation 1. */
static inline double random_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(random_uniform(state)));

	return radius * cos(6.283185307179586 * random_uniform(state));
}

/* Student's t with 3 degrees of freedom, scaled to a standard deviation of 1: heavy tails. */
static inline double random_heavy(uint64_t *state)
{
	double squares = 0, x = random_normal(state);

	for (int i = 0; i < 3; i++) {
		double y = random_normal(state);

		squares += y * y;
	}
	return x / sqrt(squares / 3) / sqrt(3);
}

/* Knuth 1969: products of uniform numbers. */
static inline uint64_t random_poisson(double mean, uint64_t *state)
{
	double product = 1, end = exp(-mean);
	uint64_t n = 0;

	for (; (product *= random_uniform(state)) > end; n++)
		;
	return n;
}

#endif
