/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the command that attach or follow starts and watches. It runs as the user who called sudo,
 * with the descriptors 0 to 2, the environment, and the ignored and blocked signals that netiotrace
 * was started with.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>

#include "launch.h"

struct command {
	char *const *argv; /* ends with NULL */
	bool apart;        /* its stdout goes to stderr, because a document goes to stdout */
};

/* Forks; launch__go() releases the command. 0 or -errno. */
int spawn__hold(struct launch *l, const struct command *command);

void inherited__note(void); /* call before changing any of them */

/* Call in a child before its exec. */
void inherited__restore(void);

#endif
