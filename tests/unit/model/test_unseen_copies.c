// SPDX-License-Identifier: GPL-2.0-only
/* The bounds of copies that no event shows. */
#include <string.h>

#include "model/ledger.h"
#include "model/ledger_bytes.h"
#include "model/socket_ledger.h"
#include "support/near.h"
#include "support/test.h"

/* A connection that sent 1000 bytes in this stage; every call was seen. */
static struct sock_state sender(enum nio_stage stage, unsigned int path)
{
	struct sock_state s = {
		.key = 1,
		.last_ns = 1,
		.born_window = 1,
		.window = 1,
		.now = {.sent = 1000},
		.path = (__u8)path,
		.begun = 2,
	};

	s.calls[NIO_CALL_PLAIN] = (struct nio_amount){1000, 10};
	s.stages[stage] = (struct nio_amount){1000, 10};
	return s;
}

/* All pinned; `copied` of 10 sends completed as copied, `seen` bytes were seen to arrive. */
static struct sock_state pinner(unsigned int copied, unsigned int seen, unsigned int path)
{
	struct sock_state s = sender(NIO_STAGE_TX_PIN, NIO_PATH_ARRIVALS | path);

	s.zc_ids = s.completed = 10;
	s.copied = copied;
	s.stages[NIO_STAGE_DEFERRED_COPY] = (struct nio_amount){seen, 1};
	return s;
}

static void assert_copies(const struct socket_ledger *b, double least, double most)
{
	struct real copies = socket_ledger__copies_per_byte(b);

	assert_true(copies.known == (least > 0 || most == 0));
	NEAR(copies.known ? copies.value : 0, least, 1e-9);
	NEAR(socket_ledger__copies_per_byte_at_most(b).value, most, 1e-9);
}

static struct socket_ledger ledger(const struct sock_state *s)
{
	return socket_ledger__of(s);
}

/* Least and most of deferred copies. */
static void assert_deferred(const struct sock_state *s, uint64_t least, uint64_t most)
{
	struct socket_ledger b = ledger(s);

	assert_int_equal(b.stages[NIO_STAGE_DEFERRED_COPY].bytes, least);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), most);
	assert_true((least == most) == !socket_ledger__deferred_reason(&b));
	assert_int_equal(socket_ledger__stage_bytes(&b, NIO_STAGE_DEFERRED_COPY).known,
			 least || !most);
}

TEST(ordinary_paths_have_no_range)
{
	static const unsigned int paths[] = {0, NIO_PATH_ONWARD, NIO_PATH_TAP,
					     NIO_PATH_ONWARD | NIO_PATH_TAP};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct sock_state copies = sender(NIO_STAGE_TX_COPY, paths[i]);
		struct sock_state splices = sender(NIO_STAGE_TX_SPLICE, paths[i]);
		struct socket_ledger b = ledger(&copies);

		assert_copies(&b, 1, 1);
		b = ledger(&splices);
		assert_copies(&b, 0, 0);
		assert_null(socket_ledger__unseen_reason(&b, NIO_STAGE_NR));
	}
	for (unsigned int copied = 0; copied <= 10; copied += 10) {
		struct sock_state pins = pinner(copied, copied * 100, 0);
		struct socket_ledger b = ledger(&pins);

		assert_copies(&b, copied / 10., copied / 10.);
		assert_deferred(&pins, copied * 100, copied * 100);
	}
}

TEST(device_without_checksums_may_copy_spliced_bytes_each_time_they_are_sent)
{
	struct sock_state s = sender(NIO_STAGE_TX_SPLICE, NIO_PATH_NO_CHECKSUM);
	struct socket_ledger b;

	s.now.retrans = 100;
	b = ledger(&s);
	assert_copies(&b, 0, 1.1);
	assert_non_null(socket_ledger__unseen_reason(&b, NIO_STAGE_TX_SPLICE));
	assert_null(socket_ledger__unseen_reason(&b, NIO_STAGE_TX_COPY));
	s = sender(NIO_STAGE_TX_COPY, NIO_PATH_NO_CHECKSUM);
	b = ledger(&s);
	assert_copies(&b, 1, 1);
	/* Calls that no window met may have been sendfile. */
	s.now.retrans = 500;
	s.window = 2;
	memset(s.stages, 0, sizeof(s.stages));
	memset(s.calls, 0, sizeof(s.calls));
	NEAR(socket_ledger__may_copy(&(struct socket_ledger[]){ledger(&s)}[0], UNSEEN_CHECKSUM),
	     500, 0);
}

TEST(device_without_scatter_gather_may_copy_any_byte_once_more)
{
	struct sock_state s = sender(NIO_STAGE_TX_COPY, NIO_PATH_NO_GATHER);
	struct socket_ledger b = ledger(&s);

	assert_copies(&b, 1, 2);
	s = sender(NIO_STAGE_TX_SPLICE, NIO_PATH_NO_GATHER | NIO_PATH_NO_CHECKSUM);
	b = ledger(&s);
	assert_copies(&b, 0, 1);
	s = pinner(3, 0, NIO_PATH_NO_GATHER);
	assert_deferred(&s, 0, 1000);
	/* Also if the kernel reports none as copied. */
	s = pinner(0, 0, NIO_PATH_NO_GATHER);
	b = ledger(&s);
	assert_copies(&b, 0, 1);
	s = sender(NIO_STAGE_TX_COPY, NIO_PATH_IPSEC);
	b = ledger(&s);
	assert_copies(&b, 1, 3);
}

/* Devices that packets may reach later copy no more than they sent. */
TEST(virtual_devices_may_lead_to_devices_that_copy)
{
	struct sock_state s = sender(NIO_STAGE_TX_SPLICE, NIO_PATH_ONWARD);
	struct socket_ledger b = ledger(&s);

	assert_copies(&b, 0, 0);
	b.evidence.no_checksum_bytes = 300;
	assert_copies(&b, 0, 0.3);
	b.evidence.no_checksum_bytes = 3000;
	assert_copies(&b, 0, 1);
	b.evidence = (struct copy_evidence){.no_gather_bytes = 400};
	assert_copies(&b, 0, 0.4);
	s = sender(NIO_STAGE_TX_SPLICE, 0);
	b = ledger(&s);
	b.evidence.no_checksum_bytes = 3000;
	assert_copies(&b, 0, 0);
}

TEST(taps_and_timestamps_copy_pinned_pages_once_more_each)
{
	struct sock_state s = pinner(10, 1000, NIO_PATH_TAP);
	struct socket_ledger b = ledger(&s);

	assert_copies(&b, 1, 2);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), 2000);
	assert_non_null(socket_ledger__unseen_reason(&b, NIO_STAGE_DEFERRED_COPY));
	b.evidence.tap_devices = 2;
	assert_copies(&b, 1, 3);
	s = pinner(10, 1000, 0);
	b = ledger(&s);
	b.evidence.tap_devices = 1;
	assert_copies(&b, 1, 2);
	s.stamps = 2;
	b = ledger(&s);
	assert_copies(&b, 1, 3);
	/* Where the function is hooked, each copy is seen. */
	s.path &= (__u8)~NIO_PATH_ARRIVALS;
	b = ledger(&s);
	b.evidence.tap_devices = 1;
	assert_copies(&b, 1, 1);
}

/* Requests of io_uring that no window met may have pinned all bytes. */
TEST(taps_and_timestamps_may_copy_hidden_pins)
{
	struct sock_state s = sender(NIO_STAGE_TX_COPY, NIO_PATH_ARRIVALS | NIO_PATH_TAP);
	struct socket_ledger b;

	s.window = 2;
	s.stamps = 1;
	memset(s.stages, 0, sizeof(s.stages));
	memset(s.calls, 0, sizeof(s.calls));
	b = ledger(&s);
	assert_int_equal(socket_ledger__may_copy_pins(&b), 0);
	socket_ledger__hide_pins(&b, &s);
	assert_int_equal(socket_ledger__may_copy_pins(&b), 2000);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_DEFERRED_COPY), 3000);
	NEAR(socket_ledger__copies_per_byte_at_most(&b).value, 3, 1e-9);
	/* Sent again, they may be copied again. */
	s.now.retrans = 500;
	b = ledger(&s);
	socket_ledger__hide_pins(&b, &s);
	assert_int_equal(b.hidden_pins, 1500);
}

/* Watched calls show their requests, and zero-copy ids show which bytes are pinned. */
TEST(no_pins_are_hidden_where_all_calls_were_watched_or_ids_were_taken)
{
	struct sock_state s = sender(NIO_STAGE_TX_COPY, 0);
	struct socket_ledger b;

	s.now.retrans = 100;
	b = ledger(&s);
	socket_ledger__hide_pins(&b, &s);
	assert_int_equal(b.pins_hidden, 0);
	assert_int_equal(b.hidden_pins, 0);
	s = pinner(0, 0, 0);
	s.window = 2;
	b = ledger(&s);
	socket_ledger__hide_pins(&b, &s);
	assert_int_equal(b.pins_hidden, 1);
	assert_int_equal(b.hidden_pins, 0);
}

/* Some of what was queued before was looked at, again and again, and nothing was taken. */
TEST(copies_of_a_reader_that_only_looks_are_all_peeked)
{
	struct sock_state s = sender(NIO_STAGE_TX_COPY, 0);
	struct socket_ledger b;

	s.base.received = s.now.received = 100;
	s.window = 2;
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){5000, 50};
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 4900;
	b = ledger(&s);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED], 5000);
	assert_int_equal(b.received, 0);
	assert_int_equal(b.readable, 100);
}

TEST(mixed_completions_leave_all_pinned_bytes_open)
{
	struct sock_state s = pinner(9, 0, 0);

	assert_deferred(&s, 0, 1000);
	s = pinner(1, 300, 0);
	s.now.retrans = 50;
	assert_deferred(&s, 0, 1050);
	/* A function shows what it copied at least. */
	s.path &= (__u8)~NIO_PATH_ARRIVALS;
	assert_deferred(&s, 300, 1050);
}

TEST(arrivals_that_the_kernel_does_not_report_as_copied_are_an_upper_bound)
{
	struct sock_state s = pinner(0, 1000, 0);
	struct socket_ledger b = ledger(&s);

	assert_deferred(&s, 0, 1000);
	assert_copies(&b, 0, 1);
}

TEST(arrivals_of_bytes_sent_again_may_have_been_dropped)
{
	struct sock_state s = pinner(10, 1050, 0);

	s.now.retrans = 50;
	assert_deferred(&s, 1000, 1050);
	assert_int_equal(ledger(&s).deferred_again, 0);
	s.path &= (__u8)~NIO_PATH_ARRIVALS;
	assert_deferred(&s, 1050, 1050);
	assert_int_equal(ledger(&s).deferred_again, 50);
}

/* SEND_ZC without a report: no completion says what was copied. */
TEST(arrivals_of_requests_without_a_report_have_a_lower_bound)
{
	struct sock_state s = pinner(0, 1050, 0);

	s.zc_ids = s.completed = 0;
	s.calls[NIO_CALL_IO_URING] = (struct nio_amount){1000, 10};
	s.requests[NIO_REQUEST_UNREPORTED] = 10;
	s.now.retrans = 50;
	assert_deferred(&s, 1000, 1050);
	s.stages[NIO_STAGE_DEFERRED_COPY].bytes = 2000;
	assert_deferred(&s, 0, 1050);
}

TEST(arrivals_beyond_what_was_sent_are_no_copies)
{
	struct sock_state s = pinner(10, 2000, 0);

	s.now.retrans = 50;
	assert_deferred(&s, 0, 1050);
}

TEST(merged_receive_queues_may_copy_each_received_byte)
{
	struct sock_state s = {.key = 1,
			       .last_ns = 1,
			       .born_window = 1,
			       .window = 1,
			       .read_seen = 500,
			       .now = {.received = 500, .read = 500}};
	struct socket_ledger b;

	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){500, 1};
	b = ledger(&s);
	assert_copies(&b, 1, 1);
	b.evidence.collapsed = true;
	assert_copies(&b, 1, 2);
	b.evidence = (struct copy_evidence){.xdp = true};
	assert_copies(&b, 1, 2);
}

/* A run that sent 1000 bytes by sendfile, 100 of them twice. */
TEST(run_over_a_device_without_offloads_has_a_range)
{
	struct environment env = {.device_scatter_gather = {.known = true, .value = true},
				  .device_tx_checksum = {.known = true, .value = true}};
	struct run_result r = {.ledger_known = true, .app.rx_bytes = 1000};

	r.app.tx_bytes = 1000;
	r.sequence.tx_retrans = num__known(100);
	r.stages[NIO_STAGE_TX_SPLICE] =
		(struct stage_result){.bytes = 1000, .quality = QUALITY_EXACT};
	r.stages[NIO_STAGE_RX_COPY] =
		(struct stage_result){.bytes = 1000, .quality = QUALITY_EXACT};
	r.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_UNAVAILABLE;
	ledger_bytes__bound_device(&r, &env);
	ledger__close(&r, false);
	NEAR(r.copies_per_byte.value, 1, 1e-9);
	NEAR(r.copies_per_byte_at_most.value, 1, 1e-9);
	env.device_tx_checksum.value = false;
	ledger_bytes__bound_device(&r, &env);
	ledger__close(&r, false);
	NEAR(r.copies_per_byte.value, 1, 1e-9);
	NEAR(r.copies_per_byte_at_most.value, 2.1, 1e-9);
	assert_int_equal(r.stages[NIO_STAGE_TX_SPLICE].quality, QUALITY_DERIVED);
	/* Bytes that were sent again are copied again: unknown is not 0. */
	r.sequence.tx_retrans = num__unknown("not read");
	ledger_bytes__bound_device(&r, &env);
	ledger__close(&r, false);
	NEAR(r.copies_per_byte.value, 1, 1e-9);
	assert_false(r.copies_per_byte_at_most.known);
	assert_string_equal(r.copies_per_byte_at_most.reason, "not read");
	/* Where functions show other copies, they are counted. */
	r.stages[NIO_STAGE_OTHER_COPY].quality = QUALITY_EXACT;
	ledger_bytes__bound_device(&r, &env);
	ledger__close(&r, false);
	NEAR(r.copies_per_byte_at_most.value, 1, 1e-9);
}

/* 500 bytes pinned, of which 100 were seen to be copied. */
TEST(native_xdp_leaves_copies_of_uncopied_sends_open)
{
	struct socket_ledger d = {.ids = 5, .completed = 5, .copied = 1};

	d.stages[NIO_STAGE_TX_PIN].bytes = 500;
	d.stages[NIO_STAGE_DEFERRED_COPY].bytes = 100;
	assert_int_equal(socket_ledger__at_most(&d, NIO_STAGE_DEFERRED_COPY), 100);
	socket_ledger__mark_unknown_by_xdp(&d);
	assert_int_equal(d.under_xdp, 1);
	assert_int_equal(socket_ledger__at_most(&d, NIO_STAGE_DEFERRED_COPY), 500);
	assert_false(socket_ledger__copied_fraction(&d).known);
	/* Nothing is open where the kernel reports every send as copied, or nothing was pinned. */
	d.copied = 5;
	d.under_xdp = d.unseen = 0;
	socket_ledger__mark_unknown_by_xdp(&d);
	assert_int_equal(d.under_xdp, 0);
	d = (struct socket_ledger){.socket_tx = 500};
	socket_ledger__mark_unknown_by_xdp(&d);
	assert_int_equal(d.under_xdp, 0);
	assert_int_equal(socket_ledger__at_most(&d, NIO_STAGE_DEFERRED_COPY), 0);
}
