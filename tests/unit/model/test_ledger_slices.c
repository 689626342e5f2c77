/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger's bytes where events were looked at a part of the time. */
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "support/ledger_case.h"
#include "support/test.h"

/* Zero-copy by tracepoints, looked at a tenth of the time. */
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

static void assert_deferred(struct fixture *f, uint64_t bytes, uint64_t open)
{
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->quality, QUALITY_DERIVED);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->bytes, bytes);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->open_bytes.value, open);
	assert_non_null(stage(f, NIO_STAGE_DEFERRED_COPY)->reason);
	end(f);
}

/* Codes that are all alike and agree with what was seen tell the deferred copies of all bytes. */
TEST(codes_tell_deferred_copies_of_slices)
{
	struct fixture *f = zerocopy_in_slices();

	assert_deferred(f, TOTAL, 0);
	f = zerocopy_in_slices();
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].bytes_retrans = MESSAGE;
	assert_deferred(f, TOTAL, MESSAGE);
	f = zerocopy_in_slices();
	f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_DEFERRED_COPY] = (struct nio_cell){0};
	f->run.app.zc.copied = 0;
	assert_deferred(f, 0, 0);
	/* A packet that a message copied after all shares with a pinned one is copied as a whole.
	 */
	f = zerocopy_in_slices();
	f->run.app.zc.fallback_bytes = MESSAGE;
	assert_deferred(f, TOTAL - MESSAGE, MESSAGE);
}

TEST(codes_that_do_not_tell_leave_a_range)
{
	struct fixture *f = zerocopy_in_slices();

	f->run.app.zc.copied = MESSAGES / 2;
	assert_deferred(f, 9 * MESSAGE, TOTAL - 9 * MESSAGE);
	/* Copies were seen of sends that are all reported not copied. */
	f = zerocopy_in_slices();
	f->run.app.zc.copied = 0;
	assert_deferred(f, 9 * MESSAGE, TOTAL - 9 * MESSAGE);
	/* All reported copied, by somebody whose copies do not arrive here. */
	f = zerocopy_in_slices();
	f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_DEFERRED_COPY] = (struct nio_cell){0};
	assert_deferred(f, 0, TOTAL);
	/* One send has not completed. */
	f = zerocopy_in_slices();
	f->run.app.zc.completed--;
	f->run.app.zc.copied--;
	assert_deferred(f, 9 * MESSAGE, TOTAL - 9 * MESSAGE);
	/* It is not known how many bytes were pinned. */
	f = zerocopy_in_slices();
	f->run.app.zc.sends--;
	assert_deferred(f, 9 * MESSAGE, TOTAL - 9 * MESSAGE);
	/* Nor how many were sent. */
	f = zerocopy_in_slices();
	f->now.sockets[NIO_SIDE_SENDER].source = NULL;
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->quality, QUALITY_UNAVAILABLE);
	end(f);
}

/* The application has read of each completion when no socket is charged for a send any more. */
TEST(sockets_tell_that_sends_completed)
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
TEST(ids_of_another_moment_place_bytes_on_the_way)
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

/* Events in slices are a sample of number and sizes; bytes are what they are. */
TEST(looking_a_part_of_the_time_costs_no_byte)
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
	/* A sum is of all rounds' time; a round that looked all of it is no sample. */
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

/* Without sequence numbers such events say nothing of how many bytes there were. */
TEST(a_sample_alone_tells_no_bytes)
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
