/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of cells whose columns are as wide as what stands in them. Knows the layout only. */
#ifndef NETIOTRACE_TEXT_CELLS_H
#define NETIOTRACE_TEXT_CELLS_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_CELL_MAX    48
#define TEXT_ROWS_MAX    8
#define TEXT_COLUMNS_MAX 24

struct text_cells {
	char cell[TEXT_ROWS_MAX][TEXT_COLUMNS_MAX][TEXT_CELL_MAX];
	bool left[TEXT_COLUMNS_MAX]; /* aligned left; the others right */
	unsigned int rows, columns;
};

/* Columns of the table as it would be printed. */
unsigned int text_cells__width(const struct text_cells *t);

/* Columns two spaces apart, one where they do not fit in width otherwise. */
void text_cells__print(FILE *f, const struct text_cells *t, unsigned int width);

#endif
