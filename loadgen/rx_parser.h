/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser of one connection's received bytes: boundaries, tags, contents, delivery times. And the
 * receiver's replies: one for each message, of the same size, by send() in every mode.
 */
#ifndef LOADGEN_RX_PARSER_H
#define LOADGEN_RX_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "message.h"

struct rx_parser {
	uint32_t connection;
	size_t size; /* of a message */
	bool verify;
	bool same_clock; /* false: the sender's clock is another, stamps are ignored */
	bool untagged;   /* messages have no tag that can be read, and no content to check */
	uint64_t seq;    /* of the current message */
	size_t pos;      /* bytes of it parsed */
	uint64_t key;    /* its pattern */
	bool wrong;
	uint8_t tag[MESSAGE_TAG_SIZE];
};

void rx_parser__init(struct rx_parser *s, uint32_t connection, size_t size, bool verify,
		     bool same_clock);

/* Parses and counts len bytes of a call that returned at `now`. data: not read if untagged. */
void rx_parser__feed(struct rx_parser *s, struct counters *t, const uint8_t *data, size_t len,
		     uint64_t now);

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
