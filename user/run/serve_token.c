/* SPDX-License-Identifier: GPL-2.0-only */
/* HMAC-SHA256 of the challenge, cut to 16 bytes (RFC 2104, 5); see serve_token.h. */
#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/path_walk.h"
#include "serve_token.h"

/* No proof of another protocol with the same token is one for a half. */
static const char purpose[] = "netiotrace receiver's half 1";

/* -errno, or the number of bytes, up to room. -EPERM: others can read or change it. */
static ssize_t read_private(int fd, uint8_t *to, size_t room)
{
	size_t have = 0;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_mode & (S_IWGRP | S_IRWXO))
		return -EPERM;
	do {
		n = read(fd, to + have, room - have);
		if (n > 0)
			have += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : (ssize_t)have;
}

int serve_token__read(struct serve_token *t, const char *path)
{
	uint8_t bytes[SERVE_TOKEN_MOST + 1];
	ssize_t n;
	int fd;

	t->len = 0;
	if (!path)
		return EXIT_DONE;
	fd = path_walk__open_file(path);
	n = fd < 0 ? fd : read_private(fd, bytes, sizeof(bytes));
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && n == -EPERM) {
		log_error("other users can read or change the token %s: chmod 600 it.", path);
		return EXIT_USAGE;
	}
	if (n < 0) {
		log_error("cannot read the token %s: %s.", path, strerror((int)-n));
		return EXIT_USAGE;
	}
	if (n && n <= SERVE_TOKEN_MOST && bytes[n - 1] == '\n')
		n--;
	if (n < SERVE_TOKEN_LEAST || n > SERVE_TOKEN_MOST) {
		log_error("the token %s must have %d to %d bytes: head -c 32 /dev/urandom | base64 "
			  "makes one.",
			  path, SERVE_TOKEN_LEAST, SERVE_TOKEN_MOST);
		return EXIT_USAGE;
	}
	memcpy(t->bytes, bytes, (size_t)n);
	t->len = (size_t)n;
	return EXIT_DONE;
}

void serve_token__prove(const struct serve_token *t, const char *challenge,
			char proof[HALF_PROOF_TEXT])
{
	uint8_t digest[HALF_PROOF_SIZE];
	struct hmac_sha256_ctx hmac;

	hmac_sha256_set_key(&hmac, t->len, t->bytes);
	hmac_sha256_update(&hmac, sizeof(purpose), (const uint8_t *)purpose);
	hmac_sha256_update(&hmac, strlen(challenge), (const uint8_t *)challenge);
	hmac_sha256_digest(&hmac, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(proof + 2 * i, 3, "%02x", digest[i]);
}

bool serve_token__accepts(const struct serve_token *t, const char *challenge, const char *proof)
{
	char right[HALF_PROOF_TEXT];

	serve_token__prove(t, challenge, right);
	return strlen(proof) == sizeof(right) - 1 && memeql_sec(proof, right, sizeof(right) - 1);
}
