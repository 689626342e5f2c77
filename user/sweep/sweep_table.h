/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a sweep at its end: the table of its cells. Pure, but for the stream. */
#ifndef SWEEP_SWEEP_TABLE_H
#define SWEEP_SWEEP_TABLE_H

#include <stdio.h>

#include "model/result.h"
#include "sweep_options.h"

struct sweep_totals {
	size_t runs;          /* of the sweep */
	size_t made, failed;  /* made: includes runs of earlier sweeps into the directory */
	uint64_t measured_ns; /* sum of this sweep's measured phases */
	uint64_t elapsed_ns;  /* duration of this sweep */
};

/*
 * The paragraphs before the table, wrapped: path, CPUs, congestion control of the environment of r,
 * and that a machine is emulated. pinned_by_default: the CPUs were chosen here. one_cpu: this
 * process may use one CPU only.
 */
void sweep_table__conditions(FILE *f, unsigned int width, const struct result *r,
			     const struct sweep_options *o, bool pinned_by_default, bool one_cpu);

/* gbps and made (NULL: not made): by run, in the order of sweep_grid__run(). */
void sweep_table__write(FILE *f, unsigned int width, const char *directory,
			const struct sweep_grid *g, const double *gbps, char *const *made,
			const struct sweep_totals *totals);

#endif
