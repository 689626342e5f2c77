/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full-screen terminal of run and attach: shows a grid, returns keys, follows the size. curses
 * serves one terminal per process, so there is one screen and no object.
 */
#ifndef SCREEN_CURSES_SCREEN_H
#define SCREEN_CURSES_SCREEN_H

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

/*
 * Takes the terminal and holds back log messages. 0; -ENOTTY: stdin or stdout is none; -ENOTSUP: it
 * cannot place a cursor (TERM=dumb). The terminal is untouched after an error.
 */
int curses_screen__open(void);
bool curses_screen__is_open(void);
void curses_screen__close(void); /* restores the terminal; may be called twice */

/* Between leave and enter the terminal belongs to the shell, and log messages are printed. */
void curses_screen__leave(void);
void curses_screen__enter(void);

/* Call after SIGWINCH, then draw again. */
void curses_screen__resize(void);

bool curses_screen__utf8(void); /* block characters can be shown */

/* A blank grid as large as the terminal; show() draws it and frees it. */
struct grid *curses_screen__grid(void);
void curses_screen__show(struct grid *g);

/*
 * The next key: a character or an enum screen_key. Enter is '\n'. 'q' when the terminal is gone: it
 * would be readable forever.
 */
int curses_screen__key(void);

#endif
