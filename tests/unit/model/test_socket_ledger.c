// SPDX-License-Identifier: GPL-2.0-only
/* The ledger of a watched socket: its own byte counts, divided by the events seen. */
#include <string.h>

#include "model/socket_ledger.h"
#include "support/near.h"
#include "support/test.h"

/* A connection that sent `sent` bytes by copy and read `received`; all calls were seen. */
static struct sock_state stream(uint32_t sent, uint32_t received)
{
	struct sock_state s = {
		.key = 1,
		.last_ns = 1,
		.family = 2,
		.local = {10, 0, 0, 1},
		.remote = {10, 0, 0, 2},
		.born_window = 1,
		.window = 1,
		.base = {.sent = 1000, .read = 300, .received = 300},
		.now = {.sent = 1000 + sent, .read = 300 + received, .received = 300 + received},
		.read_seen = 300 + received,
	};

	s.calls[NIO_CALL_PLAIN] = (struct nio_amount){sent, 1};
	s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){sent, 1};
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){received, 1};
	return s;
}

static struct socket_ledger balanced(const struct sock_state *s)
{
	struct socket_ledger b = socket_ledger__of(s);

	assert_real(socket_ledger__unaccounted(&b, NIO_SIDE_SENDER), 0);
	assert_real(socket_ledger__unaccounted(&b, NIO_SIDE_RECEIVER), 0);
	return b;
}

TEST(fully_seen_socket_balances)
{
	struct sock_state s = stream(23, 42);
	struct socket_ledger b = balanced(&s);

	assert_int_equal(b.socket_tx, 23);
	assert_int_equal(b.socket_rx, 42);
}

TEST(socket_without_a_byte_is_a_connection_once_it_was_established)
{
	struct sock_state s = {.key = 1, .first_ns = 5, .begun = 2, .born_window = 1, .window = 1};
	struct socket_ledger b;

	s.refused[NIO_REFUSAL_EPIPE] = 3;
	s.empty = 2;
	b = balanced(&s);
	assert_int_equal(b.connections, 1);
	assert_int_equal(b.unconnected, 0);
	assert_int_equal(socket_ledger__refused(&b), 3);
	assert_int_equal(b.empty, 2);
	s.begun = 0;
	b = balanced(&s);
	assert_int_equal(b.connections, 0);
	assert_int_equal(b.unconnected, 1);
}

TEST(each_sign_of_a_connection_makes_one)
{
	static const struct sock_state signs[] = {
		{.begun = 1},        {.uncovered = NIO_UNCOVERED_MPTCP + 1},
		{.last_ns = 1},      {.now.sent = 1},
		{.now.received = 1},
	};
	static const struct sock_state none = {.base = {.sent = 5, .received = 7},
					       .now = {.sent = 5, .received = 7}};
	struct socket_ledger b = socket_ledger__of(&none);

	assert_int_equal(b.connections, 0);
	assert_int_equal(b.unconnected, 1);
	for_each_case(s, signs) {
		b = socket_ledger__of(s);
		assert_int_equal(b.connections, 1);
		assert_int_equal(b.unconnected, 0);
	}
}

/* While events are watched, the number of the window is odd. */
TEST(an_MPTCP_connection_is_seen_wholly_from_the_first_window_on_only)
{
	static const struct {
		uint32_t born, window;
		bool partly;
	} cases[] = {{1, 1, false}, {3, 3, true}, {1, 3, true}, {0, 0, true}, {0, 1, true}};

	for_each_case(c, cases) {
		struct sock_state s = {.uncovered = NIO_UNCOVERED_MPTCP + 1,
				       .born_window = c->born,
				       .window = c->window};

		assert_int_equal(socket_ledger__of(&s).partly_seen, c->partly);
		s.uncovered = 0;
		assert_int_equal(socket_ledger__of(&s).partly_seen, 0);
	}
}

TEST(calls_that_would_block_are_no_refusals_and_inner_tries_are_no_calls)
{
	struct socket_ledger b = {.refused = {[NIO_REFUSAL_EAGAIN] = 7}};

	assert_int_equal(socket_ledger__refused(&b), 0);
	assert_true(socket_ledger__would_block(&b).known);
	assert_int_equal(socket_ledger__would_block(&b).value, 7);
	b.inner_eagain = 1;
	assert_false(socket_ledger__would_block(&b).known);
}

/* Bytes are the socket's; call types that do not add up to them are scaled until they do. */
TEST(unseen_bytes_are_divided_by_the_types_seen)
{
	struct sock_state s = stream(100, 0);
	struct socket_ledger b;

	s.stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){200, 2};
	s.calls[NIO_CALL_SPLICE] = (struct nio_amount){200, 2};
	s.now.sent = s.base.sent + 300;
	b = socket_ledger__of(&s);
	assert_int_equal(b.divided[NIO_SIDE_SENDER], 0);
	NEAR(socket_ledger__coverage(&b).value, 1, 1e-9);
	s.now.sent = s.base.sent + 3001;
	b = balanced(&s);
	assert_int_equal(b.socket_tx, 3001);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 1000);
	assert_int_equal(b.stages[NIO_STAGE_TX_SPLICE].bytes, 2001);
	assert_int_equal(b.calls[NIO_CALL_PLAIN].bytes, 1000);
	assert_int_equal(b.calls[NIO_CALL_SPLICE].bytes, 2001);
	assert_int_equal(b.calls[NIO_CALL_SPLICE].events, 20);
	assert_int_equal(b.divided[NIO_SIDE_SENDER], 3001);
	NEAR(socket_ledger__coverage(&b).value, 300. / 3001, 1e-9);
	/* Calls that began before attach return more bytes than were sent since. */
	s.now.sent = s.base.sent + 30;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 10);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].events, 1);
	assert_int_equal(b.calls[NIO_CALL_SPLICE].events, 1);
	NEAR(socket_ledger__coverage(&b).value, 1, 1e-9);
}

/* Bytes without any seen call stay unclassified. */
TEST(bytes_without_a_seen_call_stay_unclassified)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.now.sent = s.base.sent + 500;
	b = balanced(&s);
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_SENDER), 500);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 0);
	NEAR(socket_ledger__copies_per_byte(&b).value, 0, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
}

/* A kprobe sees calls begin that are refused: if no call took an id, none pinned. */
TEST(no_zero_copy_id_means_nothing_was_pinned)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){1000, 10};
	s.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){1200, 12}; /* two without SO_ZEROCOPY */
	s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){1000, 10};
	s.calls[NIO_CALL_VECTORED] = (struct nio_amount){800, 8};
	s.now.sent = s.base.sent + 1000;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 0);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 1000);
	assert_int_equal(b.calls[NIO_CALL_ZEROCOPY].events, 2);
	assert_int_equal(b.calls[NIO_CALL_ZEROCOPY].bytes, 200);
	assert_int_equal(b.divided[NIO_SIDE_SENDER], 0);
	s.zc_ids = 10;
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 500);
}

/* Ids were taken before attach: pinned bytes are a range, and nothing is scaled. */
TEST(unseen_ids_make_pinned_bytes_a_range)
{
	struct sock_state s = stream(100, 0);
	struct socket_ledger b;

	s.now.sent = s.base.sent + 1000;
	s.zc_ids = 5;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 100);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 5);
	assert_int_equal(socket_ledger__zerocopy_sends(&b).value, 5);
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_SENDER), 895);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_PIN), 900);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), 895);
	/* More ids than unseen bytes: each unseen byte was pinned. */
	s.zc_ids = 5000;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 900);
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_SENDER), 0);
}

/* Copies were sampled: bytes between samples are not counted as read without a copy. */
TEST(sampled_receive_copies_are_scaled_to_the_bytes_read)
{
	struct sock_state s = stream(0, 1000);
	struct socket_ledger b;

	s.window = 2;
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){120, 12};
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 20;
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = 60;
	s.stages[NIO_STAGE_RX_DISCARD] = (struct nio_amount){40, 4};
	s.added[NIO_SIDE_RECEIVER] = 80;
	s.read_seen = 0;
	b = balanced(&s);
	assert_int_equal(b.socket_rx, 1000);
	assert_int_equal(b.seen_rx, 60);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 300);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED], 100);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 600);
	assert_int_equal(b.stages[NIO_STAGE_RX_DISCARD].bytes, 200);
	assert_int_equal(b.stages[NIO_STAGE_RX_DISCARD].events, 20);
	assert_int_equal(b.divided[NIO_SIDE_RECEIVER], 1000);
}

/* A socket that another layer serves: bytes count as often as they were seen. */
TEST(sampled_receives_of_a_layer_are_not_scaled)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.window = 2;
	s.uncovered = NIO_UNCOVERED_SOCKMAP + 1;
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){300, 30};
	s.stages[NIO_STAGE_RX_SPLICE] = (struct nio_amount){100, 10};
	s.added[NIO_SIDE_RECEIVER] = 200;
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 150);
	assert_int_equal(b.stages[NIO_STAGE_RX_SPLICE].bytes, 50);
	assert_int_equal(b.stages[NIO_STAGE_RX_SPLICE].events, 5);
}

/* Between windows bytes may have been read in any way: no copy was seen, and none is excluded. */
TEST(receives_outside_of_windows_are_copied_or_not)
{
	struct sock_state s = stream(0, 1000);
	struct socket_ledger b;

	s.window = 2;
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){0};
	b = balanced(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 0);
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_RECEIVER), 1000);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 0);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 1000);
	assert_true(socket_ledger__copies_per_byte_at_most(&b).value == 1);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_SPLICE).known);
}

/* MPTCP bytes are counted by calls alone. */
TEST(mptcp_bytes_are_unknown_unless_each_call_was_watched)
{
	static const struct {
		uint32_t born, last;
		bool known;
	} cases[] = {{1, 1, true}, {1, 2, false}, {3, 3, false}, {1, 3, false}};

	for_each_case(c, cases) {
		struct sock_state s = stream(0, 0);
		struct socket_ledger b;
		struct num sent;

		s.uncovered = NIO_UNCOVERED_MPTCP + 1;
		s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MPTCP] = 64;
		s.born_window = c->born;
		s.window = c->last;
		b = socket_ledger__of(&s);
		sent = socket_ledger__uncovered(&b, NIO_SIDE_SENDER, NIO_UNCOVERED_MPTCP);
		assert_int_equal(sent.known, c->known);
		assert_int_equal(sent.value, c->known ? 64 : 0);
		assert_true(
			socket_ledger__uncovered(&b, NIO_SIDE_SENDER, NIO_UNCOVERED_KTLS).known);
		/* No stage has its copies: that none was seen does not say that none was made. */
		assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_TX_COPY).known);
		assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_COPY), 64);
		/* Of receives, copies alone are seen: what was taken may be more, or less. */
		assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_COPY).known);
		assert_true(socket_ledger__is_least(&b, NIO_SIDE_RECEIVER));
		assert_true(socket_ledger__is_least(&b, NIO_SIDE_SENDER) == !c->known);
	}
}

TEST(bytes_above_4_GiB_are_counted)
{
	struct sock_state s = stream(0, 0);
	uint64_t sent = (5ULL << 32) + 12345;
	struct socket_ledger b;

	s.stages[NIO_STAGE_TX_COPY].bytes = s.calls[NIO_CALL_PLAIN].bytes = sent / 3;
	s.now.sent = s.base.sent + sent;
	b = socket_ledger__of(&s);
	assert_int_equal(b.socket_tx, sent);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, sent);
	balanced(&s);
}

/* Sums that lack sockets are unknown. */
TEST(sockets_left_out_make_sums_unknown)
{
	struct sock_state s = stream(100, 100);
	struct socket_ledger b = socket_ledger__of(&s);

	b.left_out = 1;
	assert_false(socket_ledger__unaccounted(&b, NIO_SIDE_SENDER).known);
	assert_string_equal(socket_ledger__unaccounted(&b, NIO_SIDE_RECEIVER).reason,
			    SOCKET_LEDGER_LEFT_OUT);
	assert_false(socket_ledger__coverage(&b).known);
	assert_false(socket_ledger__copies_per_byte(&b).known);
	assert_false(socket_ledger__copies_per_byte_at_most(&b).known);
	b.completed = 1;
	assert_false(socket_ledger__copied_fraction(&b).known);
}

/* A refused run may have been the copy of bytes that seem to be received without one. */
TEST(refused_runs_leave_open_whether_received_bytes_were_copied)
{
	struct sock_state s = stream(0, 1000);
	struct socket_ledger b;

	s.now.read = s.read_seen = s.base.read + 1500;
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = 300;
	s.stages[NIO_STAGE_RX_SPLICE] = (struct nio_amount){200, 1};
	b = socket_ledger__of(&s);
	/* An unknown call may also copy without an event: urgent data, a reader in the kernel. */
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_RECEIVER), 0);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 1300);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1300. / 1500, 1e-9);
	b.refused_runs = 1;
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_RECEIVER), 300);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 1300);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_SPLICE), 500);
	assert_int_equal(socket_ledger__unclassified(&b, NIO_SIDE_SENDER), 0);
}

/* MSG_PEEK copies without reading; splice and MSG_TRUNC read without copying. */
TEST(peeked_and_discarded_bytes_are_separate_from_copies)
{
	struct sock_state s = stream(0, 100);
	struct socket_ledger b;

	s.stages[NIO_STAGE_RX_COPY].bytes = 130; /* 30 of them twice */
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 30;
	balanced(&s);
	s.now.read = s.read_seen + 11;
	b = balanced(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 11);
	s.now.read = s.read_seen - 11;
	b = balanced(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED], 41);
}

/* MSG_TRUNC or splice may take any number of bytes after the last copy, or without any copy. */
TEST(more_than_4_GiB_read_without_a_copy_are_counted)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.now.received = s.now.read = s.base.read + 5000000000;
	b = balanced(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 5000000000);
	assert_int_equal(b.socket_rx, 5000000000);
}

/* Counts of calls and ids do not wrap at 2^32. */
TEST(more_than_2_to_32_calls_are_counted)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.zc_ids = s.refused[NIO_REFUSAL_EAGAIN] = s.tx_sizes[4] = s.rx_sizes[4] =
		s.zc_without_option = 1ULL << 33;
	b = socket_ledger__of(&s);
	assert_int_equal(b.ids, 1ULL << 33);
	assert_int_equal(b.refused[NIO_REFUSAL_EAGAIN], 1ULL << 33);
	assert_int_equal(b.tx_sizes[4], 1ULL << 33);
	assert_int_equal(b.rx_sizes[4], 1ULL << 33);
	assert_int_equal(b.zc_without_option, 1ULL << 33);
}

/* 5 records of TLS 1.3 after 100 plain bytes, by numbers whose lower halves wrap; and one back. */
static struct sock_state of_tls(void)
{
	struct sock_state s = stream(100, 0);

	s.uncovered = NIO_UNCOVERED_KTLS + 1;
	s.base.sent = s.now.sent = 0xffffff00;
	s.now.sent += 100 + 60000 + 5 * 22;
	s.now.read += 10 + 22;
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] = 60000;
	s.tls = (struct nio_tls){.overhead = 22};
	s.tls.side[NIO_SIDE_SENDER] = (struct nio_tls_side){
		.first = 0xfffffffe, .next = 0x100000003, .at = s.now.sent, .how = NIO_TLS_STARTED};
	s.tls.side[NIO_SIDE_RECEIVER] =
		(struct nio_tls_side){.next = 1, .at = s.now.read, .how = NIO_TLS_STARTED};
	return s;
}

TEST(records_of_kTLS_give_the_plaintext)
{
	struct sock_state s = of_tls();
	struct socket_ledger b = balanced(&s);

	assert_int_equal(b.tls[NIO_SIDE_SENDER].copied, 60000);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].records, 5);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].overhead, 110);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 100);
	assert_int_equal(socket_ledger__payload(&b, NIO_SIDE_SENDER), 60100);
	/* Decrypted into new memory, and copied from there. */
	assert_int_equal(b.tls[NIO_SIDE_RECEIVER].copied, 10);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 10);
	assert_int_equal(socket_ledger__payload(&b, NIO_SIDE_RECEIVER), 10);
	assert_int_equal(socket_ledger__tls_copy(&b).value, 60010);
	assert_near(socket_ledger__copies_per_byte(&b), 60120.0 / 60110);
	assert_near(socket_ledger__copies_per_byte_at_most(&b), 60120.0 / 60110);
	assert_real(socket_ledger__coverage(&b), 1);
}

/* TLS 1.2 decrypts into the application's buffer if that takes a whole record. */
TEST(tls12_may_copy_what_it_decrypted)
{
	struct sock_state s = of_tls();
	struct socket_ledger b;

	s.tls.direct = 1;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 0);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 10);
	assert_near(socket_ledger__copies_per_byte(&b), 60110.0 / 60110);
	assert_near(socket_ledger__copies_per_byte_at_most(&b), 60120.0 / 60110);
}

TEST(kTLS_records_that_splice_took_are_not_copied_to_the_application)
{
	struct sock_state s = of_tls();
	struct socket_ledger b;

	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS] = 10;
	b = balanced(&s);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 0);
	/* Calls that were not seen may have copied. */
	s.window = 2;
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 0);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 10);
}

TEST(kTLS_bytes_after_the_last_reading_of_records_are_uncovered)
{
	struct sock_state s = of_tls();
	struct socket_ledger b;

	s.now.sent += 1022;
	b = socket_ledger__of(&s);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].copied, 60000);
	assert_int_equal(b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS], 1022);
	assert_int_equal(socket_ledger__booked(&b, NIO_SIDE_SENDER), b.socket_tx);
	assert_no_number(socket_ledger__unaccounted(&b, NIO_SIDE_SENDER));
	assert_false(socket_ledger__copies_per_byte(&b).known);
}

/* Calls before the key were not all seen: their bytes may be among those of the records. */
TEST(kTLS_that_began_between_windows_has_an_upper_bound)
{
	struct sock_state s = of_tls();
	struct socket_ledger b;

	s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){0};
	s.window = 2;
	b = socket_ledger__of(&s);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].copied, 60100);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].open, 60100);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_COPY), 60100);
	/* Records counted from the first byte that is watched. */
	s.tls.side[NIO_SIDE_SENDER].how = NIO_TLS_ADOPTED;
	b = socket_ledger__of(&s);
	assert_int_equal(b.tls[NIO_SIDE_SENDER].open, 0);
	/* Without a key, TCP serves a direction. */
	s.tls.side[NIO_SIDE_RECEIVER].how = NIO_TLS_NO_KEY;
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){16, 1};
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].bytes, 32);
	assert_real(socket_ledger__unaccounted(&b, NIO_SIDE_RECEIVER), 0);
}

/* The socket counts bytes of records. */
TEST(kTLS_sockets_without_record_numbers_have_no_balance)
{
	struct sock_state s = stream(100, 100);
	struct socket_ledger b;

	s.uncovered = NIO_UNCOVERED_KTLS + 1;
	s.now.sent += 29;
	b = socket_ledger__of(&s);
	assert_no_number(socket_ledger__unaccounted(&b, NIO_SIDE_SENDER));
	assert_false(socket_ledger__copies_per_byte(&b).known);
	s = of_tls();
	s.tls.side[NIO_SIDE_SENDER].how = s.tls.side[NIO_SIDE_RECEIVER].how = NIO_TLS_UNKNOWN;
	b = socket_ledger__of(&s);
	assert_false(socket_ledger__tls_copy(&b).known);
	assert_int_equal(b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS], 60110);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS], 32);
}

/* Between windows: the layer's own socket counts what went through the layer. */
TEST(bytes_of_a_layer_between_windows_are_the_layers)
{
	struct sock_state s = stream(1000, 500);
	struct socket_ledger b;

	s.uncovered = NIO_UNCOVERED_KTLS + 1;
	s.window = 2;
	s.stages[NIO_STAGE_TX_COPY] = s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){0};
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] = 64;
	b = socket_ledger__of(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS], 1000);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS], 500);
	/* TCP itself may have copied what no call was seen to move. */
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_COPY), 936);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_COPY), 500);
}

/* A sockmap moves bytes past TCP, or counts them twice: nothing follows from TCP's counters. */
TEST(bytes_received_through_a_sockmap_are_unknown)
{
	struct sock_state s = stream(1000, 500);
	struct socket_ledger b;

	s.uncovered = NIO_UNCOVERED_SOCKMAP + 1;
	s.now.read += 4000000000;
	b = socket_ledger__of(&s);
	assert_no_number(socket_ledger__unaccounted(&b, NIO_SIDE_RECEIVER));
	assert_false(socket_ledger__uncovered(&b, NIO_SIDE_RECEIVER, NIO_UNCOVERED_SOCKMAP).known);
	assert_true(socket_ledger__uncovered(&b, NIO_SIDE_SENDER, NIO_UNCOVERED_SOCKMAP).known);
	assert_true(socket_ledger__is_least(&b, NIO_SIDE_RECEIVER));
	assert_false(socket_ledger__is_least(&b, NIO_SIDE_SENDER));
	assert_int_equal(socket_ledger__booked(&b, NIO_SIDE_RECEIVER), 500);
	assert_false(socket_ledger__coverage(&b).known);
	/* Calls in windows: copies are a lower bound, and so are the bytes sent. */
	s.window = 2;
	s.now.sent += 300;
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 1000);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_COPY), 1300);
	assert_true(socket_ledger__is_least(&b, NIO_SIDE_SENDER));
}

TEST(deferred_copies_count_as_copies)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b = socket_ledger__of(&s);

	assert_false(socket_ledger__copies_per_byte(&b).known);
	s.stages[NIO_STAGE_TX_PIN].bytes = 1000;
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 500;
	s.now.sent += 1000;
	b = socket_ledger__of(&s);
	assert_true(socket_ledger__copies_per_byte(&b).value == 0.5);
	assert_true(socket_ledger__copied_bytes(&b) == 500);
}

/* Deferred copies beyond the pinned bytes are of retransmissions, up to their bytes. */
TEST(retransmitted_pinned_bytes_are_copied_again)
{
	struct sock_state s = stream(0, 0);

	s.now.sent += 1000;
	s.zc_ids = 1;
	s.now.retrans = 300;
	s.stages[NIO_STAGE_TX_PIN].bytes = 1000;
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 900;
	assert_int_equal(socket_ledger__of(&s).deferred_again, 0);
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1200;
	assert_int_equal(socket_ledger__of(&s).deferred_again, 200);
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1500;
	assert_int_equal(socket_ledger__of(&s).deferred_again, 300);
}

static bool is_local_to(uint16_t family, const uint8_t remote[16])
{
	struct sock_state s = stream(1, 0);

	s.family = family;
	memcpy(s.remote, remote, sizeof(s.remote));
	return socket_ledger__is_local(&s);
}

TEST(knows_the_machine_itself)
{
	static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	struct sock_state s = stream(1, 0);

	assert_true(is_local_to(2, (const uint8_t[16]){127, 0, 0, 9}));
	assert_true(is_local_to(10, (const uint8_t[16]){[15] = 1}));
	assert_true(is_local_to(10, mapped));
	assert_false(is_local_to(2, (const uint8_t[16]){10, 0, 0, 77}));
	assert_int_equal(socket_ledger__of(&s).local, 0);
	memcpy(s.remote, s.local, sizeof(s.remote));
	assert_int_equal(socket_ledger__of(&s).local, 1);
}

/* All completed sends were copied, but fewer bytes were seen. */
TEST(unseen_arrivals_of_copied_sends_are_detected)
{
	struct sock_state s = stream(0, 0), other = stream(1000, 0);
	struct socket_ledger b, d;

	s.zc_ids = s.completed = s.copied = 4;
	s.now.sent += 4000;
	s.stages[NIO_STAGE_TX_PIN].bytes = s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 4000;
	b = socket_ledger__of(&s);
	assert_false(socket_ledger__arrivals_missed(&b));
	NEAR(socket_ledger__copies_per_byte(&b).value, 1, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1000;
	b = socket_ledger__of(&s);
	assert_true(socket_ledger__arrivals_missed(&b));
	NEAR(socket_ledger__copies_per_byte(&b).value, 0.25, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
	/* Other sockets do not count. */
	other.zc_ids = other.completed = 1;
	d = socket_ledger__of(&other);
	socket_ledger__add(&b, &d);
	assert_true(socket_ledger__arrivals_missed(&b));
	NEAR(socket_ledger__copies_per_byte(&b).value, 0.4, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
	/* One send that was not copied does not bound the copies of the others. */
	s.copied = 3;
	b = socket_ledger__of(&s);
	assert_int_equal(b.stages[NIO_STAGE_DEFERRED_COPY].bytes, 1000);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), 4000);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
	s.copied = 0;
	b = socket_ledger__of(&s);
	assert_false(socket_ledger__arrivals_missed(&b));
	/* A send that has not completed may still be copied: the bytes seen are a lower bound. */
	s.copied = s.completed = 3;
	b = socket_ledger__of(&s);
	assert_true(socket_ledger__arrivals_missed(&b));
	assert_false(socket_ledger__arrivals_missed(&(struct socket_ledger){0}));
}

/* Requests of io_uring pin if their messages were seen. Nothing tells of copies of unreported ones.
 */
TEST(requests_of_io_uring_pin_if_their_messages_were_seen)
{
	struct sock_state s = stream(1000, 0);
	struct socket_ledger b;

	s.now.sent += 4000;
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING] = 4000;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 0);
	assert_false(socket_ledger__copies_per_byte(&b).known);
	s.calls[NIO_CALL_IO_URING] = (struct nio_amount){4000, 4};
	/* Before a notification, and if the socket ends first. */
	b = balanced(&s);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_DEFERRED_COPY).known);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), 4000);
	s.requests[NIO_REQUEST_NOT_COPIED] = 4;
	b = balanced(&s);
	assert_int_equal(b.stages[NIO_STAGE_TX_PIN].bytes, 4000);
	assert_int_equal(b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING], 0);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 0.2, 1e-9);
	assert_real(socket_ledger__copied_fraction(&b), 0);
	s.requests[NIO_REQUEST_UNREPORTED] = 1;
	b = balanced(&s);
	NEAR(socket_ledger__copies_per_byte(&b).value, 0.2, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 1, 1e-9);
}

/* A window that missed every request of io_uring shows no zero. */
TEST(pinned_bytes_without_ids_are_open_where_calls_were_not_watched)
{
	struct socket_ledger b = {.socket_tx = 4000, .unwatched = 1};

	b.divided[NIO_SIDE_SENDER] = 4000;
	b.stage_margin[NIO_STAGE_TX_PIN].above = 3000;
	b.stages[NIO_STAGE_TX_COPY].bytes = 4000;
	assert_true(socket_ledger__stage_bytes(&b, NIO_STAGE_TX_PIN).known);
	b.pins_hidden = 1;
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_TX_PIN).known);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_PIN), 3000);
}

TEST(ways_to_receive_without_a_copy_are_least_values_if_a_call_is_unknown)
{
	struct sock_state s = stream(0, 1000);
	struct socket_ledger b;

	s.now.read = s.read_seen = s.base.read + 1700;
	s.stages[NIO_STAGE_RX_MAP] = (struct nio_amount){700, 7};
	b = balanced(&s);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_MAP), 700);
	assert_true(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_SPLICE).known);
	assert_true(socket_ledger__copies_per_byte(&b).value == 1000 / 1700.0);
	s.now.read = s.read_seen += 20;
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = 20;
	b = balanced(&s);
	assert_true(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_MAP).known);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_RX_MAP), 720);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_SPLICE).known);
	assert_true(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_COPY).known);
}

/* Half of the bytes were seen, half of those in windows that stand for 4 times their length. */
TEST(calls_in_windows_count_by_the_weight_of_the_window)
{
	struct sock_state s = stream(100, 0);
	struct socket_ledger b;

	s.window = 4;
	s.now.sent = s.base.sent + 400;
	s.stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){400, 8};
	s.calls[NIO_CALL_SPLICE] = (struct nio_amount){400, 8};
	s.added[NIO_SIDE_SENDER] = 300;
	s.refused[NIO_REFUSAL_EAGAIN] = 50;
	s.empty = 60;
	s.inner_eagain = 70;
	s.zc_without_option = 80;
	s.completed = s.copied = 90; /* these are all seen */
	b = balanced(&s);
	assert_int_equal(b.empty, 48);
	assert_int_equal(b.inner_eagain, 56);
	assert_int_equal(b.zc_without_option, 64);
	assert_int_equal(b.completed + b.copied, 180);
	assert_int_equal(b.seen_tx, 200);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 80);
	assert_int_equal(b.stages[NIO_STAGE_TX_SPLICE].bytes, 320);
	assert_int_equal(b.calls[NIO_CALL_SPLICE].events, 6);
	assert_int_equal(b.refused[NIO_REFUSAL_EAGAIN], 40);
	assert_int_equal(b.divided[NIO_SIDE_SENDER], 400);
	/* All but the 100 bytes of splice that were seen at least. */
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_COPY), 300);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_SPLICE), 400);
}

TEST(connection_within_one_window_is_exact)
{
	struct sock_state s = stream(100, 40);
	struct socket_ledger b;

	s.born_window = s.window = 7;
	s.weight = 10;
	s.calls[NIO_CALL_PLAIN] = s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){1000, 20};
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){400, 10};
	s.added[NIO_SIDE_SENDER] = 900;
	s.added[NIO_SIDE_RECEIVER] = 360;
	s.tx_sizes[5] = 20;
	s.refused[NIO_REFUSAL_EAGAIN] = s.empty = s.inner_eagain = s.zc_without_option = 30;
	s.completed = s.copied = 90;
	b = balanced(&s);
	assert_int_equal(b.empty + b.inner_eagain + b.zc_without_option, 9);
	assert_int_equal(b.completed + b.copied, 180);
	assert_int_equal(b.tx_sizes[5], 2);
	assert_int_equal(b.tx_sizes_sum, 100);
	assert_int_equal(b.rx_sizes_sum, 40);
	assert_int_equal(b.divided[NIO_SIDE_SENDER] + b.divided[NIO_SIDE_RECEIVER], 0);
	assert_int_equal(b.calls[NIO_CALL_PLAIN].events, 2);
	assert_int_equal(b.stages[NIO_STAGE_RX_COPY].events, 1);
	assert_int_equal(b.refused[NIO_REFUSAL_EAGAIN], 3);
	assert_true(socket_ledger__count(&b, 0).known);
}

TEST(what_was_not_watched_and_not_seen_is_unknown)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.window = 2;
	s.now.sent = s.base.sent + 100;
	memset(s.calls, 0, sizeof(s.calls));
	memset(s.stages, 0, sizeof(s.stages));
	s.now.read = s.base.read + 100;
	b = balanced(&s);
	assert_false(socket_ledger__count(&b, b.refused[NIO_REFUSAL_ENOBUFS]).known);
	assert_false(socket_ledger__read_bytes(&b, NIO_UNCOVERED_PEEKED).known);
	assert_false(socket_ledger__read_bytes(&b, NIO_UNCOVERED_UNSEEN).known);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_MAP).known);
	assert_non_null(socket_ledger__no_sizes(&b, NIO_SIDE_SENDER));
	assert_non_null(socket_ledger__no_sizes(&b, NIO_SIDE_RECEIVER));
	assert_false(socket_ledger__call_bytes(&b, NIO_CALL_PLAIN).known);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_TX_COPY).known);
	assert_true(socket_ledger__stage_bytes(&b, NIO_STAGE_TX_PIN).known); /* no id was issued */
	assert_false(socket_ledger__zerocopy_sends(&b).known);
	assert_false(socket_ledger__copies_per_byte(&b).known);
	assert_real(socket_ledger__copies_per_byte_at_most(&b), 1);
}

TEST(counts_are_unknown_where_sockets_were_left_out)
{
	struct socket_ledger b = {.left_out = 1};

	assert_false(socket_ledger__count(&b, 3).known);
}

/* Bytes were divided as copies that were seen; none was seen to be peeked at or spliced. */
TEST(what_no_sampled_copy_showed_is_unknown)
{
	struct sock_state s = stream(0, 100);
	struct socket_ledger b;

	s.window = 2;
	s.now.read = s.base.read + 1000;
	b = balanced(&s);
	assert_false(socket_ledger__read_bytes(&b, NIO_UNCOVERED_PEEKED).known);
	assert_false(socket_ledger__stage_bytes(&b, NIO_STAGE_RX_DISCARD).known);
	assert_false(socket_ledger__is_divided(&b, NIO_SIDE_RECEIVER, NIO_UNCOVERED_MISSED));
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 10;
	b = socket_ledger__of(&s);
	assert_true(socket_ledger__read_bytes(&b, NIO_UNCOVERED_PEEKED).known);
	assert_true(socket_ledger__is_divided(&b, NIO_SIDE_RECEIVER, NIO_UNCOVERED_PEEKED));
	assert_null(socket_ledger__no_sizes(&b, NIO_SIDE_SENDER)); /* nothing was sent */
}

/* An unseen plain byte may be copied in its call, and again in a packet with pinned bytes. */
TEST(unseen_bytes_of_a_socket_that_pins_may_be_copied_twice)
{
	struct sock_state s = stream(0, 0);
	struct socket_ledger b;

	s.window = 2;
	s.now.sent = s.base.sent + 102;
	s.zc_ids = s.completed = s.copied = 2;
	memset(s.calls, 0, sizeof(s.calls));
	memset(s.stages, 0, sizeof(s.stages));
	b = balanced(&s);
	assert_true(socket_ledger__copies_per_byte_at_most(&b).value >= 2 * 100 / 102.);
}
