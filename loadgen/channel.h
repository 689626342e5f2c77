/* SPDX-License-Identifier: GPL-2.0-only */
/* The control connection as a sequence of frames. */
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

/* Takes ownership of a connected socket, also on error. 0 or -errno. */
int channel__open(struct channel *c, int fd);
void channel__close(struct channel *c);

/* 0; -ETIMEDOUT: the peer takes no data; -EINTR: a signal is pending; other -errno. */
int channel__send(struct channel *c, const struct wire_frame *f);

/* Sends n frames, at most CHANNEL_BATCH, with one send(). Errors as of channel__send(). */
#define CHANNEL_BATCH 64
int channel__send_all(struct channel *c, const struct wire_frame *f, size_t n);

/* Never blocks. 0; -EAGAIN; -ECONNRESET at end of stream; -EPROTO; -EPROTONOSUPPORT (version). */
int channel__next(struct channel *c, struct wire_frame *f);

#endif
