/* SPDX-License-Identifier: GPL-2.0-only */
/* The request for a half: proofs in hexadecimal, what a proof is of, and only one a session. */
#include <string.h>

#include "loadgen/control_conn.h"
#include "support/test.h"

TEST(a_proof_has_32_lower_case_hexadecimal_digits)
{
	static const char *const wrong[] = {
		"",
		"00",
		"000102030405060708090a0b0c0d0e0",
		"000102030405060708090a0b0c0d0e0f0",
		"000102030405060708090A0B0C0D0E0F",
		"0x0102030405060708090a0b0c0d0e0f",
		" 00102030405060708090a0b0c0d0e0f",
	};
	uint8_t proof[HALF_PROOF_SIZE];

	assert_true(half_request__parse_proof(proof, "000102030405060708090a0b0c0d0eff"));
	for (int i = 0; i < HALF_PROOF_SIZE - 1; i++)
		assert_int_equal(proof[i], i);
	assert_int_equal(proof[HALF_PROOF_SIZE - 1], 0xff);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(half_request__parse_proof(proof, wrong[i]));
}

TEST(challenge_is_the_hello_and_the_nonce)
{
	struct protocol_hello hello = {.kind = PROTOCOL_CONTROL, .size = 0x1234};
	uint8_t nonce[PROTOCOL_TOKEN_SIZE] = {0xab, [PROTOCOL_TOKEN_SIZE - 1] = 0xcd};
	char text[HALF_CHALLENGE_TEXT], other[HALF_CHALLENGE_TEXT];

	half_request__challenge(text, &hello, nonce);
	assert_int_equal(strlen(text), HALF_CHALLENGE_TEXT - 1);
	assert_memory_equal(text, "4e494f48", 8); /* NIOH */
	assert_string_equal(text + 2 * PROTOCOL_HELLO_SIZE, "ab0000000000000000000000000000cd");
	hello.size++;
	half_request__challenge(other, &hello, nonce);
	assert_string_not_equal(text, other);
}

TEST(second_proof_of_a_session_is_refused)
{
	struct half_request q = {.kind = 1};
	struct protocol_frame f = {.type = PROTOCOL_PROOF, .bytes = 1};

	assert_true(half_request__keep_proof(&q, &f));
	f.bytes = 2;
	assert_false(half_request__keep_proof(&q, &f));
	assert_int_equal(q.proof.bytes, 1);
}
