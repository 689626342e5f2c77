/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of a sweep: every mode with every size, thread count and congestion control, in every
 * round. Rounds follow each other, and within a round the cells come in a random order of its own,
 * so that neither a drift of the machine nor the cell before weighs on the same cell each time.
 * Pure.
 */
#ifndef NETIOTRACE_SCHEDULE_H
#define NETIOTRACE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mode.h"

/* What a sweep varies. Each list without repeats. */
struct grid {
	enum mode modes[MODE_NR];
	size_t modes_nr;
	const uint64_t *sizes; /* bytes a message */
	size_t sizes_nr;
	const unsigned int *threads;
	size_t threads_nr;
	const char *const *congestions; /* names of the senders' congestion control */
	size_t congestions_nr;          /* 0: not varied */
	unsigned int rounds;
};

/* One run of a sweep: a cell of the grid, in a round. */
struct sweep_run {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	unsigned int round;     /* from 0 */
	const char *congestion; /* NULL: not varied */
};

/* Runs of the whole grid, all rounds; SIZE_MAX when that is more than fits. */
size_t grid__runs(const struct grid *g);

/* Run i in the fixed order of results: mode, size, threads, congestion control as listed, then
 * round. */
struct sweep_run grid__run(const struct grid *g, size_t i);

/*
 * Fills order, of grid__runs() entries, with the indices of all runs in the order in which they are
 * made. The same grid and seed give the same order on every machine.
 */
void schedule__order(const struct grid *g, uint64_t seed, size_t *order);

/* Has this round what one of every so many has, beginning with the first (0)? every 0: all have. */
bool schedule__is_turn(unsigned int round, unsigned int every);

#endif
