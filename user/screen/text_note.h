/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the layout of the final texts: items of a head, and paragraphs with a label in the margin,
 * as long as they are or as many of their sentences as fit in a number of lines.
 */
#ifndef SCREEN_TEXT_NOTE_H
#define SCREEN_TEXT_NOTE_H

#include <stdio.h>

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
