/* SPDX-License-Identifier: GPL-2.0-only */
/* The control connection as a sequence of frames. Knows nothing of what they mean. */
#ifndef LOADGEN_CHANNEL_H
#define LOADGEN_CHANNEL_H

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

int channel__send(struct channel *c, const struct wire_frame *f);

/* The next frame without waiting: 0, -EAGAIN, -ECONNRESET at its end, -EPROTO, -errno. */
int channel__next(struct channel *c, struct wire_frame *f);

#endif
