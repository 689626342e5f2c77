/* SPDX-License-Identifier: GPL-2.0-only */
/* Paragraphs of the final text: a label in the margin, the text wrapped beside it. */
#ifndef NETIOTRACE_TEXT_NOTE_H
#define NETIOTRACE_TEXT_NOTE_H

#include <stdio.h>

#include "model/result.h"

struct text_note {
	FILE *f; /* what is written here becomes the paragraph; NULL: out of memory */
	char *text;
	size_t len;
};

/* -ENOMEM. A note that was opened must be ended. */
int text_note__begin(struct text_note *n);

/* Prints the paragraph, nothing if it is empty, and frees the note. 0 or -ENOMEM. */
int text_note__end(struct text_note *n, FILE *out, unsigned int width, const char *label);

/* text_books.c: do the books balance, was zero-copy zero-copy, were bytes retransmitted or wrong?
 */
int text_books__print(FILE *f, unsigned int width, const struct result *r);

/*
 * text_time.c: what send calls and copies take, as a table of at most 60 columns, nothing when that
 * is not known; and why it is not.
 */
void text_time__print(FILE *f, const struct result *r);
int text_time__reasons(FILE *f, unsigned int width, const struct result *r);

/* text_copies.c: where deferred copies ran, who made other copies, how zero-copy sends completed.
 */
int text_copies__print(FILE *f, unsigned int width, const struct result *r);

/* text_cost.c: hardware counters and CPU time per payload byte. */
int text_cost__print(FILE *f, unsigned int width, const struct result *r);

/* text_quality.c: what was not measured and why, what was lost, whether the run was cut short. */
int text_quality__print(FILE *f, unsigned int width, const struct result *r);

#endif
