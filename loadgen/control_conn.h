/* SPDX-License-Identifier: GPL-2.0-only */
/* The control connection as a sequence of frames. */
#ifndef LOADGEN_CONTROL_CONN_H
#define LOADGEN_CONTROL_CONN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/half.h"
#include "protocol.h"
#include "reporter.h"

struct control_conn {
	int fd; /* -1: closed */
	size_t have;
	uint8_t buf[PROTOCOL_FRAME_SIZE];
};

/* Takes ownership of a connected socket, also on error. 0 or -errno. */
int control_conn__open(struct control_conn *c, int fd);
void control_conn__close(struct control_conn *c);

/* 0; -ETIMEDOUT: the peer takes no data; -EINTR: a signal is pending; other -errno. */
int control_conn__send(struct control_conn *c, const struct protocol_frame *f);

/* Sends n frames, at most CONTROL_CONN_BATCH, with one send(). Errors as of control_conn__send().
 */
#define CONTROL_CONN_BATCH 64
int control_conn__send_all(struct control_conn *c, const struct protocol_frame *f, size_t n);

/* Whether SIGINT or SIGTERM is pending: control_loop__open() blocks both if they are events. */
bool control_conn__is_to_end(void);

/* Waits until fd is readable. 0; -ETIMEDOUT; -EINTR: a signal is pending. */
int control_conn__await(int fd, uint64_t deadline);

/* Never blocks. 0; -EAGAIN; -ECONNRESET at end of stream; -EPROTO; -EPROTONOSUPPORT (version). */
int control_conn__next(struct control_conn *c, struct protocol_frame *f);

/*
 * Sends the text of a half after its frame, and receives one. Both wait, at most some seconds.
 * Receiving: the caller frees *text. Errors as above; -EBADMSG: not printable ASCII, too long, or
 * another frame.
 */
int control_conn__send_half(struct control_conn *c, uint32_t phase, const char *text, size_t len);
int control_conn__receive_half(struct control_conn *c, uint32_t phase, char **text, size_t *len);

struct half_request {
	uint8_t nonce[PROTOCOL_TOKEN_SIZE]; /* of WELCOME */
	struct protocol_frame proof;        /* type 0: none */
	uint32_t kind; /* asked for with the measured phase; 0: none, or answered */
};

/* Keeps a PROOF. false: there is one already. */
bool half_request__keep_proof(struct half_request *q, const struct protocol_frame *f);

/* Reports `phase`, for the driver's answer. hello: of the control connection. */
void half_request__report(const struct half_request *q, struct reporter *report, uint32_t session,
			  const struct protocol_hello *hello);

/* Tells the sender that its proof is missing or wrong, and reports it. Returns -EACCES. */
int half_request__refuse(const struct half_request *q, struct reporter *report,
			 struct control_conn *conn, uint32_t phase);

/* What a proof is of: the sender's hello on the control connection, and the receiver's nonce. */
void half_request__challenge(char text[HALF_CHALLENGE_TEXT], const struct protocol_hello *hello,
			     const uint8_t nonce[PROTOCOL_TOKEN_SIZE]);

/* Whether text is a proof, in hexadecimal. */
bool half_request__parse_proof(uint8_t proof[HALF_PROOF_SIZE], const char *text);

#endif
