/* SPDX-License-Identifier: GPL-2.0-only */
/* From a pipe to events: split lines, many lines at once, the longest line, and a longer one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/driver.h"
#include "support/driver_lines.h"
#include "support/test.h"

/* A driver whose child is a pipe of the test. Returns the end to write to. */
static int pipe_driver(struct driver *d)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, 1 << 20) > 0);
	driver__init(d, SENDER);
	d->child.out = fds[0];
	return fds[1];
}

static void close_driver(struct driver *d)
{
	int out = d->child.out;

	driver__clear(d);
	driver__clear(d);
	close(out);
}

static void put(int fd, const char *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), len);
}

static void next(struct driver *d, int err, enum driver_event expected)
{
	enum driver_event event = DRIVER_DONE;

	assert_int_equal(driver__next(d, &event), err);
	assert_int_equal(event, expected);
}

TEST(line_that_arrives_byte_by_byte_is_one_event)
{
	static const char line[] = SENDER_STATS("stats", HIST_3) "\n";
	struct driver d;
	int fd = pipe_driver(&d);
	size_t i;

	next(&d, 0, DRIVER_NOTHING);
	for (i = 0; i + 1 < strlen(line); i++) {
		put(fd, line + i, 1);
		next(&d, 0, DRIVER_NOTHING);
	}
	put(fd, line + i, 1);
	next(&d, 0, DRIVER_STATS);
	assert_int_equal(d.report.app.tx_bytes, 23);
	next(&d, 0, DRIVER_NOTHING);
	close(fd);
	next(&d, 0, DRIVER_EOF);
	next(&d, 0, DRIVER_EOF);
	close_driver(&d);
}

TEST(lines_that_arrive_at_once_are_separate_events)
{
	static const char lines[] = READY_2 "\n{\"event\":\"quiesced\"}\nnonsense\n"
					    "{\"event\":\"quiesced\"}\n{\"event";
	struct driver d;
	int fd = pipe_driver(&d);

	put(fd, lines, strlen(lines));
	next(&d, 0, DRIVER_READY);
	assert_int_equal(d.report.cookies_nr, 2);
	next(&d, 0, DRIVER_QUIESCED);
	assert_int_equal(d.report.cookies_nr, 0);
	next(&d, -EPROTO, DRIVER_NOTHING);
	next(&d, 0, DRIVER_QUIESCED);
	next(&d, 0, DRIVER_NOTHING);
	close(fd);
	next(&d, -EPROTO, DRIVER_NOTHING);
	assert_non_null(strstr(d.report.message, "middle of a line"));
	next(&d, 0, DRIVER_EOF);
	close_driver(&d);
}

/* More lines than the buffer holds, so it wraps many times; none may be lost or torn. */
TEST(lines_beyond_the_buffer_size_are_all_events)
{
	static const char line[] = SENDER_STATS("stats", HIST_3) "\n";
	struct driver d;
	int fd = pipe_driver(&d), i, n = 4 * DRIVER_LINE_MAX / (int)sizeof(line);

	for (i = 0; i < n; i++) {
		put(fd, line, sizeof(line) - 1);
		if (i % 7 == 6)
			continue;
		next(&d, 0, DRIVER_STATS);
	}
	for (i = 0; i < n / 7; i++)
		next(&d, 0, DRIVER_STATS);
	next(&d, 0, DRIVER_NOTHING);
	close(fd);
	close_driver(&d);
}

static void fill_line(struct driver *d, int fd, size_t len)
{
	static char spaces[65536];
	size_t n;

	memset(spaces, ' ', sizeof(spaces));
	for (; len; len -= n) {
		n = len < sizeof(spaces) ? len : sizeof(spaces);
		put(fd, spaces, n);
		next(d, 0, DRIVER_NOTHING);
	}
}

TEST(longest_line_is_accepted_and_a_longer_one_is_refused)
{
	static const char line[] = "{\"event\":\"quiesced\"}\n";
	struct driver d;
	int fd = pipe_driver(&d);

	fill_line(&d, fd, DRIVER_LINE_MAX - (sizeof(line) - 2));
	put(fd, line, sizeof(line) - 1);
	next(&d, 0, DRIVER_QUIESCED);
	fill_line(&d, fd, DRIVER_LINE_MAX - (sizeof(line) - 2));
	put(fd, " ", 1);
	put(fd, line, sizeof(line) - 1);
	next(&d, -EPROTO, DRIVER_NOTHING);
	close(fd);
	close_driver(&d);
}

TEST(endless_line_is_refused)
{
	struct driver d;
	int fd = pipe_driver(&d);

	fill_line(&d, fd, DRIVER_LINE_MAX);
	put(fd, "x", 1);
	next(&d, -EPROTO, DRIVER_NOTHING);
	next(&d, -EPROTO, DRIVER_NOTHING);
	close(fd);
	close_driver(&d);
}

TEST(half_of_the_receiver_is_a_text_of_the_sender)
{
	static const char lines[] = "{\"event\":\"half\",\"document\":\"{\\\"a\\\":1}\"}\n"
				    "{\"event\":\"half\",\"document\":null}\n"
				    "{\"event\":\"half\"}\n";
	struct driver d;
	int fd = pipe_driver(&d);

	put(fd, lines, strlen(lines));
	next(&d, 0, DRIVER_HALF);
	assert_string_equal(d.report.half, "{\"a\":1}");
	next(&d, 0, DRIVER_HALF);
	assert_null(d.report.half);
	next(&d, -EPROTO, DRIVER_NOTHING);
	close(fd);
	close_driver(&d);
}

TEST(phase_of_a_receiver_has_the_kind_of_its_half)
{
	static const char lines[] = "{\"event\":\"phase\",\"half\":3,\"session\":7}\n"
				    "{\"event\":\"phase\",\"half\":-3,\"session\":7}\n"
				    "{\"event\":\"phase\",\"half\":3,\"session\":4294967296}\n";
	struct driver d;
	int fd = pipe_driver(&d);

	d.side = RECEIVER;
	put(fd, lines, strlen(lines));
	next(&d, 0, DRIVER_PHASE);
	assert_int_equal(d.report.half_kind, 3);
	assert_int_equal(d.report.session, 7);
	next(&d, -EPROTO, DRIVER_NOTHING);
	next(&d, -EPROTO, DRIVER_NOTHING);
	close(fd);
	close_driver(&d);
}

TEST(proof_that_is_too_long_or_no_text_is_none)
{
	/* One digit more than a proof has, and no texts. */
	static const char *const proofs[] = {"\"333333333333333333333333333333333\"", "1", "null",
					     "[\"1\"]"};
	char line[512];
	struct driver d;
	int fd = pipe_driver(&d);

	d.side = RECEIVER;
	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
		snprintf(line, sizeof(line),
			 "{\"event\":\"phase\",\"half\":3,\"session\":7,\"challenge\":\"00ff\","
			 "\"proof\":\"%032d\"}\n"
			 "{\"event\":\"phase\",\"half\":3,\"session\":7,\"proof\":%s}\n",
			 1, proofs[i]);
		put(fd, line, strlen(line));
		next(&d, 0, DRIVER_PHASE);
		assert_string_equal(d.report.challenge, "00ff");
		assert_int_equal(strlen(d.report.proof), HALF_PROOF_TEXT - 1);
		next(&d, 0, DRIVER_PHASE);
		assert_string_equal(d.report.challenge, "");
		assert_string_equal(d.report.proof, "");
	}
	close(fd);
	close_driver(&d);
}
