/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rectangle of character cells, with the bars and texts of live screens. All text is clipped to
 * its field and to the rectangle. curses_screen.c shows the cells.
 */
#ifndef SCREEN_GRID_H
#define SCREEN_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "common/mode.h"

#define GRID_SIDE_MAX 4096

/* The look of a cell. The low bits are a colour: 0 none, one per mode, then table colours. */
#define GRID_PLAIN       0u
#define GRID_COLOUR_MASK 15u
#define GRID_COPIED      (MODE_NR + 1u) /* bytes that a CPU copied */
#define GRID_UNCOPIED    (MODE_NR + 2u) /* bytes that were moved without a copy */
#define GRID_COLOURS     (MODE_NR + 2u)
#define GRID_BOLD        16u
#define GRID_DIM         32u
#define GRID_REVERSE     64u

_Static_assert(GRID_COLOURS <= GRID_COLOUR_MASK, "all colours fit the mask");

/* One column on the terminal: a UTF-8 sequence that is one column wide, terminated. */
struct grid_cell {
	char text[5];
	unsigned char attr;
};

struct grid {
	int rows, cols;
	struct grid_cell cells[];
};

/* All cells blank. NULL when a side is not within 1..GRID_SIDE_MAX. */
struct grid *grid__new(int rows, int cols);
void grid__free(struct grid *g);

/*
 * Writes s into the field of width cells at (row, col); longer text is cut and ends in '~'. Bytes
 * of s that are not printable ASCII become '?': strings come from the kernel and from files.
 */
void grid__put(struct grid *g, int row, int col, int width, unsigned int attr, const char *s);
void grid__put_right(struct grid *g, int row, int col, int width, unsigned int attr, const char *s);
void grid__printf(struct grid *g, int row, int col, int width, unsigned int attr, const char *fmt,
		  ...) __attribute__((format(printf, 6, 7)));

/* Sets one cell to a glyph of the view's own: one column wide, at most 4 bytes. */
void grid__glyph(struct grid *g, int row, int col, unsigned int attr, const char *utf8);

/* Gives width cells of a row an attribute and leaves their text alone. */
void grid__paint(struct grid *g, int row, int col, int width, unsigned int attr);

/* A bar of a fraction (0..1) of width cells, with utf8 in eighths; visible if width is above 0. */
void grid__bar(struct grid *g, int row, int col, int width, unsigned int attr, double fraction,
	       bool utf8);

/*
 * Wraps text into a column of the rows row..last; text that does not fit ends in " ...". Returns
 * the first row below the text.
 */
int grid__text(struct grid *g, int row, int last, int col, int width, unsigned int attr,
	       const char *text);

/* Rows that grid__text() would need. */
int grid__text_rows(const char *text, int width);

/* The first row: a bar with the text. */
void grid__title(struct grid *g, const char *text);

/* Draws one sentence if the grid is smaller, and returns the row below it; 0: it is large enough.
 */
int grid__too_small(struct grid *g, int cols, int rows);

/* A share (0..1) in percent, at most 6 characters: "<0.1%", "12.3%", "100%". */
void format_share(char *buf, size_t len, double share);

#endif
