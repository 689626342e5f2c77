/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame graphs (SVG) of the CPU time of a cell: a box for each function, as wide as the CPU time of
 * its samples per KiB of payload, what it called above it. Pure.
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include <stdio.h>

#include "study/analysis.h"

/* The stacks of one mode, and what a sample of either side weighs: ns per KiB. */
struct flame_input {
	enum mode mode;
	const struct profile *profile;
	double weight[NIO_SAMPLE_WHOSE_NR];
};

/* The stacks of a mode at the reference size and threads; false: there are none. */
bool flame__find(struct flame_input *in, const struct analysis *a, enum mode mode);

/* Writes an <svg> element that stands alone, coloured by class of CPU time. */
void flame__write(FILE *f, const struct flame_input *in);

/*
 * Both modes in one: a box is as wide as the time of both, the redder the more of it is b's, the
 * bluer the more a's. What only one of them does is there, which a difference on the scale of one
 * of them would not show.
 */
void flame__write_difference(FILE *f, const struct flame_input *a, const struct flame_input *b);

#endif
