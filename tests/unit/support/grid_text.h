/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a grid, for tests of screens. */
#ifndef SUPPORT_GRID_TEXT_H
#define SUPPORT_GRID_TEXT_H

#include <string.h>

#include "common/xalloc.h"
#include "screen/grid.h"

/* Lines without trailing blanks. The caller frees the text. */
__attribute__((noinline, unused)) static char *grid_text(const struct grid *g)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	for (int row = 0; row < g->rows; row++) {
		int end = g->cols;

		while (end && !strcmp(g->cells[row * g->cols + end - 1].text, " "))
			end--;
		for (int col = 0; col < end; col++)
			fputs(g->cells[row * g->cols + col].text, f);
		fputc('\n', f);
	}
	xclose_memstream(f);
	return text;
}

#endif
