/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends and receives frames on the control connection. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/xalloc.h"
#include "control_conn.h"
#include "sock.h"

/* Time limit for the peer to take a batch of frames. */
#define SEND_NS (5 * NS_PER_SEC)
/* How often a blocked send checks for a signal. */
#define LOOK_MS 100

int control_conn__open(struct control_conn *c, int fd)
{
	int err;

	*c = (struct control_conn){.fd = fd};
	err = sock__set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!err)
		err = sock__set_timeout(fd, SO_SNDTIMEO, LOOK_MS);
	return err ? err : sock__set_keepalive(fd);
}

void control_conn__close(struct control_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int control_conn__send(struct control_conn *c, const struct protocol_frame *f)
{
	return control_conn__send_all(c, f, 1);
}

bool control_conn__is_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

static int control_conn__write(int fd, const uint8_t *p, size_t len)
{
	uint64_t deadline = clock__now() + time_limit__ns(SEND_NS);

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		if (control_conn__is_to_end())
			return -EINTR;
		if (clock__now() >= deadline)
			return -ETIMEDOUT;
	}
	return 0;
}

int control_conn__send_all(struct control_conn *c, const struct protocol_frame *f, size_t n)
{
	uint8_t buf[CONTROL_CONN_BATCH * PROTOCOL_FRAME_SIZE];

	for (size_t i = 0; i < n; i++)
		protocol__encode_frame(buf + i * PROTOCOL_FRAME_SIZE, &f[i]);
	return control_conn__write(c->fd, buf, n * PROTOCOL_FRAME_SIZE);
}

int control_conn__send_half(struct control_conn *c, uint32_t phase, const char *text, size_t len)
{
	const struct protocol_frame f = {.type = PROTOCOL_HALF, .phase = phase, .bytes = len};
	int err = control_conn__send(c, &f);

	return err ? err : control_conn__write(c->fd, (const uint8_t *)text, len);
}

int control_conn__await(int fd, uint64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (poll(&p, 1, LOOK_MS) <= 0) {
		if (control_conn__is_to_end())
			return -EINTR;
		if (clock__now() >= deadline)
			return -ETIMEDOUT;
	}
	return clock__now() >= deadline ? -ETIMEDOUT : 0;
}

static int control_conn__read(const struct control_conn *c, char *text, size_t len,
			      uint64_t deadline)
{
	while (len) {
		int err = control_conn__await(c->fd, deadline);
		ssize_t n = err ? 0 : recv(c->fd, text, len, MSG_DONTWAIT);

		if (err)
			return err;
		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static bool is_printable(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

int control_conn__receive_half(struct control_conn *c, uint32_t phase, char **text, size_t *len)
{
	uint64_t deadline = clock__now() + time_limit__ns(SEND_NS);
	struct protocol_frame f;
	int err;

	while ((err = control_conn__next(c, &f)) == -EAGAIN) {
		err = control_conn__await(c->fd, deadline);
		if (err)
			return err;
	}
	if (err)
		return err;
	if (f.type != PROTOCOL_HALF || f.phase != phase || !f.bytes || f.bytes > HALF_MAX)
		return -EBADMSG;
	*len = f.bytes;
	*text = xmalloc(*len);
	err = control_conn__read(c, *text, *len, deadline);
	if (!err && !is_printable(*text, *len))
		err = -EBADMSG;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}

int control_conn__next(struct control_conn *c, struct protocol_frame *f)
{
	int err;

	/* Read no further than this frame: unread bytes keep the descriptor readable. */
	while (c->have < sizeof(c->buf)) {
		ssize_t n = recv(c->fd, c->buf + c->have, sizeof(c->buf) - c->have, MSG_DONTWAIT);

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		c->have += (size_t)n;
	}
	c->have = 0;
	err = protocol__decode_frame(c->buf, f);
	return err && err != -EPROTONOSUPPORT ? -EPROTO : err;
}

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
