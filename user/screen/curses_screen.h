/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full-screen terminal of run and attach: shows a grid, returns keys, follows the size. curses
 * serves one terminal per process, so there is one screen and no object.
 */
#ifndef SCREEN_CURSES_SCREEN_H
#define SCREEN_CURSES_SCREEN_H

#include "base/loop.h"
#include "grid.h"

/* Keys without a character. */
enum screen_key {
	SCREEN_KEY_NONE = -1, /* nothing was pressed */
	SCREEN_KEY_ESCAPE = 27,
	SCREEN_KEY_UP = 256,
	SCREEN_KEY_DOWN,
	SCREEN_KEY_LEFT,
	SCREEN_KEY_RIGHT,
	SCREEN_KEY_PAGE_UP,
	SCREEN_KEY_PAGE_DOWN,
	SCREEN_KEY_HOME,
	SCREEN_KEY_END,
	SCREEN_KEY_BACKSPACE,
	SCREEN_KEY_OTHER,
};

/* Fills a blank grid as large as the terminal. utf8: block characters can be shown. */
typedef void (*curses_screen_fn)(void *arg, struct grid *g, bool utf8);

/*
 * Takes the terminal, holds back log messages, and draws. The loop, which outlives the screen, gets
 * stdin to read and the signals of job control. 0; -ENOTTY: stdin or stdout is none; -ENOTSUP: it
 * cannot place a cursor (TERM=dumb). The terminal is untouched after an error.
 */
int curses_screen__open(struct loop *l, curses_screen_fn draw, void *arg);
bool curses_screen__is_open(void);
void curses_screen__close(void); /* restores the terminal; may be called twice */

void curses_screen__draw(void); /* nothing unless it is open */

/*
 * Whether the signal was for the screen, open or not: its size has changed, or the user leaves it
 * for a while (this returns when the user is back). Draws again.
 */
bool curses_screen__signal(int signo);

/*
 * The next key: a character or an enum screen_key. Enter is '\n'. 'q' when the terminal is gone: it
 * would be readable forever.
 */
int curses_screen__key(void);

#endif
