/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of run and attach: cells whose columns are as wide as their contents, and tables of names
 * that must fit a width. Knows the layout only.
 */
#ifndef SCREEN_TEXT_CELLS_H
#define SCREEN_TEXT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TEXT_CELL_MAX    48
#define TEXT_ROWS_MAX    40
#define TEXT_COLUMNS_MAX 24

struct text_cells {
	char cell[TEXT_ROWS_MAX][TEXT_COLUMNS_MAX][TEXT_CELL_MAX];
	bool left[TEXT_COLUMNS_MAX]; /* aligned left; the others right */
	unsigned int rows, columns;
};

/* Adds a column with its heading (a copy), all other cells empty. Returns its number. */
unsigned int text_cells__add_column(struct text_cells *t, const char *head, bool left);

/* Adds a row, all cells empty. Returns its number. */
unsigned int text_cells__add_row(struct text_cells *t);

__attribute__((format(printf, 4, 5))) void text_cells__set(struct text_cells *t, unsigned int row,
							   unsigned int column, const char *format,
							   ...);

/* Columns of the table as it would be printed. */
unsigned int text_cells__width(const struct text_cells *t);

/*
 * Columns two spaces apart, or one if width is too small. Columns that do not fit even then go
 * below, with the first column repeated.
 */
void text_cells__print(FILE *f, const struct text_cells *t, unsigned int width);

/* A column of a table of names. */
struct text_fit_column {
	bool empty;         /* zero in every row */
	unsigned int order; /* order of dropping columns; 0: always shown */
};

struct text_fit {
	int name;              /* columns of the names */
	unsigned int left_out; /* 1 << column */
};

/*
 * Fits a table in width: names of up to longest columns, then n cells of cell columns each. Empty
 * columns are dropped first, then names are shortened to name_min, then further columns are
 * dropped.
 */
struct text_fit text_fit__of(int width, int cell, int longest, int name_min,
			     const struct text_fit_column *columns, size_t n);

/*
 * The name, or its beginning and end with '~' between them, in width columns of buf, never cut
 * within a character. The ends distinguish connections.
 */
const char *text_fit__shorten(char *buf, size_t size, const char *name, int width);

#endif
