/* SPDX-License-Identifier: GPL-2.0-only */
/* The picture of the full-screen view of a run as a pure function of its state. */
#ifndef SCREEN_LIVE_LAYOUT_H
#define SCREEN_LIVE_LAYOUT_H

#include "grid.h"
#include "live_model.h"
#include "model/perf_figures.h"

#define LIVE_MIN_ROWS 24
#define LIVE_MIN_COLS 80

/* Draws the whole picture on a blank grid; on a smaller one than LIVE_MIN_*, the answers so far.
 * utf8: block glyphs may be used, else plain ASCII. */
void live_layout__draw(struct grid *g, struct live_model *m, bool utf8);

/* One figure of cost, n/a when it is unknown; fills buf, returns it. */
char *live_layout__cost(char *buf, size_t len, struct real v);

/* The mode under way; NULL: none. */
const struct live_mode *live_layout__running(const struct live_frame *f);

const char *live_layout__phase(enum live_phase phase); /* in words */

/* A figure of the sides that are on this machine. */
struct real live_layout__figure(const struct live_mode *m, enum perf_derived d);

#endif
