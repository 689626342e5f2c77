/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines that the load generator's two sides are started with (docs/LOADGEN.md). */
#ifndef NETIOTRACE_COMMAND_H
#define NETIOTRACE_COMMAND_H

#include "run/options.h"

/* An argument list; its strings are its own. Start from {0}. */
struct arglist {
	char **argv; /* NULL-terminated */
	size_t argc;
};

void arglist__clear(struct arglist *args);

/* 0 or -ENOMEM; on error the list may hold a part: arglist__clear() frees it in any case. */
int command__receiver(struct arglist *args, const char *program, const struct options *o,
		      const char *address);
/* A receiver that serves session after session, where --listen says (resolved). */
int command__server(struct arglist *args, const char *program, const struct options *o,
		    const struct address *listen);
int command__sender(struct arglist *args, const char *program, const struct options *o,
		    enum mode mode, const char *address, unsigned int port);

/*
 * The path of netio-loadgen, which stands beside this program, wherever that was installed. 0 or
 * -errno.
 */
int command__find(char *path, size_t len);

#endif
