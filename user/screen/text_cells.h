/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of final texts. Tables: cells whose columns are as wide as their contents, and tables
 * of names that must fit a width. Notes: items of a head, and paragraphs with a label in the
 * margin, as long as they are or as many of their sentences as fit in a number of lines.
 */
#ifndef SCREEN_TEXT_CELLS_H
#define SCREEN_TEXT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TEXT_CELL_MAX    48
#define TEXT_COLUMNS_MAX 24

struct text_cells {
	char (*cell)[TEXT_COLUMNS_MAX][TEXT_CELL_MAX]; /* by row */
	bool left[TEXT_COLUMNS_MAX];                   /* aligned left; the others right */
	int width[TEXT_COLUMNS_MAX];                   /* on a screen; a text fits the cells */
	unsigned int heads;                            /* heading rows */
	unsigned int rows, columns;                    /* rows: headings included */
};

/* Writes the cell of a row, counted from 0 below the headings. of, what: see text_cells__add(). */
typedef void (*text_cell_fn)(char cell[TEXT_CELL_MAX], const void *of, size_t row, int what);

/* An empty table; free with text_cells__clear(). */
void text_cells__begin(struct text_cells *t, unsigned int heads, size_t rows);
void text_cells__clear(struct text_cells *t);

/*
 * Adds a column: its heading, and the cells of all rows, for which fn gets of and what. Returns its
 * number. At most TEXT_COLUMNS_MAX.
 */
unsigned int text_cells__add(struct text_cells *t, const char *head, bool left, text_cell_fn fn,
			     const void *of, int what);

/*
 * Columns two spaces apart, or one if width is too small. Columns that do not fit even then go
 * below, with the first column repeated. Clears the table.
 */
void text_cells__print(FILE *f, struct text_cells *t, unsigned int width);

/* What a column has in every row, in the order of dropping columns. */
enum text_content { TEXT_ZERO, TEXT_UNKNOWN, TEXT_FIGURES };

/* A column of a table of names: declared once for the text and the live view. */
struct text_column {
	const char *head, *help;
	unsigned int attr;  /* colour of its figures on a screen */
	unsigned int order; /* order of dropping columns; 0: always shown */
	/* In this table: */
	enum text_content content;
	bool sorted; /* rows are in its order */
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
			     const struct text_column *columns, size_t n);

/*
 * The name, or its beginning and end with '~' between them, in width columns of buf, never cut
 * within a character. "nginx 15470 :28180 > 127.0.0.1:52642" keeps its ports: they distinguish
 * connections.
 */
const char *text_fit__shorten(char *buf, size_t size, const char *name, int width);

struct text_note {
	FILE *f; /* write the paragraph here */
	char *text;
	size_t len;
};

/* How a paragraph is fitted; its sentences are in order of importance. */
struct text_note_form {
	const char *label;     /* NULL: none, and no margin */
	const char *separator; /* between sentences: " ", ", " */
	const char *end;       /* after the last one; NULL: nothing */
	const char *cut;       /* the same where sentences are left out; NULL: as end */
	unsigned int columns, lines;
};

/* A note that was begun must be ended or fitted. */
void text_note__begin(struct text_note *n);

/* Ends a sentence of a note that will be fitted. An empty sentence does not count. */
void text_note__next(struct text_note *n);

/* Prints the paragraph unless it is empty, and frees the note. */
void text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label);

/*
 * Prints as many sentences as fit in form->lines lines, the first one cut if it is longer, and
 * frees the note. Prints nothing without a sentence. Returns the lines printed.
 */
unsigned int text_note__fit(struct text_note *n, FILE *out, const struct text_note_form *form);

/* Prints an item after *used columns, or on a new line beyond width. The caller ends the line. */
void text_item__print(FILE *f, unsigned int width, size_t *used, const char *item);

#endif
