/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's walk through one connection's bytes: finds where messages end, reads their
 * headers, checks their content, and books delivery times. Pure: gets bytes and a time, knows no
 * socket.
 */
#ifndef LOADGEN_STREAM_H
#define LOADGEN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"
#include "tally.h"

struct stream {
	uint32_t connection;
	size_t size; /* of a message */
	bool verify;
	bool same_clock; /* false: the sender's stamps are of another machine and mean nothing */
	uint64_t seq;    /* of the message under way */
	size_t pos;      /* bytes of it seen */
	uint64_t key;    /* its pattern */
	bool wrong;
	uint8_t header[MESSAGE_HEADER_SIZE];
};

void stream__init(struct stream *s, uint32_t connection, size_t size, bool verify, bool same_clock);

/* Books len bytes that recv() had delivered by the time `now`. */
void stream__feed(struct stream *s, struct tally *t, const uint8_t *data, size_t len, uint64_t now);

#endif
