// SPDX-License-Identifier: GPL-2.0-only
/* The books of a watched connection: events held against the socket's own numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attach/books.h"

/* A connection that sent `sent` bytes by copy and received `received`, from these numbers on. */
static struct nio_stream stream(uint32_t sent, uint32_t received)
{
	struct nio_stream s = {
		.cookie = 1,
		.last_ns = 1,
		.family = 2,
		.local = {10, 0, 0, 1},
		.remote = {10, 0, 0, 2},
		.flags = NIO_STREAM_TX_BASE | NIO_STREAM_RX_BASE,
		.base_tx = {.sent = 1000},
		.base_rx = {.taken = 5000},
		.sent_seen = 1000 + sent,
		.taken_seen = 5000 + received,
	};

	s.stages[NIO_STAGE_TX_COPY].bytes = sent;
	s.stages[NIO_STAGE_RX_COPY].bytes = received;
	return s;
}

static struct books books_of(const struct nio_stream *s)
{
	struct books b = {0};

	books__add_stream(&b, s);
	return b;
}

static void expect_balance(const struct books *b, int64_t tx, int64_t rx)
{
	struct real sent = books__unaccounted(b, NIO_SIDE_SENDER);
	struct real received = books__unaccounted(b, NIO_SIDE_RECEIVER);

	assert_true(sent.known && received.known);
	assert_int_equal((int64_t)sent.value, tx);
	assert_int_equal((int64_t)received.value, rx);
}

static void assert_near(double value, double wanted)
{
	assert_true(value > wanted - 1e-9 && value < wanted + 1e-9);
}

static void balances(void **state)
{
	struct nio_stream s = stream(23, 42);
	struct books b = books_of(&s);

	(void)state;
	expect_balance(&b, 0, 0);
	assert_int_equal(b.socket_tx, 23);
	assert_int_equal(b.socket_rx, 42);
}

/* A direction that was never used has no base; its numbers, whatever they are, are no bytes. */
static void needs_a_base(void **state)
{
	struct nio_stream s = stream(0, 42);
	struct books b;

	(void)state;
	s.flags = NIO_STREAM_RX_BASE;
	s.sent_seen = 77777;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(b.socket_tx, 0);
}

static void shows_what_was_missed(void **state)
{
	struct nio_stream s = stream(100, 100);
	struct books b;

	(void)state;
	s.sent_seen += 7;
	b = books_of(&s);
	expect_balance(&b, 7, 0);
	assert_true(books__coverage(&b).value < 1);
}

/* Sequence numbers wrap every 4 GiB; what was sent does not. */
static void goes_past_4_gib(void **state)
{
	struct nio_stream s = stream(0, 0);
	uint64_t sent = (5ULL << 32) + 12345;
	struct books b;

	(void)state;
	s.base_tx.sent = 0xfffffff0;
	s.stages[NIO_STAGE_TX_COPY].bytes = sent;
	s.sent_seen = s.base_tx.sent + (uint32_t)sent;
	b = books_of(&s);
	assert_int_equal(b.socket_tx, sent);
	expect_balance(&b, 0, 0);
}

/* A closed socket is held against its last numbers, a socket that goes on against its last call. */
static void ends_where_the_socket_ends(void **state)
{
	struct nio_stream s = stream(100, 200);
	struct books b;

	(void)state;
	s.now.sent = s.sent_seen + 50;
	s.now.taken = s.taken_seen;
	s.flags |= NIO_STREAM_NOW;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	s.flags |= NIO_STREAM_ENDED;
	b = books_of(&s);
	expect_balance(&b, 50, 0);
	assert_int_equal(b.socket_tx, 150);
	s.closed_ns = 1;
	b = books_of(&s);
	expect_balance(&b, 50, 0);
}

/* What no event explains is missed where the kernel refused some, and else a fault: unaccounted. */
static void calls_only_what_was_refused_missed(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct books b;

	(void)state;
	s.flags |= NIO_STREAM_ENDED;
	s.now.sent = s.sent_seen + 50;
	s.call.queued = 7; /* its return was none */
	s.sent_seen += 7;
	s.now.sent += 7;
	b = books_of(&s);
	expect_balance(&b, 57, 0);
	assert_int_equal(books__missed_sends(&b), 0);
	assert_near(books__coverage(&b).value, 100. / 157);
	s.refused = NIO_REFUSED_BOOKED;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(books__missed_sends(&b), 57);
	assert_near(books__coverage(&b).value, 100. / 157);
	s.uncovered = NIO_UNCOVERED_KTLS + 1;
	b = books_of(&s);
	assert_int_equal(books__missed_sends(&b), 0);
}

/* A gap between two calls is the same: trampolines do not see whether one was refused. */
static void calls_no_gap_missed_where_none_was_refused(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct books b;

	(void)state;
	s.sent_seen += 60;
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 60;
	b = books_of(&s);
	expect_balance(&b, 60, 0);
	assert_int_equal(books__missed_sends(&b), 0);
	assert_near(books__copies_per_byte_at_most(&b).value, 1);
	s.refused = NIO_REFUSED_BOOKED;
	books__add_stream(&b, &s);
	expect_balance(&b, 60, 0);
	assert_int_equal(books__missed_sends(&b), 60);
}

/* Among several threads only what is left over tells, where it is known that some was refused. */
static void what_a_crowd_leaves_over_was_missed(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct books b;

	(void)state;
	s.crowd = 1;
	s.sent_seen += 60;
	b = books_of(&s);
	expect_balance(&b, 60, 0);
	s.refused = NIO_REFUSED_BOOKED;
	b = books_of(&s);
	expect_balance(&b, 60, 0);
	s.refused = NIO_REFUSED_SOME;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(books__missed_sends(&b), 60);
	/* What its entry says was missed is no more of it, nor what it was closed with. */
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 20;
	s.call.queued = 15;
	s.now.sent = s.sent_seen + 5;
	s.flags |= NIO_STREAM_ENDED;
	books__add_stream(&b, &s);
	expect_balance(&b, 0, 0);
	assert_int_equal(books__missed_sends(&b), 60 + 65);
	/* More than was sent explains no refusal. */
	s = stream(100, 0);
	s.crowd = 1;
	s.refused = NIO_REFUSED_SOME;
	s.sent_seen -= 30;
	b = books_of(&s);
	expect_balance(&b, -30, 0);
	assert_int_equal(books__missed_sends(&b), 0);
	/* One thread's is known by its calls. */
	s.crowd = 0;
	s.sent_seen += 90;
	b = books_of(&s);
	expect_balance(&b, 60, 0);
}

/* What was sent by calls whose events were missed may have been copied, and is booked as nothing.
 */
static void makes_nothing_of_missed_sends(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct books b;

	(void)state;
	s.refused = NIO_REFUSED_BOOKED;
	s.sent_seen += 60;
	s.uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 60;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_near(books__coverage(&b).value, 100. / 160);
	assert_near(books__copies_per_byte(&b).value, 100. / 160);
	assert_near(books__copies_per_byte_at_most(&b).value, 1);
	/* A call whose return was missed, on a socket that has ended. */
	s.sent_seen += 40;
	s.call.queued = 40;
	s.now.sent = s.sent_seen;
	assert_int_equal(books__missed_sends(&b), 60);
	s.flags |= NIO_STREAM_ENDED;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(books__missed_sends(&b), 100);
}

/* What calls in progress have queued is not booked before they return. */
/* What is no number of the end is not taken for one: 1.4 GB were "looked at" of an MPTCP socket. */
static void needs_a_number_of_the_end(void **state)
{
	struct nio_stream s = stream(23, 42);
	struct books b;

	(void)state;
	s.closed_ns = 1;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED], 0);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 0);
}

static void leaves_calls_in_progress_out(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct books b;

	(void)state;
	s.sent_seen += 40;
	s.call.queued = 40;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(b.socket_tx, 100);
}

/* Where they are not shown, what a socket sent is not known, nor at its end: nor is where it began.
 */
static void says_where_calls_in_progress_are_not_shown(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct real unaccounted;
	struct books b;

	(void)state;
	s.untold = 1;
	s.sent_seen += 40;
	s.now.sent = 1100;
	b = books_of(&s);
	unaccounted = books__unaccounted(&b, NIO_SIDE_SENDER);
	assert_false(unaccounted.known);
	assert_string_equal(unaccounted.reason, BOOKS_UNTOLD);
	assert_true(books__unaccounted(&b, NIO_SIDE_RECEIVER).known);
	s.flags |= NIO_STREAM_ENDED;
	b = books_of(&s);
	assert_false(books__unaccounted(&b, NIO_SIDE_SENDER).known);
}

/* MSG_PEEK copies and takes nothing; splice and MSG_TRUNC take and copy nothing. */
/* Which of several threads' calls took an id is a guess there, and a guess is no number. */
static void guesses_no_pins_of_several_threads(void **state)
{
	struct nio_stream s = stream(100, 0);
	struct real copies;
	struct books b;

	(void)state;
	s.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){70, 2};
	s.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){70, 2};
	s.zckey = s.zckey_base + 3;
	b = books_of(&s);
	assert_true(books__tells(&b, NIO_STAGE_TX_PIN));
	assert_true(books__copies_per_byte(&b).known);
	assert_int_equal(books__zerocopy_sends(&b), 2);
	s.untold = 1;
	b = books_of(&s);
	assert_false(books__tells(&b, NIO_STAGE_TX_PIN));
	assert_false(books__tells(&b, NIO_STAGE_TX_COPY));
	assert_true(books__tells(&b, NIO_STAGE_RX_COPY));
	assert_int_equal(books__zerocopy_sends(&b), 3);
	copies = books__copies_per_byte(&b);
	assert_false(copies.known);
	assert_string_equal(copies.reason, BOOKS_UNTOLD_PINS);
}

static void tells_copied_from_taken(void **state)
{
	struct nio_stream s = stream(0, 100);
	struct books b;

	(void)state;
	s.stages[NIO_STAGE_RX_COPY].bytes = 130; /* 30 of them twice */
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 30;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	s.closed_ns = 1;
	s.flags |= NIO_STREAM_NOW;
	s.now.taken = s.taken_seen + 11;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN], 11);
	s.now.taken = s.taken_seen - 11;
	b = books_of(&s);
	expect_balance(&b, 0, 0);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED], 41);
}

/* kTLS sends records: the socket's numbers are of those. */
static void is_silent_of_other_layers(void **state)
{
	struct nio_stream s = stream(100, 100);
	struct books b;

	(void)state;
	s.uncovered = NIO_UNCOVERED_KTLS + 1;
	b = books_of(&s);
	assert_false(books__unaccounted(&b, NIO_SIDE_SENDER).known);
	assert_non_null(books__unaccounted(&b, NIO_SIDE_SENDER).reason);
	assert_false(books__copies_per_byte(&b).known);
}

static void counts_copies(void **state)
{
	struct nio_stream s = stream(0, 0);
	struct books b = books_of(&s);

	(void)state;
	assert_false(books__copies_per_byte(&b).known);
	s.stages[NIO_STAGE_TX_PIN].bytes = 1000;
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 500;
	s.sent_seen += 1000;
	b = books_of(&s);
	assert_true(books__copies_per_byte(&b).value == 0.5);
	assert_true(books__copied_bytes(&b) == 500);
}

static void knows_the_machine_itself(void **state)
{
	static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	struct nio_stream s = stream(1, 0);

	(void)state;
	assert_true(books__is_loopback(2, (const uint8_t[16]){127, 0, 0, 9}));
	assert_true(books__is_loopback(10, (const uint8_t[16]){[15] = 1}));
	assert_true(books__is_loopback(10, mapped));
	assert_false(books__is_loopback(2, (const uint8_t[16]){10, 0, 0, 1}));
	assert_int_equal(books_of(&s).local, 0);
	memcpy(s.remote, s.local, sizeof(s.remote));
	assert_int_equal(books_of(&s).local, 1);
}

/* Every send copied, and fewer bytes arrived than were pinned: no program was shown the others. */
static void knows_of_unseen_arrivals(void **state)
{
	struct nio_stream s = stream(0, 0), other = stream(1000, 0);
	struct books b;

	(void)state;
	s.zckey = s.completed = s.copied = 4;
	s.stages[NIO_STAGE_TX_PIN].bytes = s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 4000;
	b = books_of(&s);
	assert_false(books__arrivals_missed(&b));
	assert_near(books__copies_per_byte(&b).value, 1);
	assert_near(books__copies_per_byte_at_most(&b).value, 1);
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1000;
	b = books_of(&s);
	assert_true(books__arrivals_missed(&b));
	assert_near(books__copies_per_byte(&b).value, 0.25);
	assert_near(books__copies_per_byte_at_most(&b).value, 1);
	/* Nor are they seen for what others do. */
	other.zckey = other.completed = 1;
	books__add_stream(&b, &other);
	assert_true(books__arrivals_missed(&b));
	assert_near(books__copies_per_byte(&b).value, 0.4);
	assert_near(books__copies_per_byte_at_most(&b).value, 1);
	s.copied = 3;
	b = books_of(&s);
	assert_false(books__arrivals_missed(&b));
	s.copied = s.completed = 3;
	b = books_of(&s);
	assert_false(books__arrivals_missed(&b));
	assert_false(books__arrivals_missed(&(struct books){0}));
}

static void adds_up(void **state)
{
	struct nio_stream s = stream(23, 42);
	struct books one = books_of(&s), two = {0}, three;

	(void)state;
	books__add(&two, &one);
	books__add(&two, &one);
	three = one;
	books__add_stream(&three, &s);
	assert_memory_equal(&two, &three, sizeof(two));
	assert_int_equal(two.connections, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balances),
		cmocka_unit_test(needs_a_base),
		cmocka_unit_test(shows_what_was_missed),
		cmocka_unit_test(goes_past_4_gib),
		cmocka_unit_test(ends_where_the_socket_ends),
		cmocka_unit_test(calls_only_what_was_refused_missed),
		cmocka_unit_test(calls_no_gap_missed_where_none_was_refused),
		cmocka_unit_test(what_a_crowd_leaves_over_was_missed),
		cmocka_unit_test(makes_nothing_of_missed_sends),
		cmocka_unit_test(needs_a_number_of_the_end),
		cmocka_unit_test(leaves_calls_in_progress_out),
		cmocka_unit_test(says_where_calls_in_progress_are_not_shown),
		cmocka_unit_test(guesses_no_pins_of_several_threads),
		cmocka_unit_test(tells_copied_from_taken),
		cmocka_unit_test(is_silent_of_other_layers),
		cmocka_unit_test(counts_copies),
		cmocka_unit_test(knows_the_machine_itself),
		cmocka_unit_test(knows_of_unseen_arrivals),
		cmocka_unit_test(adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
