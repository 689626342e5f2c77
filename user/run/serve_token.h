/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The token of serve: a sender that has it gets the receiver's half (docs/reference/loadgen.md).
 * Nobody sends the token. The sender proves that it has it, for one challenge.
 */
#ifndef RUN_SERVE_TOKEN_H
#define RUN_SERVE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/half.h"

#define SERVE_TOKEN_LEAST 16
#define SERVE_TOKEN_MOST  1024

struct serve_token {
	uint8_t bytes[SERVE_TOKEN_MOST];
	size_t len; /* 0: no token */
};

/*
 * Reads a file that only its owner can change and only its owner and group can read, without the
 * line break at its end. path: NULL: none. An exit code, reported.
 */
int serve_token__read(struct serve_token *t, const char *path);

/* The proof for a challenge, in hexadecimal. The token must not be empty. */
void serve_token__prove(const struct serve_token *t, const char *challenge,
			char proof[HALF_PROOF_TEXT]);

/* Is this the proof of this token? Takes the same time wherever the two differ. */
bool serve_token__accepts(const struct serve_token *t, const char *challenge, const char *proof);

#endif
