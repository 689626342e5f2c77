/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the size of a terminal and the environment that ncurses trusts. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdio.h>

/* Columns or rows; `otherwise` if fd is not a terminal or its size is unknown. */
unsigned int terminal__columns(int fd, unsigned int otherwise);

unsigned int terminal__rows(int fd, unsigned int otherwise);

/* For text: at least `least`, at most 120, 100 where it goes to no terminal. */
unsigned int terminal__text_columns(FILE *f, unsigned int least);

/* TERMINFO, TERMINFO_DIRS, HOME: ncurses finds terminal descriptions by these. */
#define HOSTILE_ENV_NR 3

struct hostile_env {
	char *hidden[HOSTILE_ENV_NR]; /* values removed from the environment; NULL: none */
};

/* As root, removes each variable whose path another user can control (docs/SECURITY.md). */
void hostile_env__hide(struct hostile_env *e);
/* Restores the variables for a command that is started later. */
void hostile_env__show(struct hostile_env *e);

#endif
