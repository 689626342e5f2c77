/* SPDX-License-Identifier: GPL-2.0-only */
/* What the columns of the live screen are drawn with: bars, shares, wrapped text. Pure layout. */
#ifndef NETIOTRACE_VIEW_BAR_H
#define NETIOTRACE_VIEW_BAR_H

#include <stddef.h>

#include "grid.h"

/* A bar of a fraction (0..1) of width cells, in eighths of a cell with utf8; never invisible. */
void bar__draw(struct grid *g, int row, int col, int width, unsigned int attr, double fraction,
	       bool utf8);

/* A share (0..1) in percent, at most 6 characters: "<0.1%", "12.3%", "100%". */
void bar__format_share(char *buf, size_t len, double share);

/* Text wrapped into a column of the rows row..last. */
void bar__text(struct grid *g, int row, int last, int col, int width, unsigned int attr,
	       const char *text);

#endif
