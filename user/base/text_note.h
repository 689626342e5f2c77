/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the final text: items of its head, and paragraphs with a label in the margin. */
#ifndef BASE_TEXT_NOTE_H
#define BASE_TEXT_NOTE_H

#include <stdio.h>

struct text_note {
	FILE *f; /* write the paragraph here */
	char *text;
	size_t len;
};

/* A note that was begun must be ended. */
void text_note__begin(struct text_note *n);

/* Prints the paragraph unless it is empty, and frees the note. */
void text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label);

/* Prints an item after *used columns, or on a new line beyond width. The caller ends the line. */
void text_item__print(FILE *f, unsigned int width, size_t *used, const char *item);

#endif
