/* SPDX-License-Identifier: GPL-2.0-only */
/* The help of a live view; see help_page.h. */
#include "help_page.h"

#include "base/printable.h"
#include "curses_screen.h"

#define NAME_COLS 16
#define TOP       1 /* row below the title */

static int clamp(int v, int low, int high)
{
	return v > high ? (high > low ? high : low) : v < low ? low : v;
}

bool scroll__key(int *at, int key, int page, int last)
{
	switch (key) {
	case SCREEN_KEY_UP:
	case 'k':
		--*at;
		break;
	case SCREEN_KEY_DOWN:
	case 'j':
		++*at;
		break;
	case SCREEN_KEY_PAGE_UP:
		*at -= page;
		break;
	case SCREEN_KEY_PAGE_DOWN:
		*at += page;
		break;
	case SCREEN_KEY_HOME:
		*at = 0;
		break;
	case SCREEN_KEY_END:
		*at = last;
		break;
	default:
		return false;
	}
	*at = clamp(*at, 0, last);
	return true;
}

void help_page__key(struct help_page *p, int key)
{
	if (!scroll__key(&p->first, key == ' ' ? SCREEN_KEY_PAGE_DOWN : key, p->room,
			 p->lines - p->room))
		*p = (struct help_page){.shown = false};
}

/* Draws the entries from line *at on, where they are on the screen. */
static void draw_list(struct grid *g, const struct help_page *p, int *at,
		      const char *const (*list)[2])
{
	int width = g->cols - 1 - NAME_COLS;

	for (; (*list)[0]; list++) {
		const char *name = (*list)[0], *text = (*list)[1], *line;
		size_t len;

		while ((len = wrap__next(&text, width > 1 ? (size_t)width : 1, &line))) {
			int row = (*at)++ - p->first;

			if (row >= 0 && row < p->room) {
				grid__put(g, TOP + row, 1, NAME_COLS, GRID_BOLD, name);
				grid__printf(g, TOP + row, 1 + NAME_COLS, width, GRID_PLAIN, "%.*s",
					     (int)len, line);
			}
			name = "";
		}
	}
}

void help_page__draw(struct grid *g, struct help_page *p, const char *title,
		     const char *const (*list)[2], const char *const (*more)[2])
{
	int last;

	grid__title(g, title);
	p->room = clamp(g->rows - TOP - 1, 1, GRID_SIDE_MAX);
	p->lines = 0;
	draw_list(g, p, &p->lines, list);
	draw_list(g, p, &p->lines, more);
	last = p->first + p->room < p->lines ? p->first + p->room : p->lines;
	if (p->lines > p->room)
		grid__printf(g, g->rows - 1, 0, g->cols, GRID_DIM,
			     "%d-%d of %d  up/down; other keys close", p->first + 1, last,
			     p->lines);
	else
		grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, "any key closes this");
}
