/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text of a sweep: number of runs, and the throughput of each cell. Pure. */
#ifndef SWEEP_SWEEP_TABLE_H
#define SWEEP_SWEEP_TABLE_H

#include <stdio.h>

#include "run/run_order.h"
#include "model/congestion.h"

struct sweep_totals {
	size_t runs;          /* of the sweep */
	size_t made, failed;  /* made: by earlier sweeps into the directory too */
	uint64_t measured_ns; /* measured phases of the runs of this sweep */
	uint64_t elapsed_ns;  /* that this one took, all in all */
};

/* Settings shared by all runs that affect the figures. */
struct sweep_conditions {
	const char *path;
	const struct congestion *congestion;
	const char *sender_cpus, *receiver_cpus; /* NULL: not pinned */
	bool pinned_by_default;
	bool one_cpu; /* why they are not pinned: the process may use no second one */
};

/* The paragraphs before the table, wrapped. */
void sweep_table__conditions(FILE *f, unsigned int width, const struct sweep_conditions *c,
			     const struct sweep_grid *g);

/*
 * gbps and made (NULL: not made) by run, in the order of sweep_grid__run(); directory: for the
 * commands that can come next.
 */
void sweep_table__write(FILE *f, const char *directory, const struct sweep_grid *g,
			const double *gbps, char *const *made, const struct sweep_totals *totals);

#endif
