/* SPDX-License-Identifier: GPL-2.0-only */
/* The picture of the full-screen view of a run as a pure function of its state. */
#ifndef SCREEN_LIVE_LAYOUT_H
#define SCREEN_LIVE_LAYOUT_H

#include "grid.h"
#include "live_model.h"

#define LIVE_MIN_ROWS 24
#define LIVE_MIN_COLS 80

/* Draws the whole picture on a blank grid. utf8: block glyphs may be used, else plain ASCII. */
void live_layout__draw(struct sweep_grid *g, const struct live_model *m, bool utf8);

/* The colour of a mode. Colour never says anything alone. */
unsigned int live_layout__attr(enum mode mode);

/* One figure of cost, n/a when it is unknown; fills buf, returns it. */
char *live_layout__cost(char *buf, size_t len, struct real v);

/*
 * live_columns.c: the quantity's heading and one histogram per mode, on rows row..last. times: of a
 * stage the time per event, not the bytes.
 */
void live_columns__draw(struct sweep_grid *g, int row, int last, const struct live_frame *f,
			enum live_quantity q, bool times, bool utf8);

/*
 * live_shares.c: on rows row..last the parts of a mean send call, or the CPU time of a KiB by class
 * (samples of finished rounds).
 */
void live_shares__parts(struct sweep_grid *g, int row, int last, const struct live_frame *f,
			bool utf8);
void live_shares__cpu(struct sweep_grid *g, int row, int last, const struct live_frame *f,
		      bool utf8);

#endif
