/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the run order of a sweep: each round runs every cell once, in a random order. Pure. */
#ifndef RUN_RUN_ORDER_H
#define RUN_RUN_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mode.h"

/* The axes of a sweep. Lists have no duplicates. */
struct sweep_grid {
	enum mode modes[MODE_NR];
	size_t modes_nr;
	const uint64_t *sizes; /* bytes per message */
	size_t sizes_nr;
	const unsigned int *threads;
	size_t threads_nr;
	const char *const *congestions; /* congestion control of the senders */
	size_t congestions_nr;          /* 0: not varied */
	unsigned int rounds;
};

struct sweep_run {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	unsigned int round;     /* from 0 */
	const char *congestion; /* NULL: not varied */
};

/* Number of runs in all rounds; SIZE_MAX on overflow. */
size_t sweep_grid__runs(const struct sweep_grid *g);

/* Run i in the order of results: mode, size, threads, congestion control, then round. */
struct sweep_run sweep_grid__run(const struct sweep_grid *g, size_t i);

/* Fills order[sweep_grid__runs()] with the runs as executed; a seed gives one order on any machine.
 */
void run_order__order(const struct sweep_grid *g, uint64_t seed, size_t *order);

/* Is this one of the selected rounds, one in `every` from round 0? every 0: always. */
bool run_order__is_turn(unsigned int round, unsigned int every);

#endif
