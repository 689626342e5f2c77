/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "half_request.h"

/* text has room for 2 * n + 1. */
static void to_hex(char *text, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

bool half_request__parse_proof(uint8_t proof[HALF_PROOF_SIZE], const char *text)
{
	if (strlen(text) != HALF_PROOF_TEXT - 1 || text[strspn(text, "0123456789abcdef")])
		return false;
	for (size_t i = 0; i < HALF_PROOF_SIZE; i++)
		sscanf(text + 2 * i, "%2hhx", &proof[i]);
	return true;
}

void half_request__challenge(char text[HALF_CHALLENGE_TEXT], const struct protocol_hello *hello,
			     const uint8_t nonce[PROTOCOL_TOKEN_SIZE])
{
	uint8_t bytes[PROTOCOL_HELLO_SIZE + PROTOCOL_TOKEN_SIZE];

	_Static_assert(HALF_CHALLENGE_TEXT == 2 * sizeof(bytes) + 1, "two digits a byte");
	protocol__encode_hello(bytes, hello);
	memcpy(bytes + PROTOCOL_HELLO_SIZE, nonce, PROTOCOL_TOKEN_SIZE);
	to_hex(text, bytes, sizeof(bytes));
}

bool half_request__keep_proof(struct half_request *q, const struct protocol_frame *f)
{
	if (q->proof.type)
		return false;
	q->proof = *f;
	return true;
}

void half_request__report(const struct half_request *q, struct reporter *report, uint32_t session,
			  const struct protocol_hello *hello)
{
	char challenge[HALF_CHALLENGE_TEXT], proof[HALF_PROOF_TEXT] = "";
	uint8_t bytes[HALF_PROOF_SIZE];

	half_request__challenge(challenge, hello, q->nonce);
	protocol__get_bytes(bytes, &q->proof);
	if (q->proof.type)
		to_hex(proof, bytes, sizeof(bytes));
	reporter__phase(report, q->kind, session, challenge, proof);
}

int half_request__refuse(const struct half_request *q, struct reporter *report,
			 struct control_conn *conn, uint32_t phase)
{
	const struct protocol_frame f = {
		.type = PROTOCOL_PHASE_OK, .phase = phase, .index = PROTOCOL_HALF_REFUSED};
	char sender[REPORTER_ADDRESS_MAX] = "?";
	unsigned int port;

	sock__address(conn->fd, true, sender, sizeof(sender), &port);
	/* A sender that is gone is refused all the same. */
	control_conn__send(conn, &f);
	return reporter__error(report, -EACCES, "The sender at %s has %s token", sender,
			       q->proof.type ? "another" : "no");
}
