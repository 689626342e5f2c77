/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns two processes: a worker without root, and a writer of the output with the caller's rights.
 */
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
	int fd; /* socket to the other process */
};

/*
 * Forks. Returns true in the worker, which has no privileges and dies with its parent. The parent
 * serves until the worker ends, then returns false with its exit code in *code. A failure also
 * returns false with an exit code. ctx must not change afterwards.
 *
 * The worker sends the length (8 bytes) and the data, and reads a struct answer: publish() in
 * analysis/files.py.
 */
bool publisher__fork(struct publisher *p, publisher_serve serve, void *ctx, int *code);

#endif
