/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text: items of its head, and paragraphs with a label in the margin. */
#ifndef NETIOTRACE_TEXT_NOTE_H
#define NETIOTRACE_TEXT_NOTE_H

#include <stdio.h>

struct text_note {
	FILE *f; /* what is written here becomes the paragraph; NULL: out of memory */
	char *text;
	size_t len;
};

/* -ENOMEM. A note that was opened must be ended. */
int text_note__begin(struct text_note *n);

/* Prints the paragraph, nothing if it is empty, and frees the note. 0 or -ENOMEM. */
int text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label);

/*
 * Prints an item behind those before it, of which the present line has *used columns, or at the
 * beginning of the next line where it would pass width. The caller ends the last line.
 */
void text_item__print(FILE *f, unsigned int width, size_t *used, const char *item);

#endif
