/* SPDX-License-Identifier: GPL-2.0-only */
/* The token of serve: which files are one, and which proofs are taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "run/serve_token.h"
#include "support/test.h"

#define CHALLENGE "00112233445566778899aabbccddeeff"

/* python3: hmac.new(b'sixteen bytes ok', b"netiotrace receiver's half 1\0" + CHALLENGE, 'sha256').
 */
#define PROOF "312081d6b46bc2164dbce5cdf2024999"

static int read_token(struct serve_token *t, const char *content, size_t len)
{
	char path[] = "/tmp/serve_token_XXXXXX";
	int fd = mkstemp(path), code;

	assert_int_equal(write(fd, content, len), len);
	close(fd);
	code = serve_token__read(t, path);
	unlink(path);
	return code;
}

TEST(a_token_has_16_to_1024_bytes_without_its_line_break)
{
	static char long_one[SERVE_TOKEN_MOST + 2];
	struct serve_token t;

	memset(long_one, 'x', sizeof(long_one));
	assert_int_equal(read_token(&t, "sixteen bytes ok\n", 17), EXIT_DONE);
	assert_int_equal(t.len, 16);
	assert_int_equal(read_token(&t, "fifteen bytes..\n", 16), EXIT_USAGE);
	assert_int_equal(read_token(&t, "", 0), EXIT_USAGE);
	assert_int_equal(read_token(&t, long_one, SERVE_TOKEN_MOST), EXIT_DONE);
	assert_int_equal(t.len, SERVE_TOKEN_MOST);
	assert_int_equal(read_token(&t, long_one, SERVE_TOKEN_MOST + 1), EXIT_USAGE);
	assert_int_equal(serve_token__read(&t, "/nonexistent/token"), EXIT_USAGE);
	assert_int_equal(serve_token__read(&t, "/dev/zero"), EXIT_USAGE);
	assert_int_equal(serve_token__read(&t, NULL), EXIT_DONE);
	assert_int_equal(t.len, 0);
}

TEST(a_token_that_others_can_read_or_change_is_refused)
{
	static const struct {
		mode_t mode;
		int code;
	} cases[] = {
		{0600, EXIT_DONE},  {0400, EXIT_DONE},  {0440, EXIT_DONE},  {0640, EXIT_DONE},
		{0644, EXIT_USAGE}, {0604, EXIT_USAGE}, {0620, EXIT_USAGE}, {0602, EXIT_USAGE},
	};
	char path[] = "/tmp/serve_token_XXXXXX";
	int fd = mkstemp(path);
	struct serve_token t;

	assert_int_equal(write(fd, "sixteen bytes ok", 16), 16);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(fchmod(fd, cases[i].mode), 0);
		assert_int_equal(serve_token__read(&t, path), cases[i].code);
		assert_int_equal(t.len, cases[i].code == EXIT_DONE ? 16 : 0);
	}
	close(fd);
	unlink(path);
}

TEST(the_proof_is_the_hmac_of_the_challenge)
{
	char proof[HALF_PROOF_TEXT];
	struct serve_token t;

	read_token(&t, "sixteen bytes ok", 16);
	serve_token__prove(&t, CHALLENGE, proof);
	assert_string_equal(proof, PROOF);
	assert_true(serve_token__accepts(&t, CHALLENGE, PROOF));
}

TEST(another_token_challenge_or_text_is_no_proof)
{
	char proof[HALF_PROOF_TEXT + 1];
	struct serve_token t;

	read_token(&t, "sixteen bytes ok", 16);
	assert_false(serve_token__accepts(&t, CHALLENGE, ""));
	assert_false(serve_token__accepts(&t, "", PROOF));
	assert_false(serve_token__accepts(&t, CHALLENGE "0", PROOF));
	for (size_t i = 0; i < sizeof(PROOF) - 1; i++) {
		strcpy(proof, PROOF);
		proof[i] = proof[i] == '0' ? '1' : '0';
		assert_false(serve_token__accepts(&t, CHALLENGE, proof));
	}
	snprintf(proof, sizeof(proof), "%s0", PROOF);
	assert_false(serve_token__accepts(&t, CHALLENGE, proof));
	read_token(&t, "sixteen bytes no", 16);
	assert_false(serve_token__accepts(&t, CHALLENGE, PROOF));
}
