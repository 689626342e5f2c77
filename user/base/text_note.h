/* SPDX-License-Identifier: GPL-2.0-only */
/* Paragraphs of the final text: a label in the margin, the text wrapped beside it. */
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

#endif
