/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of the tables of text_cells.h. */
#include <string.h>

#include "text_cells.h"

#define GAP 2

static unsigned int column_width(const struct text_cells *t, unsigned int column)
{
	size_t most = 0;

	for (unsigned int row = 0; row < t->rows; row++) {
		size_t len = strlen(t->cell[row][column]);

		most = len > most ? len : most;
	}
	return (unsigned int)most;
}

unsigned int text_cells__width(const struct text_cells *t)
{
	unsigned int width = 0;

	for (unsigned int c = 0; c < t->columns; c++)
		width += column_width(t, c) + (c ? GAP : 0);
	return width;
}

static void print_row(FILE *f, const struct text_cells *t, unsigned int row, unsigned int gap)
{
	unsigned int blanks = 0; /* owed: a line does not end in any */

	for (unsigned int c = 0; c < t->columns; c++) {
		const char *cell = t->cell[row][c];
		unsigned int rest = column_width(t, c) - (unsigned int)strlen(cell);

		blanks += (c ? gap : 0) + (t->left[c] ? 0 : rest);
		if (*cell) {
			fprintf(f, "%*s%s", (int)blanks, "", cell);
			blanks = 0;
		}
		blanks += t->left[c] ? rest : 0;
	}
	fputc('\n', f);
}

void text_cells__print(FILE *f, const struct text_cells *t, unsigned int width)
{
	unsigned int gap = text_cells__width(t) > width ? GAP - 1 : GAP;

	for (unsigned int row = 0; row < t->rows; row++)
		print_row(f, t, row, gap);
}
