/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the ledger of sockets: numbers and sizes where calls were watched in windows. */
#include "model/socket_ledger.h"
#include "support/test.h"

#define WEIGHT 175

/* A connection of one call of 700 bytes, born in window `born`. 3: seen whole in one window. */
static struct sock_state short_connection(uint32_t born)
{
	struct sock_state s = {
		.first_ns = 1, .begun = 2, .born_window = born, .window = born, .now.sent = 700};

	if (born % 2 == 0)
		return s;
	s.weight = WEIGHT;
	s.added[NIO_SIDE_SENDER] = 700 * (WEIGHT - 1);
	s.calls[NIO_CALL_PLAIN] = (struct nio_amount){700 * WEIGHT, WEIGHT};
	s.stages[NIO_STAGE_TX_COPY] = s.calls[NIO_CALL_PLAIN];
	s.tx_sizes[nio_size_bucket(700)] = WEIGHT;
	return s;
}

static uint64_t calls_of_700(const struct socket_ledger *b)
{
	return socket_ledger__sizes(b, NIO_SIDE_SENDER)[nio_size_bucket(700)];
}

TEST(connection_within_a_window_counts_once_alone_and_for_its_window_beside_unwatched_ones)
{
	struct sock_state seen = short_connection(3), unseen = short_connection(4);
	struct socket_ledger one = socket_ledger__of(&seen), other = socket_ledger__of(&unseen);

	assert_int_equal(one.calls[NIO_CALL_PLAIN].events, 1);
	assert_int_equal(calls_of_700(&one), 1);
	assert_int_equal(calls_of_700(&other), 0);
	socket_ledger__add(&one, &other);
	assert_int_equal(calls_of_700(&one), WEIGHT);
}

TEST(weighted_ledger_scales_no_count_to_the_bytes_of_a_connection)
{
	struct sock_state s = short_connection(3);
	struct socket_ledger d = socket_ledger__weighted(&s);

	assert_int_equal(d.calls[NIO_CALL_PLAIN].events, WEIGHT);
	assert_int_equal(d.stages[NIO_STAGE_TX_COPY].bytes, 700 * WEIGHT);
	assert_int_equal(d.socket_tx, 700);
	/* A long connection with a burst between windows. */
	s.window = 5;
	s.now.sent = (uint64_t)1 << 30;
	d = socket_ledger__weighted(&s);
	assert_int_equal(d.calls[NIO_CALL_PLAIN].events, WEIGHT);
	assert_int_equal(d.stages[NIO_STAGE_TX_COPY].bytes, 700 * WEIGHT);
	/* All was seen, and a call is in progress: its bytes are like those before. */
	s.born_window = s.window = 1;
	s.weight = 1;
	d = socket_ledger__weighted(&s);
	assert_int_equal(d.calls[NIO_CALL_PLAIN].events, WEIGHT);
	assert_int_equal(d.stages[NIO_STAGE_TX_COPY].bytes, 1 << 30);
}

/* The socket numbers these calls itself. */
TEST(zero_copy_sends_are_counted_by_their_ids_where_calls_were_watched_in_windows)
{
	struct sock_state s = short_connection(3);
	struct socket_ledger d;

	s.window = 7;
	s.calls[NIO_CALL_ZEROCOPY] = s.calls[NIO_CALL_PLAIN];
	s.stages[NIO_STAGE_TX_PIN] = s.stages[NIO_STAGE_TX_COPY];
	s.calls[NIO_CALL_PLAIN] = s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){0};
	s.zc_ids = 43324;
	s.now.sent = 700 * 50000;
	d = socket_ledger__of(&s);
	assert_int_equal(d.calls[NIO_CALL_ZEROCOPY].events, 43324);
	assert_int_equal(socket_ledger__zerocopy_sends(&d).value, 43324);
	d = socket_ledger__weighted(&s);
	assert_int_equal(d.calls[NIO_CALL_ZEROCOPY].events, 43324);
}

/* Bytes of zero-copy calls that copied at once, as on a route without scatter-gather. */
TEST(calls_for_zerocopy_that_copied_count_with_their_bytes_if_nothing_was_pinned)
{
	const struct socket_ledger asked = {
		.socket_tx = 1000,
		.ids = 3,
		.calls = {[NIO_CALL_ZEROCOPY] = {300, 3}, [NIO_CALL_IO_URING] = {200, 2}}};
	struct sock_state s = {.copied = 1};
	struct socket_ledger d = asked;

	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 300);
	s.copied = 0;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 0);
	d.requests[NIO_REQUEST_COPIED] = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 200);
	s.copied = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 500);
	d.ids = 0;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 200);
	/* Requests without a report may be of calls that were not watched. */
	d.requests[NIO_REQUEST_COPIED] = 0;
	d.requests[NIO_REQUEST_UNREPORTED] = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 200);
	d.unwatched = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 0);
	/* Estimated calls are not more than the socket sent. */
	d = asked;
	d.socket_tx = 250;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 250);
	s.stages[NIO_STAGE_TX_PIN].bytes = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 0);
	s.stages[NIO_STAGE_TX_PIN].bytes = 0;
	d.stages[NIO_STAGE_TX_PIN].bytes = 1;
	assert_int_equal(socket_ledger__copied_in_calls(&d, &s), 0);
}
