/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace sweep, with every rule checked before anything starts. */
#ifndef SWEEP_SWEEP_OPTIONS_H
#define SWEEP_SWEEP_OPTIONS_H

#include "run/run_order.h"
#include "model/congestion.h"
#include "run/options.h"

/* Largest number of values on an axis. */
#define SWEEP_LIST_MAX 64
/* Runs of a sweep, all rounds. */
#define SWEEP_RUNS_MAX 10000

#define SIGCOMM21_NAME "sigcomm21" /* a command of analysis/ too */

struct sweep_options {
	struct options run;     /* what all runs share; its mode, size and threads mean nothing */
	struct sweep_grid grid; /* of the lists below */
	bool no_pin;            /* do not pin each side to its own CPUs */
	bool quick;             /* other defaults */
	const char *preset;     /* SIGCOMM21_NAME; NULL: none */
	uint64_t sizes[SWEEP_LIST_MAX];
	unsigned int threads[SWEEP_LIST_MAX];
	char congestion_names[SWEEP_LIST_MAX][CONGESTION_NAME_LEN];
	const char *congestions[SWEEP_LIST_MAX]; /* of these names */
	uint64_t seed;
	const char *directory;
	bool resume;
};

/* Prints errors of the command line and exits with EXIT_USAGE. */
void sweep_options__parse(struct sweep_options *o, int argc, char **argv);

#endif
