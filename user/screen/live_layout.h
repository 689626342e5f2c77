/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of the interactive view as a pure function of its state: what stands in which cell.
 * The parts are drawn by a file each; live_layout.c says where they go.
 */
#ifndef NETIOTRACE_VIEW_LAYOUT_H
#define NETIOTRACE_VIEW_LAYOUT_H

#include "grid.h"
#include "live_model.h"

#define VIEW_MIN_ROWS 24
#define VIEW_MIN_COLS 80

/* Draws the whole picture on a blank grid. utf8: block glyphs may be used, else plain ASCII. */
void view_layout__draw(struct grid *g, const struct view_model *m, bool utf8);

/* The attribute a mode is drawn in: its colour. Colour never says anything alone. */
unsigned int view_mode__attr(enum mode mode);

/* live_ledger.c: heading and a row per mode from row on; returns the first row below. */
int view_ledger__draw(struct grid *g, int row, const struct live_frame *f);

/*
 * live_cost.c: heading and a row per mode of what it costs, both sides together; returns the first
 * row below. format(): one figure, n/a when it is unknown; fills buf, returns it.
 */
int view_cost__draw(struct grid *g, int row, const struct live_frame *f);
char *view_cost__format(char *buf, size_t len, struct real v);

/*
 * live_columns.c: the quantity's heading and one histogram per mode, on rows row..last. times: of a
 * stage the time per event, not the bytes.
 */
void view_columns__draw(struct grid *g, int row, int last, const struct live_frame *f,
			enum view_quantity q, bool times, bool utf8);

/* live_parts.c: what a send call's time is made of in each mode, and what a KiB takes. */
void view_parts__draw(struct grid *g, int row, int last, const struct live_frame *f, bool utf8);

/* live_cpu.c: what CPU time goes to in each mode, by samples of the rounds that are over. */
void view_cpu__draw(struct grid *g, int row, int last, const struct live_frame *f, bool utf8);

/* live_help.c: a page that fits VIEW_MIN_ROWS x VIEW_MIN_COLS. */
void view_help__draw(struct grid *g);

#endif
