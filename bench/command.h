/* SPDX-License-Identifier: GPL-2.0-only */
/* Somebody else's watcher, switched on and off: a shell command that says "attached" when it is. */
#ifndef NETIOTRACE_BENCH_COMMAND_H
#define NETIOTRACE_BENCH_COMMAND_H

#include <stdio.h>
#include <sys/types.h>

struct command {
	pid_t pid; /* of the process group; 0: none runs */
	FILE *out; /* its standard output */
};

/* Starts it and waits for a line with "attached". 0 or -errno; -ENODATA: it ended before. */
int command__begin(struct command *c, const char *text);

/* Interrupts it and waits for its end; does nothing if it does not run. */
void command__end(struct command *c);

#endif
