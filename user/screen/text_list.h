/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A labelled paragraph of sentences that has to fit in a number of lines. Sentences are written in
 * order of importance; the last ones are left out first.
 */
#ifndef SCREEN_TEXT_LIST_H
#define SCREEN_TEXT_LIST_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_LABEL_WIDTH 9

struct text_list {
	FILE *f; /* the sentence in hand is written here */
	char *text;
	size_t len;
};

struct text_list_form {
	const char *label;     /* NULL: none, and no margin */
	const char *separator; /* between sentences: " ", ", " */
	const char *end;       /* after the last one; NULL: nothing */
	const char *cut;       /* the same where sentences are left out; NULL: as end */
	unsigned int columns, lines;
};

/* A list that was begun must be ended. */
void text_list__begin(struct text_list *l);

/* Ends a sentence. An empty sentence does not count. */
void text_list__next(struct text_list *l);

/*
 * Prints as many sentences as fit in form->lines lines, the first one cut if it is longer, and
 * frees the list. Prints nothing without a sentence. Returns the lines printed.
 */
unsigned int text_list__end(struct text_list *l, FILE *f, const struct text_list_form *form);

/* Lines of a text: its newlines. */
unsigned int text_lines(const char *text);

#endif
