/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns two processes for a command of root: a worker without root, and a writer of the output. */
#ifndef BASE_PUBLISHER_H
#define BASE_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>

#define PUBLISHER_WHY 512

/* Performs a request of the untrusted worker. 0, or -errno with a reason ("": none) in why. */
typedef int (*publisher_serve)(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY]);

struct publisher {
	publisher_serve serve;
	void *ctx;
	int fd; /* socket to the serving process; -1: this process serves */
};

/*
 * As root: forks. Returns true in the worker, which has no privileges and dies with its parent. The
 * parent serves until the worker ends, then returns false with its exit code in *code. A failure
 * also returns false with an exit code. Not as root: returns true, and this process serves itself.
 * ctx must not change afterwards.
 */
bool publisher__split(struct publisher *p, publisher_serve serve, void *ctx, int *code);

/* Returns the result of serve(); -EPIPE: the serving process is gone. */
int publisher__ask(struct publisher *p, const char *data, size_t len, char why[PUBLISHER_WHY]);

#endif
