/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the environment variables that make ncurses read files chosen by another user. */
#ifndef NETIOTRACE_HOSTILE_ENV_H
#define NETIOTRACE_HOSTILE_ENV_H

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
