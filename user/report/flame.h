/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame graphs (SVG) of the CPU time of a cell: a box per function, as wide as the CPU time of its
 * samples per KiB of payload, with its callees above. Pure.
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include <stdio.h>

#include "study/analysis.h"

/* The stacks of one mode, and what a sample of either side weighs: ns per KiB. */
struct flame_input {
	enum mode mode;
	const struct profile *profile;
	double weight[NIO_SAMPLE_OWNER_NR];
};

/* The stacks of a mode at the reference size and threads; false: there are none. */
bool flame__find(struct flame_input *in, const struct analysis *a, enum mode mode);

/*
 * Writes a standalone <svg> element, coloured by class of CPU time. other not NULL: both modes in
 * one, where a box is as wide as the time of both, red for other's share and blue for in's.
 * Functions of only one mode are included, which a difference on one mode's scale would lose.
 */
void flame__write(FILE *f, const struct flame_input *in, const struct flame_input *other);

#endif
