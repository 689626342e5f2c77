/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two processes for a command that root has called and that does not need root: one does the work
 * as the user of step_down.h, the other keeps root and only writes the output that the caller
 * named.
 */
#ifndef NETIOTRACE_PUBLISHER_H
#define NETIOTRACE_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>

#define PUBLISHER_WHY 512

/*
 * Does what data asks. data comes from a process without rights: it is to be checked. 0, or -errno
 * with a reason in why ("": strerror() says it).
 */
typedef int (*publisher_serve)(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY]);

struct publisher {
	publisher_serve serve;
	void *ctx;
	int fd; /* to the process that serves; -1: this one does */
};

/*
 * As root: forks. Returns true in the process that is to do the work, without rights; it dies with
 * the other. There it returns false, when the work is over, with the exit code of it in *code.
 * Not as root: returns true, and this process does both. ctx must not change afterwards.
 */
bool publisher__split(struct publisher *p, publisher_serve serve, void *ctx, int *code);

/* What serve() answered; -EPIPE: the process is gone. */
int publisher__ask(struct publisher *p, const char *data, size_t len, char why[PUBLISHER_WHY]);

#endif
