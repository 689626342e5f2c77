/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replies: number, content and position in the stream, however few bytes the socket takes at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loadgen/message.h"
#include "loadgen/rx_parser.h"
#include "support/test.h"

#define PIECE 1000

static int ends[2];
static uint8_t piece[PIECE];

static int setup(void **state)
{
	(void)state;
	int little = 4096;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	return setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little));
}

static int teardown(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static struct reply_form form_of(size_t size)
{
	return (struct reply_form){
		.connection = 5, .size = size, .verify = true, .buf = piece, .len = PIECE};
}

/* Reads all available bytes and compares them with the expected replies. */
static void take(struct rx_parser *s, struct counters *got)
{
	uint8_t buf[777];
	ssize_t n;

	while ((n = recv(ends[1], buf, sizeof(buf), MSG_DONTWAIT)) > 0)
		rx_parser__feed(s, got, buf, (size_t)n, 0);
}

TEST_WITH(replies_are_complete_however_little_the_socket_takes, setup, teardown)
{
	static const size_t sizes[] = {64, PIECE - 1, PIECE, PIECE + 8, 100000};
	struct reply_sent sent;
	size_t i;

	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		const struct reply_form form = form_of(sizes[i]);
		struct reply r = {.owed = 7};
		uint64_t bytes = 0, messages = 0;
		struct counters got = {0};
		struct rx_parser s;
		int err;

		rx_parser__init(&s, REPLY_CONNECTION(5), sizes[i], true, false);
		do {
			err = reply__push(&r, ends[0], &form, &sent);
			assert_true(!err || err == -EAGAIN);
			bytes += sent.bytes;
			messages += sent.messages;
			take(&s, &got);
		} while (err);
		assert_true(messages == 7 && bytes == 7 * sizes[i] && !r.owed && !r.pos);
		assert_true(got.messages == 7 && got.bytes == bytes);
		assert_int_equal(got.verify_errors, 0);
		/* No reply is due: nothing is sent. */
		assert_int_equal(reply__push(&r, ends[0], &form, &sent), 0);
		assert_int_equal(sent.bytes, 0);
	}
}

/* A reply is not an echo: a reply of another connection, or the request itself, is detected. */
TEST_WITH(reply_differs_from_the_request, setup, teardown)
{
	const struct reply_form form = form_of(64);
	struct reply r = {.owed = 1};
	struct reply_sent sent;
	struct counters got = {0};
	struct rx_parser s;

	rx_parser__init(&s, 5, 64, true, false);
	assert_int_equal(reply__push(&r, ends[0], &form, &sent), 0);
	take(&s, &got);
	assert_int_equal(got.verify_errors, 1);
}

TEST_WITH(closed_peer_gives_EPIPE, setup, teardown)
{
	const struct reply_form form = form_of(64);
	struct reply r = {.owed = 1};
	struct reply_sent sent;

	close(ends[1]);
	assert_int_equal(reply__push(&r, ends[0], &form, &sent), -EPIPE);
	assert_true(r.owed == 1 && !sent.bytes);
	ends[1] = dup(ends[0]);
}
