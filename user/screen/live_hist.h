/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms for display: one logarithmic axis shared by several histograms, and their events
 * counted into its rows. Pure arithmetic.
 */
#ifndef SCREEN_LIVE_HIST_H
#define SCREEN_LIVE_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hist.h"

#define HIST_AXIS_ROWS_MAX 96

enum hist_axis_kind {
	HIST_AXIS_SIZE, /* bytes: powers of two and their binary fractions */
	HIST_AXIS_TIME, /* ns: 1, 2, 5 ... of each power of ten */
};

/*
 * Row i holds the values from low[i] up to low[i + 1]; the last row has no upper end. With below
 * and above, the first and the last row hold what few events lie outside the rows between.
 */
struct hist_axis {
	enum hist_axis_kind kind;
	bool below, above;
	unsigned int rows; /* 0: no histogram holds an event */
	uint64_t low[HIST_AXIS_ROWS_MAX];
};

/*
 * The finest axis that shows all events of the n histograms (each may be NULL) in at most max_rows
 * rows. If the slowest and fastest 2.5 % of each would coarsen it, they get a row of their own at
 * either end: one event of 4 ms would otherwise hide the rest. A single row gets empty neighbours
 * for comparison.
 */
void hist_axis__fit(struct hist_axis *axis, enum hist_axis_kind kind, const struct hist *const *h,
		    size_t n, unsigned int max_rows);

/*
 * Label of a row: its lower bound, at most 6 characters: "64k", "1.5us"; "below", "above". Fills
 * buf, returns it.
 */
char *hist_axis__label(const struct hist_axis *axis, unsigned int row, char *buf, size_t len);

/*
 * Counts h's events into counts[axis->rows]. A bucket that straddles rows goes where its midpoint
 * is, which moves events by at most half a bucket (see hist_layout.h).
 */
void hist_axis__count(const struct hist_axis *axis, const struct hist *h, uint64_t *counts);

/* A value of either kind in at most 6 characters: "68k", "14.2us". Fills buf and returns it. */
char *hist_axis__value(enum hist_axis_kind kind, double v, char *buf, size_t len);

#endif
