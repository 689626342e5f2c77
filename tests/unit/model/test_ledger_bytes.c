/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger's bytes from sequence numbers, and events that missed some of them. */
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>

#include "model/ledger.h"
#include "model/verdict.h"
#include "support/ledger_case.h"
#include "support/test.h"

static const struct environment local = {.path = "loopback", .device = "lo"};

TEST(missed_events_lose_no_byte)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL - 3 * MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL - 1 * MESSAGE);
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_EXACT);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->bytes, TOTAL);
	assert_true(f->run.copies_per_byte.value == 2.0);
	assert_true(f->run.copies_per_byte_at_most.value == 2.0);
	assert_true(f->run.health.coverage.known);
	assert_true(f->run.health.coverage.value == 0.98);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

TEST(all_events_seen_gives_coverage_1)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(f);
	assert_true(f->run.health.coverage.value == 1.0);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->quality, QUALITY_EXACT);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* As many ids as MSG_ZEROCOPY calls, no fallback, scatter-gather: all bytes were pinned. */
TEST(zero_copy_ids_show_that_missed_bytes_were_pinned)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL - 5 * MESSAGE);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->quality, QUALITY_DERIVED);
	assert_non_null(strstr(stage(f, NIO_STAGE_TX_PIN)->reason, "ids"));
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, 0);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_DERIVED);
	assert_non_null(stage(f, NIO_STAGE_TX_COPY)->reason);
	assert_non_null(strstr(stage(f, NIO_STAGE_TX_COPY)->reason, "ids"));
	assert_null(stage(f, NIO_STAGE_TX_COPY)->no_events);
	assert_int_equal(f->run.unclassified.value, 0);
	assert_int_equal(f->run.kernel_zc.sends, MESSAGES);
	end(f);
}

/* Bytes sent without MSG_ZEROCOPY were copied; the ids show that the others were pinned. */
TEST(fallback_bytes_of_the_application_count_as_copied)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	f->run.app.zc.enobufs = 2;
	f->run.app.zc.fallback_bytes = 2 * MESSAGE;
	f->run.app.zc.sends = f->run.app.zc.completed = f->run.app.zc.copied = MESSAGES - 2;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].zckey -= 2;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL - 5 * MESSAGE);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, 1 * MESSAGE);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL - 2 * MESSAGE);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->quality, QUALITY_DERIVED);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, 2 * MESSAGE);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* Fewer bytes fell back than events saw copied, so neither count classifies the missed bytes. */
TEST(contradicting_counts_leave_missed_bytes_unclassified)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	f->run.app.zc.enobufs = 2;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL - 5 * MESSAGE);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, 1 * MESSAGE);
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unclassified.value, 4 * MESSAGE);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL - 5 * MESSAGE);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->open_bytes.value, 4 * MESSAGE);
	assert_non_null(strstr(stage(f, NIO_STAGE_TX_PIN)->reason, "lower bound"));
	assert_true(f->run.copies_per_byte.value == 1.01);
	assert_true(f->run.copies_per_byte_at_most.value == 1.05);
	end(f);
}

TEST(zero_copy_without_scatter_gather_pins_nothing)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	f->base.sockets[NIO_SIDE_SENDER].sockets[0].scatter_gather = 0;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].scatter_gather = 0;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL - 5 * MESSAGE);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, 0);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* An event once booked 4 GiB for a call of 64 KiB, which gave 784.9 copies per byte. */
TEST(events_above_the_bytes_sent_make_their_stages_unavailable)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	f->run.app.zc.sends++;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, 4294901760);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_UNAVAILABLE);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->quality, QUALITY_UNAVAILABLE);
	assert_int_equal(f->run.unclassified.value, TOTAL);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_false(f->run.health.coverage.known);
	assert_true(f->run.copies_per_byte.value == 1.0);
	assert_true(f->run.copies_per_byte_at_most.value == 2.0);
	end(f);
}

TEST(missed_events_leave_deferred_copies_open)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - 10 * MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	f->now.missed_of[PROBE_DEFERRED_COPY] = 4;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].bytes_retrans = 100;
	close_books(f);
	assert_int_equal(deferred->bytes, TOTAL - 10 * MESSAGE);
	assert_int_equal(deferred->open_bytes.value, 10 * MESSAGE + 100);
	assert_true(f->run.copies_per_byte.value == 1.9);
	assert_true(f->run.copies_per_byte_at_most.value > 2.0);
	assert_true(f->run.copies_per_byte_at_most.value < 2.0001);
	end(f);
}

/* A kernel that does not report missed program runs: completions show them. */
TEST(completions_show_missed_deferred_copies)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	f->now.untold_of[PROBE_DEFERRED_COPY] = true;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	f->now.zc.sends = f->now.zc.copied = MESSAGES;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	f->now.zc.sends = f->now.zc.copied = MESSAGES - 3;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, MESSAGE);
	verdict__give(&f->run, &local);
	assert_non_null(strstr(f->run.verdict.text, "between 97 and 100 of 100 sends were copied"));
	assert_true(f->run.verdict.copied_fraction.value == 1.0);
	end(f);
}

/* If other events were missed, events of deferred copies may also have been missed. */
TEST(low_coverage_leaves_deferred_copies_open)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL - MESSAGE);
	f->now.zc.sends = f->now.zc.copied = MESSAGES;
	close_books(f);
	assert_true(f->run.health.coverage.known);
	assert_true(f->run.health.coverage.value == 0.995);
	assert_int_equal(deferred->open_bytes.value, 0);
	f->now.untold_of[PROBE_DEFERRED_COPY] = true;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, MESSAGE);
	end(f);
}

/* Selects the hook of the tracepoint backend, whatever else the kernel offers. */
/*
 * All sends were copied, but fewer bytes arrived than were pinned: no program saw the other
 * arrivals.
 */
TEST(unseen_arrivals_make_deferred_copies_a_lower_bound)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - 3 * MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	/* The copying function itself was probed: a completion marked as copied may be copied in
	 * part. */
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	count_by_arrivals(f);
	close_books(f);
	assert_int_equal(deferred->bytes, TOTAL - 3 * MESSAGE);
	assert_int_equal(deferred->open_bytes.value, 3 * MESSAGE);
	assert_non_null(strstr(deferred->reason, "a lower bound"));
	assert_true(f->run.copies_per_byte_at_most.value == 2.0);
	/* One send was not copied: fewer arrivals are plausible. */
	f->run.app.zc.copied--;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	end(f);
}

/* Linux 5.10 and 6.1 have no tracepoint for sends: bytes are known, events are not. */
TEST(stage_without_a_hook_has_bytes_but_no_events)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	/* A missing hook gives no events, whatever was booked before. */
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, MESSAGE);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->events, 1);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->events, 1);
	f->plan.chosen[PROBE_SEND_RETURN] = f->plan.chosen[PROBE_RX_COPY] = NULL;
	f->plan.reason[PROBE_SEND_RETURN] = f->plan.reason[PROBE_RX_COPY] = "no such hook";
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->events, 0);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->events, 0);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_EXACT);
	assert_non_null(stage(f, NIO_STAGE_TX_COPY)->no_events);
	assert_non_null(stage(f, NIO_STAGE_RX_COPY)->no_events);
	assert_false(f->run.health.coverage.known);
	assert_non_null(f->run.health.coverage.reason);
	assert_int_equal(f->run.unaccounted_tx, 0);
	end(f);
}

/* The application and the sequence numbers differ: events cannot decide, and nothing is exact. */
TEST(byte_unknown_to_the_kernel_is_unaccounted)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	f->run.app.tx_bytes++;
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 1);
	assert_true(run_result__unbalanced(&f->run));
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_DERIVED);
	assert_non_null(strstr(stage(f, NIO_STAGE_TX_COPY)->reason, "lower bound"));
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->quality, QUALITY_EXACT);
	end(f);
}

/* The second socket iteration missed a socket: bytes come from the events. */
TEST(socket_gone_at_the_end_books_bytes_of_events)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	memset(&f->now.sockets[NIO_SIDE_SENDER].sockets[0], 0, sizeof(struct nio_socket));
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL - MESSAGE);
	close_books(f);
	assert_false(f->run.sequence.tx_bytes.known);
	assert_non_null(strstr(f->run.sequence.tx_bytes.reason, "gone"));
	assert_true(f->run.sequence.rx_bytes.known);
	assert_int_equal(f->run.unaccounted_tx, MESSAGE);
	end(f);
}

TEST(sum_adds_bytes_and_one_unknown_makes_it_unknown)
{
	struct fixture *a = fixture(MODE_ONECOPY), *b = fixture(MODE_ONECOPY);
	struct run_result sum;

	see(a, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	see(a, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(a);
	close_books(b);
	run_result__init(&sum);
	ledger__add(&sum, &a->run);
	ledger__add(&sum, &b->run);
	assert_int_equal(sum.sequence.tx_bytes.value, 2 * TOTAL);
	assert_true(sum.health.coverage.value == 0.5);
	ledger__close(&sum, true);
	assert_int_equal(sum.unaccounted_tx, 0);
	b->run.sequence.tx_bytes = (struct num){.reason = "refused"};
	b->run.health.coverage = (struct real){.reason = "refused"};
	ledger__add(&sum, &b->run);
	assert_false(sum.sequence.tx_bytes.known);
	assert_false(sum.health.coverage.known);
	run_result__clear(&sum);
	end(a);
	end(b);
}

/* Each message had a reply of its size. */
static struct fixture *answered(enum mode mode)
{
	struct fixture *f = fixture(mode);

	f->run.request_response = true;
	f->run.app.replies = (struct replies){
		.tx_bytes = {.value = TOTAL, .known = true},
		.tx_messages = {.value = MESSAGES, .known = true},
		.rx_bytes = TOTAL,
		.rx_messages = MESSAGES,
	};
	f->now.sockets[NIO_SIDE_RECEIVER].sockets[0].bytes_acked = TOTAL;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].bytes_received = TOTAL;
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	return f;
}

TEST(replies_are_copied_in_both_directions)
{
	struct fixture *f = answered(MODE_ONECOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	/* Events missed two of the replies sent and one of those received, but no byte. */
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_TX_COPY, TOTAL - 2 * MESSAGE);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_RX_COPY, TOTAL - 1 * MESSAGE);
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(f->run.sequence.tx_bytes.value, 2 * TOTAL);
	assert_int_equal(f->run.sequence.rx_bytes.value, 2 * TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, 2 * TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->events, 2 * MESSAGES - 2);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->bytes, 2 * TOTAL);
	assert_true(f->run.copies_per_byte.value == 2.0);
	assert_true(f->run.health.coverage.value == 397.0 / 400);
	end(f);
}

/* Zero-copy pins the messages; the replies are copied. */
TEST(replies_of_zero_copy_mode_are_copied)
{
	struct fixture *f = answered(MODE_ZEROCOPY);

	/* All events missed: the ids classify the bytes. */
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->bytes, 2 * TOTAL);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* A reply that only one side counts is unaccounted. */
TEST(lost_reply_is_unaccounted)
{
	struct fixture *f = answered(MODE_ONECOPY);

	f->run.app.replies.rx_bytes -= MESSAGE;
	f->run.app.replies.tx_bytes.value += MESSAGE;
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, MESSAGE);
	assert_int_equal(f->run.unaccounted_rx, -(int64_t)MESSAGE);
	end(f);
}

/* Without the sockets of one side neither direction is known. */
TEST(replies_without_the_sockets_of_one_side_use_events)
{
	struct fixture *f = answered(MODE_ONECOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_RX_COPY, TOTAL);
	f->now.sockets[NIO_SIDE_RECEIVER].sockets[0].cookie = 0;
	close_books(f);
	assert_false(f->run.sequence.tx_bytes.known);
	assert_false(f->run.sequence.rx_bytes.known);
	assert_non_null(f->run.sequence.rx_bytes.reason);
	/* Then bytes come from the events. */
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	end(f);
}

/* With the receiver on another machine the ledger has the messages only. */
TEST(replies_of_a_remote_receiver_are_left_out)
{
	struct fixture *f = answered(MODE_ONECOPY);

	f->run.sender_side = true;
	f->now.sockets[NIO_SIDE_RECEIVER].source = NULL;
	f->run.app.replies.tx_bytes = (struct num){.reason = "elsewhere"};
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.sequence.tx_bytes.value, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	end(f);
}

/* Zero-copy by tracepoints, with events sampled 10 % of the time. */
static struct fixture *zerocopy_in_slices(void)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	count_by_arrivals(f);
	f->now.phase_ns = 1000;
	f->now.looked_ns = 100;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, 10 * MESSAGE);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, 9 * MESSAGE);
	return f;
}

/*
 * Completion codes that all agree with the sampled events give the copies of all bytes; others give
 * a range.
 */
TEST(completion_codes_give_deferred_copies_of_sampled_events_or_a_range)
{
	static const struct {
		uint64_t copied, completed, sends; /* fewer than MESSAGES by */
		uint64_t retrans, fallback;        /* bytes */
		bool unseen;                       /* no copy was seen in a sample */
		uint64_t bytes, open;
	} cases[] = {
		{.bytes = TOTAL},
		{.retrans = MESSAGE, .bytes = TOTAL, .open = MESSAGE},
		{.copied = MESSAGES, .unseen = true},
		/* A packet with copied and pinned bytes is copied as a whole. */
		{.fallback = MESSAGE, .bytes = TOTAL - MESSAGE, .open = MESSAGE},
		{.copied = MESSAGES / 2, .bytes = 9 * MESSAGE, .open = TOTAL - 9 * MESSAGE},
		/* Copies were seen, though all sends report that they were not copied. */
		{.copied = MESSAGES, .bytes = 9 * MESSAGE, .open = TOTAL - 9 * MESSAGE},
		/* All sends report a copy, but no arrival was seen. */
		{.unseen = true, .open = TOTAL},
		/* One send has not completed. */
		{.copied = 1, .completed = 1, .bytes = 9 * MESSAGE, .open = TOTAL - 9 * MESSAGE},
		/* The number of pinned bytes is unknown. */
		{.sends = 1, .bytes = 9 * MESSAGE, .open = TOTAL - 9 * MESSAGE},
	};

	for_each_case(c, cases) {
		struct fixture *f = zerocopy_in_slices();
		const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

		f->run.app.zc.copied -= c->copied;
		f->run.app.zc.completed -= c->completed;
		f->run.app.zc.sends -= c->sends;
		f->run.app.zc.fallback_bytes = c->fallback;
		f->now.sockets[NIO_SIDE_SENDER].sockets[0].bytes_retrans = c->retrans;
		if (c->unseen)
			f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_DEFERRED_COPY] =
				(struct nio_cell){0};
		close_books(f);
		assert_int_equal(deferred->quality, QUALITY_DERIVED);
		assert_int_equal(deferred->bytes, c->bytes);
		assert_int_equal(deferred->open_bytes.value, c->open);
		assert_non_null(deferred->reason);
		/* Without sequence numbers the number of bytes sent is unknown. */
		f->now.sockets[NIO_SIDE_SENDER].source = NULL;
		close_books(f);
		assert_int_equal(deferred->quality, QUALITY_UNAVAILABLE);
		end(f);
	}
}

/* All sends have completed when no socket is charged for one any more (sk_omem_alloc). */
TEST(uncharged_sockets_show_that_all_sends_completed)
{
	struct fixture *f = zerocopy_in_slices();

	f->base.sockets[NIO_SIDE_SENDER].sockets[0].omem = 100;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].omem = 100;
	close_books(f);
	assert_int_equal(f->run.zc_completed.value, MESSAGES);
	assert_false(f->run.health.unmatched.known);
	assert_false(f->run.zc_unseen.known);
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].omem = 101;
	close_books(f);
	assert_false(f->run.zc_completed.known);
	assert_non_null(f->run.zc_completed.reason);
	end(f);
}

/* While bytes move, the application's count lags behind the ids. */
TEST(moving_bytes_are_classified_though_the_id_count_lags)
{
	struct fixture *f = zerocopy_in_slices();

	f->run.app.zc.sends -= 3;
	f->now.moving = true;
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->bytes, TOTAL);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* Sampled events give numbers and sizes; bytes come from the sockets. */
TEST(event_sampling_keeps_bytes_exact)
{
	struct fixture *f = fixture(MODE_ONECOPY);
	struct run_result sum;

	f->now.phase_ns = 1000;
	f->now.looked_ns = 100;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL / 10);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL / 10);
	close_books(f);
	assert_true(f->run.balance_known);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_EXACT);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->events, MESSAGES / 10);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->bytes, TOTAL);
	assert_true(f->run.health.coverage.value == 0.1);
	assert_true(run_result__events_share(&f->run).value == 0.1);
	assert_true(run_result__sampled_events(&f->run, NIO_STAGE_TX_COPY));
	assert_true(run_result__sampled_events(&f->run, NIO_STAGE_RX_COPY));
	assert_false(run_result__sampled_events(&f->run, NIO_STAGE_OTHER_COPY));
	assert_false(run_result__sampled_events(&f->run, NIO_STAGE_USER_GATHER));
	/* A sum uses the time of all rounds; a round that saw all events is not a sample. */
	run_result__init(&sum);
	ledger__add(&sum, &f->run);
	f->now.looked_ns = 1000;
	close_books(f);
	assert_true(run_result__events_share(&f->run).value == 1.0);
	assert_false(run_result__sampled_events(&f->run, NIO_STAGE_TX_COPY));
	ledger__add(&sum, &f->run);
	assert_true(run_result__events_share(&sum).value == 0.55);
	run_result__clear(&sum);
	end(f);
}

/* Without sequence numbers, sampled events say nothing about the number of bytes. */
TEST(sampled_events_without_sequence_numbers_give_no_bytes)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	f->now.phase_ns = 1000;
	f->now.looked_ns = 100;
	f->now.sockets[NIO_SIDE_SENDER].source = NULL;
	f->now.sockets[NIO_SIDE_SENDER].reason = "a pass failed";
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL / 10);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL / 10);
	close_books(f);
	assert_false(f->run.balance_known);
	assert_false(run_result__unbalanced(&f->run));
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_UNAVAILABLE);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->quality, QUALITY_EXACT);
	end(f);
}
