/* SPDX-License-Identifier: GPL-2.0-only */
/* Environment variables that make a library read files another user chose. */
#ifndef NETIOTRACE_HOSTILE_ENV_H
#define NETIOTRACE_HOSTILE_ENV_H

/* Variables by which ncurses finds terminal descriptions: TERMINFO, TERMINFO_DIRS, HOME. */
#define HOSTILE_ENV_NR 3

struct hostile_env {
	char *hidden[HOSTILE_ENV_NR]; /* values taken out of the environment; NULL: none */
};

/* As root, takes out those that do not name a path that root or the invoking user controls. */
void hostile_env__hide(struct hostile_env *e);
/* Puts them back, for a command that is started later. */
void hostile_env__show(struct hostile_env *e);

#endif
