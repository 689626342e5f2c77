/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the enumeration and shuffling of a sweep's runs; see run_order.h. */
#include "common/splitmix.h"
#include "run_order.h"

size_t sweep_grid__runs(const struct sweep_grid *g)
{
	size_t n = g->modes_nr;

	if (__builtin_mul_overflow(n, g->sizes_nr, &n) ||
	    __builtin_mul_overflow(n, g->threads_nr, &n) ||
	    (g->congestions_nr && __builtin_mul_overflow(n, g->congestions_nr, &n)) ||
	    __builtin_mul_overflow(n, (size_t)g->rounds, &n))
		return SIZE_MAX;
	return n;
}

struct sweep_run sweep_grid__run(const struct sweep_grid *g, size_t i)
{
	struct sweep_run run = {.round = i % g->rounds};

	i /= g->rounds;
	if (g->congestions_nr) {
		run.congestion = g->congestions[i % g->congestions_nr];
		i /= g->congestions_nr;
	}
	run.threads = g->threads[i % g->threads_nr];
	i /= g->threads_nr;
	run.size = g->sizes[i % g->sizes_nr];
	i /= g->sizes_nr;
	run.mode = g->modes[i % g->modes_nr];
	return run;
}

/* Uniform in [0, n): draws again in the last, incomplete multiple of n. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, z;

	do {
		z = splitmix__next(state);
	} while (z >= limit);
	return z % n;
}

/* Fisher-Yates. */
static void shuffle(size_t *a, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(state, i), t = a[j];

		a[j] = a[i - 1];
		a[i - 1] = t;
	}
}

bool run_order__is_turn(unsigned int round, unsigned int every)
{
	return !every || round % every == 0;
}

void run_order__order(const struct sweep_grid *g, uint64_t seed, size_t *order)
{
	size_t cells = sweep_grid__runs(g) / g->rounds;
	uint64_t state = seed;

	for (unsigned int round = 0; round < g->rounds; round++) {
		size_t *part = order + round * cells;

		for (size_t cell = 0; cell < cells; cell++)
			part[cell] = cell * g->rounds + round;
		shuffle(part, cells, &state);
	}
}
