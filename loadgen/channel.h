/* SPDX-License-Identifier: GPL-2.0-only */
/* The control connection as a sequence of frames. Knows nothing of what they mean. */
#ifndef LOADGEN_CHANNEL_H
#define LOADGEN_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

struct channel {
	int fd; /* -1: closed */
	size_t have;
	uint8_t buf[WIRE_FRAME_SIZE];
};

/* Takes over a connected socket. */
int channel__open(struct channel *c, int fd);
void channel__close(struct channel *c);

/* 0; -ETIMEDOUT: the peer takes nothing; -EINTR: a signal waits; or -errno. */
int channel__send(struct channel *c, const struct wire_frame *f);

/* The same of up to CHANNEL_BATCH frames in one call of the kernel. */
#define CHANNEL_BATCH 64
int channel__send_all(struct channel *c, const struct wire_frame *f, size_t n);

/* The next frame without waiting: 0, -EAGAIN, -ECONNRESET at its end, -EPROTO, -errno. */
int channel__next(struct channel *c, struct wire_frame *f);

#endif
