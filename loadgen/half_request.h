/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender's request for the half of the receiver's machine: the challenge, and the proof that the
 * driver checks (docs/reference/loadgen.md).
 */
#ifndef LOADGEN_HALF_REQUEST_H
#define LOADGEN_HALF_REQUEST_H

#include "common/half.h"
#include "control_conn.h"
#include "protocol.h"
#include "reporter.h"

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
