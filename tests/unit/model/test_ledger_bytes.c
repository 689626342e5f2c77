/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger's bytes by sequence numbers, and what it makes of events that missed some. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>
#include <cmocka.h>

#include "model/ledger.h"
#include "model/verdict.h"

#define MESSAGE  65536ULL
#define MESSAGES 100ULL
#define TOTAL    (MESSAGE * MESSAGES)

static const struct environment local = {.path = "loopback", .device = "lo"};

struct fixture {
	struct plan plan;
	struct snapshot base, now;
	struct run_result run;
};

static void look(struct socket_pass *pass, uint64_t cookie)
{
	const struct nio_socket socket = {
		.cookie = cookie, .state = TCP_ESTABLISHED, .scatter_gather = 1, .zckey = 7};

	sequence__begin(pass, 1);
	sequence__take(pass, &cookie, &socket);
	pass->source = "iter/tcp";
	pass->zckeys = true;
}

/* All was sent, and taken, by sequence numbers and by the application's own count. */
static struct fixture *fixture(enum mode mode)
{
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));
	struct plan_request req = {
		.backend = BACKEND_AUTO, .mode = mode, .size = MESSAGE, .times = TIMES_ON};
	struct fixture *f = calloc(1, sizeof(*f));

	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i].answer = ANSWER_YES;
	assert_int_equal(plan__make(&f->plan, offers, &req), 0);
	free(offers);
	look(&f->base.sockets[NIO_SIDE_SENDER], 1);
	look(&f->base.sockets[NIO_SIDE_RECEIVER], 2);
	memcpy(f->now.sockets, f->base.sockets, sizeof(f->now.sockets));
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].bytes_acked = TOTAL;
	f->now.sockets[NIO_SIDE_RECEIVER].sockets[0].bytes_received = TOTAL;
	run_result__init(&f->run);
	f->run.mode = mode;
	f->run.duration_ns = 1000000000;
	f->run.app.tx_bytes = f->run.app.rx_bytes = TOTAL;
	if (mode == MODE_ZEROCOPY) {
		f->run.app.zc = (struct zc_counts){MESSAGES, MESSAGES, MESSAGES, 0, 0, 0};
		f->now.sockets[NIO_SIDE_SENDER].sockets[0].zckey += MESSAGES;
	}
	return f;
}

static void close_books(struct fixture *f)
{
	assert_int_equal(ledger__book(&f->run, &f->plan, &f->base, &f->now), 0);
	ledger__close(&f->run, true);
}

static void end(struct fixture *f)
{
	run_result__clear(&f->run);
	free(f);
}

static void see(struct fixture *f, enum nio_side side, enum nio_stage stage, uint64_t bytes)
{
	f->now.cells[side][stage].bytes += bytes;
	f->now.cells[side][stage].events += bytes / MESSAGE;
}

static const struct stage_result *stage(const struct fixture *f, enum nio_stage s)
{
	return &f->run.stages[s];
}

static void missed_events_miss_no_byte(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	(void)state;
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

static void all_seen_is_coverage_one(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(f);
	assert_true(f->run.health.coverage.value == 1.0);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->quality, QUALITY_EXACT);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* Events in slices are a sample of number and sizes; bytes are what they are. */
static void looking_a_part_of_the_time_costs_no_byte(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);
	struct run_result sum;

	(void)state;
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
	assert_int_equal(ledger__add(&sum, &f->run), 0);
	f->now.looked_ns = 1000;
	close_books(f);
	assert_true(run_result__events_share(&f->run).value == 1.0);
	assert_false(run_result__sampled_events(&f->run, NIO_STAGE_TX_COPY));
	assert_int_equal(ledger__add(&sum, &f->run), 0);
	assert_true(run_result__events_share(&sum).value == 0.55);
	run_result__clear(&sum);
	end(f);
}

/* Without sequence numbers such events say nothing of how many bytes there were. */
static void a_sample_alone_tells_no_bytes(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	(void)state;
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

/* As many ids as calls that asked for one, no fallback, scatter-gather: all of it was pinned. */
static void ids_place_what_was_missed(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
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

/* Bytes that the application sent without MSG_ZEROCOPY were copied; the ids place the others. */
static void a_fallback_is_placed_by_the_applications_count(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
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

/* Fewer bytes fell back than events saw copied: then neither places what was missed. */
static void what_cannot_be_placed_is_unclassified(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
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

static void without_scatter_gather_nothing_was_pinned(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
	f->base.sockets[NIO_SIDE_SENDER].sockets[0].scatter_gather = 0;
	f->now.sockets[NIO_SIDE_SENDER].sockets[0].scatter_gather = 0;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL - 5 * MESSAGE);
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, 0);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* One event that booked 4 GiB of a call of 64 KiB was 784.9 copies per byte once. */
static void events_that_booked_too_much_are_not_used(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);

	(void)state;
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

static void count_by_arrivals(struct fixture *f)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_DEFERRED_COPY &&
		    plan_alternatives[i].backend == BACKEND_TRACEPOINT)
			f->plan.chosen[PROBE_DEFERRED_COPY] = &plan_alternatives[i];
}

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
static void codes_tell_deferred_copies_of_slices(void **state)
{
	struct fixture *f = zerocopy_in_slices();

	(void)state;
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

static void codes_that_do_not_tell_leave_a_range(void **state)
{
	struct fixture *f = zerocopy_in_slices();

	(void)state;
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
static void sockets_tell_that_sends_completed(void **state)
{
	struct fixture *f = zerocopy_in_slices();

	(void)state;
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
static void ids_of_another_moment_place_bytes_on_the_way(void **state)
{
	struct fixture *f = zerocopy_in_slices();

	(void)state;
	f->run.app.zc.sends -= 3;
	f->now.moving = true;
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->bytes, TOTAL);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

static void misses_leave_deferred_copies_open(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	(void)state;
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

/* A kernel that does not tell of its misses is asked for what else shows them. */
static void untold_misses_show_in_completions(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	(void)state;
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

/* Where other events were missed, those of deferred copies may have been. */
static void untold_misses_show_in_coverage(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	(void)state;
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

/* The hook of the tracepoint backend, whatever the kernel offers besides. */
/* Every send copied, and fewer bytes arrived than were pinned: arrivals were shown to no program.
 */
static void unseen_arrivals_are_a_bound(void **state)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	(void)state;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - 3 * MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	/* The copying function itself was seen: what a completion calls copied may be so in part.
	 */
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	count_by_arrivals(f);
	close_books(f);
	assert_int_equal(deferred->bytes, TOTAL - 3 * MESSAGE);
	assert_int_equal(deferred->open_bytes.value, 3 * MESSAGE);
	assert_non_null(strstr(deferred->reason, "a lower bound"));
	assert_true(f->run.copies_per_byte_at_most.value == 2.0);
	/* One was not copied: then less is what it looks like. */
	f->run.app.zc.copied--;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	end(f);
}

/* Linux 5.10 and 6.1 have no tracepoint of sending: bytes are known, events are not. */
static void bytes_without_events(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	(void)state;
	/* Of a hook that there is not nothing is an event, whatever was seen before. */
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

/* The first two witnesses differ: the third cannot help, and nothing is called exact. */
static void a_byte_the_kernel_does_not_know_shows(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	(void)state;
	f->run.app.tx_bytes++;
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, 1);
	assert_true(run_result__unbalanced(&f->run));
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, QUALITY_DERIVED);
	assert_non_null(strstr(stage(f, NIO_STAGE_TX_COPY)->reason, "lower bound"));
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->quality, QUALITY_EXACT);
	end(f);
}

/* A socket was gone at the end: bytes are those of the events, as before. */
static void without_a_pass_events_are_booked(void **state)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	(void)state;
	memset(&f->now.sockets[NIO_SIDE_SENDER].sockets[0], 0, sizeof(struct nio_socket));
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL - MESSAGE);
	close_books(f);
	assert_false(f->run.sequence.tx_bytes.known);
	assert_non_null(strstr(f->run.sequence.tx_bytes.reason, "gone"));
	assert_true(f->run.sequence.rx_bytes.known);
	assert_int_equal(f->run.unaccounted_tx, MESSAGE);
	end(f);
}

static void sums_are_as_good_as_their_worst_round(void **state)
{
	struct fixture *a = fixture(MODE_ONECOPY), *b = fixture(MODE_ONECOPY);
	struct run_result sum;

	(void)state;
	see(a, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	see(a, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(a);
	close_books(b);
	run_result__init(&sum);
	assert_int_equal(ledger__add(&sum, &a->run), 0);
	assert_int_equal(ledger__add(&sum, &b->run), 0);
	assert_int_equal(sum.sequence.tx_bytes.value, 2 * TOTAL);
	assert_true(sum.health.coverage.value == 0.5);
	ledger__close(&sum, true);
	assert_int_equal(sum.unaccounted_tx, 0);
	b->run.sequence.tx_bytes = (struct num){.reason = "refused"};
	b->run.health.coverage = (struct real){.reason = "refused"};
	assert_int_equal(ledger__add(&sum, &b->run), 0);
	assert_false(sum.sequence.tx_bytes.known);
	assert_false(sum.health.coverage.known);
	run_result__clear(&sum);
	end(a);
	end(b);
}

/* Each message was answered by one of its size. */
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

static void replies_are_copied_both_ways(void **state)
{
	struct fixture *f = answered(MODE_ONECOPY);

	(void)state;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	/* The events missed two of the replies sent, and one of those received: no byte. */
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

/* What zero-copy pins are the messages: the replies to them are copied. */
static void replies_are_not_pinned(void **state)
{
	struct fixture *f = answered(MODE_ZEROCOPY);

	(void)state;
	/* All missed: placed by the ids. */
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->bytes, 2 * TOTAL);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(f->run.unclassified.value, 0);
	end(f);
}

/* A reply that only one side counts is one that is not accounted for. */
static void a_lost_reply_is_noticed(void **state)
{
	struct fixture *f = answered(MODE_ONECOPY);

	(void)state;
	f->run.app.replies.rx_bytes -= MESSAGE;
	f->run.app.replies.tx_bytes.value += MESSAGE;
	close_books(f);
	assert_int_equal(f->run.unaccounted_tx, MESSAGE);
	assert_int_equal(f->run.unaccounted_rx, -(int64_t)MESSAGE);
	end(f);
}

/* Without one side's sockets neither direction is known, rather than half of it. */
static void replies_need_both_sides(void **state)
{
	struct fixture *f = answered(MODE_ONECOPY);

	(void)state;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_RX_COPY, TOTAL);
	f->now.sockets[NIO_SIDE_RECEIVER].sockets[0].cookie = 0;
	close_books(f);
	assert_false(f->run.sequence.tx_bytes.known);
	assert_false(f->run.sequence.rx_bytes.known);
	assert_non_null(f->run.sequence.rx_bytes.reason);
	/* Then the events are what there is. */
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	end(f);
}

/* Of a receiver elsewhere the ledger is of the messages alone. */
static void replies_from_elsewhere(void **state)
{
	struct fixture *f = answered(MODE_ONECOPY);

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_are_copied_both_ways),
		cmocka_unit_test(replies_are_not_pinned),
		cmocka_unit_test(a_lost_reply_is_noticed),
		cmocka_unit_test(replies_need_both_sides),
		cmocka_unit_test(replies_from_elsewhere),
		cmocka_unit_test(missed_events_miss_no_byte),
		cmocka_unit_test(all_seen_is_coverage_one),
		cmocka_unit_test(looking_a_part_of_the_time_costs_no_byte),
		cmocka_unit_test(a_sample_alone_tells_no_bytes),
		cmocka_unit_test(ids_place_what_was_missed),
		cmocka_unit_test(a_fallback_is_placed_by_the_applications_count),
		cmocka_unit_test(codes_tell_deferred_copies_of_slices),
		cmocka_unit_test(codes_that_do_not_tell_leave_a_range),
		cmocka_unit_test(sockets_tell_that_sends_completed),
		cmocka_unit_test(ids_of_another_moment_place_bytes_on_the_way),
		cmocka_unit_test(what_cannot_be_placed_is_unclassified),
		cmocka_unit_test(without_scatter_gather_nothing_was_pinned),
		cmocka_unit_test(events_that_booked_too_much_are_not_used),
		cmocka_unit_test(misses_leave_deferred_copies_open),
		cmocka_unit_test(untold_misses_show_in_completions),
		cmocka_unit_test(untold_misses_show_in_coverage),
		cmocka_unit_test(unseen_arrivals_are_a_bound),
		cmocka_unit_test(bytes_without_events),
		cmocka_unit_test(a_byte_the_kernel_does_not_know_shows),
		cmocka_unit_test(without_a_pass_events_are_booked),
		cmocka_unit_test(sums_are_as_good_as_their_worst_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
