/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rectangle of character cells that live screens are laid out in. Everything written is clipped
 * to the rectangle and to the field it was meant for, so that no text of any length can disturb
 * what stands beside it. Knows no terminal: live_curses.c copies the cells to one.
 */
#ifndef NETIOTRACE_VIEW_GRID_H
#define NETIOTRACE_VIEW_GRID_H

#include <stdbool.h>

#include "common/mode.h"

/* How a cell looks. The low bits are a colour: 0 none, else one of GRID_COLOURS, one per mode. */
#define GRID_PLAIN       0u
#define GRID_COLOUR_MASK 7u
#define GRID_COLOURS     MODE_NR
#define GRID_BOLD        8u
#define GRID_DIM         16u
#define GRID_REVERSE     32u

_Static_assert(GRID_COLOURS <= GRID_COLOUR_MASK, "a colour for each mode, and none");

/* One column on the terminal: a UTF-8 sequence that is one column wide, terminated. */
struct grid_cell {
	char text[5];
	unsigned char attr;
};

struct grid {
	int rows, cols;
	struct grid_cell cells[];
};

/* All cells blank. NULL when memory is short or a side is not within 1..4096. */
struct grid *grid__new(int rows, int cols);
void grid__free(struct grid *g);

/*
 * Writes s into the field of width cells at (row, col); what does not fit is cut and ends in '~'.
 * Bytes of s that are not printable ASCII become '?': strings come from the kernel and from files.
 */
void grid__put(struct grid *g, int row, int col, int width, unsigned int attr, const char *s);
void grid__put_right(struct grid *g, int row, int col, int width, unsigned int attr, const char *s);
void grid__printf(struct grid *g, int row, int col, int width, unsigned int attr, const char *fmt,
		  ...) __attribute__((format(printf, 6, 7)));

/* Sets one cell to a glyph of the view's own: one column wide, at most 4 bytes. */
void grid__glyph(struct grid *g, int row, int col, unsigned int attr, const char *utf8);

/* Gives width cells of a row an attribute and leaves their text alone. */
void grid__paint(struct grid *g, int row, int col, int width, unsigned int attr);

#endif
