/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's replies: one for each message, of the same size, by send() in every mode. */
#ifndef LOADGEN_REPLY_H
#define LOADGEN_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Connection number in the pattern of a reply. */
#define REPLY_CONNECTION(index) ((index) | 1u << 31)

struct reply {
	uint64_t owed; /* messages whose reply is not fully sent */
	uint64_t seq;  /* of the current or next reply */
	size_t pos;    /* bytes of it sent */
};

struct reply_form {
	uint32_t connection;
	size_t size;
	bool verify;
	uint8_t *buf; /* the buffer where replies are built, len bytes */
	size_t len;
	bool wait; /* block if the socket is full */
};

/* Sent by one call, also on error. */
struct reply_sent {
	uint64_t bytes, messages;
};

/* Sends owed replies. 0; -EAGAIN: the socket is full; other -errno: the connection is lost. */
int reply__push(struct reply *r, int fd, const struct reply_form *form, struct reply_sent *sent);

#endif
