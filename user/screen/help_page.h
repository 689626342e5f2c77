/* SPDX-License-Identifier: GPL-2.0-only */
/* The help of a live view: a page that scrolls where the terminal is too small for it. Pure. */
#ifndef SCREEN_HELP_PAGE_H
#define SCREEN_HELP_PAGE_H

#include "grid.h"

struct help_page {
	bool shown;
	int first;       /* the first line on the screen, from 0 */
	int lines, room; /* lines in all, and rows for them, when it was last drawn */
};

/*
 * Moves *at by a key, within 0..last; page: lines on the screen. false: the key moves nothing. A
 * last below 0 is taken as 0.
 */
bool scroll__key(int *at, int key, int page, int last);

/* Acts on a key while the page is shown: scrolls, or closes the page. */
void help_page__key(struct help_page *p, int key);

/* Entries of a name and a text; either list ends with NULL. */
void help_page__draw(struct grid *g, struct help_page *p, const char *title,
		     const char *const (*list)[2], const char *const (*more)[2]);

#endif
