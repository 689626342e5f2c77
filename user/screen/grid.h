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

/* The look of a cell. The low bits are a colour: 0 none, one per mode, then those of tables. */
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

struct sweep_grid {
	int rows, cols;
	struct grid_cell cells[];
};

/* All cells blank. NULL when a side is not within 1..GRID_SIDE_MAX. */
struct sweep_grid *sweep_grid__new(int rows, int cols);
void sweep_grid__free(struct sweep_grid *g);

/*
 * Writes s into the field of width cells at (row, col); longer text is cut and ends in '~'. Bytes
 * of s that are not printable ASCII become '?': strings come from the kernel and from files.
 */
void sweep_grid__put(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
		     const char *s);
void sweep_grid__put_right(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
			   const char *s);
void sweep_grid__printf(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
			const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Sets one cell to a glyph of the view's own: one column wide, at most 4 bytes. */
void sweep_grid__glyph(struct sweep_grid *g, int row, int col, unsigned int attr, const char *utf8);

/* Gives width cells of a row an attribute and leaves their text alone. */
void sweep_grid__paint(struct sweep_grid *g, int row, int col, int width, unsigned int attr);

/* A bar of a fraction (0..1) of width cells, in eighths of a cell with utf8; never invisible. */
void sweep_grid__bar(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
		     double fraction, bool utf8);

/* Wraps text into a column of the rows row..last. Returns the first row below the text. */
int sweep_grid__text(struct sweep_grid *g, int row, int last, int col, int width, unsigned int attr,
		     const char *text);

/* The first row: a bar with the text. */
void sweep_grid__title(struct sweep_grid *g, const char *text);

/* A page of help: lines of a name and a text; either list ends with NULL. */
void sweep_grid__help(struct sweep_grid *g, const char *title, const char *const (*list)[2],
		      const char *const (*more)[2]);

/* Draws one sentence if the grid is smaller; false: it is large enough. */
bool sweep_grid__too_small(struct sweep_grid *g, int cols, int rows);

/* A share (0..1) in percent, at most 6 characters: "<0.1%", "12.3%", "100%". */
void format_share(char *buf, size_t len, double share);

#endif
