/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the receiver answers with --request-response: for each message one of the same size, sent by
 * plain send() whatever the mode. One connection's; knows nothing of threads.
 */
#ifndef LOADGEN_REPLY_H
#define LOADGEN_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pattern of a reply is that of a connection with another number. */
#define REPLY_CONNECTION(index) ((index) | 1u << 31)

struct reply {
	uint64_t owed; /* messages not answered to the end */
	uint64_t seq;  /* of the answer under way, or the next */
	size_t pos;    /* bytes of it sent */
};

struct reply_form {
	uint32_t connection;
	size_t size;
	bool verify;
	uint8_t *buf; /* what is sent is made here, in pieces of at most len */
	size_t len;
	bool wait; /* for room in the socket */
};

/* What was sent, besides: also on error. */
struct reply_sent {
	uint64_t bytes, messages;
};

/* Sends what is owed. 0; -EAGAIN: the socket is full; another -errno: the connection is lost. */
int reply__push(struct reply *r, int fd, const struct reply_form *form, struct reply_sent *sent);

#endif
