/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger's bytes from sequence numbers, and events that missed some of them. */
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "model/verdict.h"
#include "support/ledger_case.h"
#include "support/near.h"
#include "support/test.h"

static const struct environment local = {.path = "loopback", .device = "lo"};

/* All numbers but `above` are messages: those that events saw, and those booked. */
static const struct {
	const char *what;
	enum mode mode;
	unsigned int saw_copy, saw_pin, saw_rx;
	uint64_t above;        /* bytes that events saw copied in addition */
	unsigned int fallback; /* sent without MSG_ZEROCOPY, by the application */
	bool no_events;
	int refused;      /* calls that took no id */
	int further_call; /* calls with MSG_ZEROCOPY above the ids */
	bool no_sg;       /* the route does no scatter-gather */
	unsigned int copy, pin, unclassified;
	enum quality copy_quality, pin_quality;
	const char *reason; /* of pinned bytes says */
	double coverage;    /* 0: unknown */
} placed[] = {
	{"missed events lose no byte", MODE_ONECOPY, .saw_copy = 97, .saw_rx = 99, .copy = 100,
	 .copy_quality = QUALITY_EXACT, .pin_quality = QUALITY_EXACT, .coverage = 0.98},
	{"all events seen", MODE_ZEROCOPY, .saw_pin = 100, .saw_rx = 100, .pin = 100,
	 .copy_quality = QUALITY_EXACT, .pin_quality = QUALITY_EXACT, .coverage = 1},
	/* As many ids as MSG_ZEROCOPY calls, no fallback, scatter-gather: all bytes were pinned. */
	{"ids show that missed bytes were pinned", MODE_ZEROCOPY, .saw_pin = 95, .saw_rx = 100,
	 .pin = 100, .copy_quality = QUALITY_DERIVED, .pin_quality = QUALITY_DERIVED,
	 .reason = "ids", .coverage = 0.975},
	{"fallbacks were copied, the others pinned", MODE_ZEROCOPY, .saw_copy = 1, .saw_pin = 95,
	 .saw_rx = 100, .fallback = 2, .refused = 2, .copy = 2, .pin = 98,
	 .copy_quality = QUALITY_DERIVED, .pin_quality = QUALITY_DERIVED, .reason = "ids",
	 .coverage = 0.98},
	/* Fewer bytes fell back than events saw copied: neither count tells of the missed bytes. */
	{"counts that contradict", MODE_ZEROCOPY, .saw_copy = 1, .saw_pin = 95, .saw_rx = 100,
	 .copy = 1, .pin = 95, .unclassified = 4, .copy_quality = QUALITY_DERIVED,
	 .pin_quality = QUALITY_DERIVED, .reason = "lower bound", .coverage = 0.98},
	/* io_uring's requests take no ids: the ids say nothing, and the mode all. */
	{"requests pin what events missed", MODE_URINGZC, .saw_copy = 1, .saw_pin = 95,
	 .saw_rx = 100, .fallback = 2, .copy = 2, .pin = 98, .copy_quality = QUALITY_DERIVED,
	 .pin_quality = QUALITY_DERIVED, .reason = "requests", .coverage = 0.98},
	/* Without their messages, calls after ENOMEM are booked as requests. */
	{"requests without messages", MODE_URINGZC, .no_events = true, .saw_pin = 100,
	 .saw_rx = 100, .fallback = 2, .copy = 2, .pin = 98, .copy_quality = QUALITY_DERIVED,
	 .pin_quality = QUALITY_DERIVED, .reason = "requests", .coverage = 1},
	{"no scatter-gather pins nothing", MODE_ZEROCOPY, .saw_copy = 95, .saw_rx = 100,
	 .no_sg = true, .copy = 100, .copy_quality = QUALITY_DERIVED,
	 .pin_quality = QUALITY_DERIVED, .reason = "scatter-gather", .coverage = 0.975},
	/* An event once booked 4 GiB for a call of 64 KiB, which gave 784.9 copies per byte. */
	{"events above the bytes sent", MODE_ZEROCOPY, .saw_pin = 100, .saw_rx = 100,
	 .above = 4294901760, .further_call = 1, .unclassified = 100,
	 .copy_quality = QUALITY_UNAVAILABLE, .pin_quality = QUALITY_UNAVAILABLE,
	 .reason = "more bytes"},
};

TEST(bytes_sent_are_placed_or_unclassified)
{
	for_each_case(c, placed) {
		struct fixture *f = fixture(c->mode);
		const struct stage_result *pin = stage(f, NIO_STAGE_TX_PIN);
		struct zc_counts *zc = &f->run.app.zc;

		print_message("  %s\n", c->what);
		zc->fallback_bytes = c->fallback * MESSAGE;
		zc->sends = zc->completed = zc->copied = zc->sends - (uint64_t)c->refused;
		zc->sends += (uint64_t)c->further_call;
		sums(f, NIO_SIDE_SENDER)->ids -= (uint64_t)c->refused;
		sums(f, NIO_SIDE_SENDER)->no_gather = c->no_sg;
		see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, c->saw_copy * MESSAGE + c->above);
		see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, c->saw_pin * MESSAGE);
		see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, c->saw_rx * MESSAGE);
		close_books(f);
		check_balance(f, 0, 0);
		assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality, c->copy_quality);
		assert_int_equal(pin->quality, c->pin_quality);
		if (c->copy_quality != QUALITY_UNAVAILABLE) {
			assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, c->copy * MESSAGE);
			assert_int_equal(pin->bytes, c->pin * MESSAGE);
			assert_int_equal(pin->open_bytes.value, c->unclassified * MESSAGE);
		}
		if (c->reason)
			assert_non_null(strstr(pin->reason, c->reason));
		else
			assert_null(pin->reason);
		assert_true(!pin->no_events == !c->no_events);
		assert_num(f->run.unclassified, c->unclassified * MESSAGE);
		assert_true(f->run.health.coverage.known == (c->coverage > 0));
		assert_true(f->run.health.coverage.value == c->coverage);
		/* Each byte received was copied once. */
		NEAR(f->run.copies_per_byte.value, 1 + c->copy / 100., 1e-9);
		NEAR(f->run.copies_per_byte_at_most.value, 1 + (c->copy + c->unclassified) / 100.,
		     1e-9);
		if (c->mode == MODE_ZEROCOPY)
			assert_int_equal(f->run.kernel_zc.sends, 100 - c->refused);
		end(f);
	}
}

/* Before Linux 6.5 do_tcp_sendpages exists, and only modes that splice call it. */
TEST(function_of_pages_shows_no_send_call_of_a_mode_that_copies)
{
	struct fixture *f = fixture(MODE_TWOCOPY);

	assert_non_null(f->plan.chosen[PROBE_SENDPAGE]);
	f->plan.chosen[PROBE_SEND_RETURN] = NULL;
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	close_books(f);
	assert_non_null(stage(f, NIO_STAGE_TX_COPY)->no_events);
	assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, TOTAL);
	assert_real(f->run.health.coverage, 1.0);
	end(f);
}

/* All bytes of sendfile are spliced; without scatter-gather the kernel copies them. */
TEST(bytes_of_sendfile_are_placed_by_the_route)
{
	static const struct {
		bool no_sg;
		unsigned int splice, copy;
	} cases[] = {{false, 100, 0}, {true, 0, 100}};

	for_each_case(c, cases) {
		struct fixture *f = fixture(MODE_SENDFILE);

		sums(f, NIO_SIDE_SENDER)->no_gather = c->no_sg;
		see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_SPLICE, c->no_sg ? 0 : 90 * MESSAGE);
		see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, c->no_sg ? 90 * MESSAGE : 0);
		see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, 100 * MESSAGE);
		close_books(f);
		check_balance(f, 0, 0);
		assert_int_equal(stage(f, NIO_STAGE_TX_SPLICE)->bytes, c->splice * MESSAGE);
		assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->bytes, c->copy * MESSAGE);
		assert_int_equal(stage(f, NIO_STAGE_TX_PIN)->bytes, 0);
		assert_num(f->run.unclassified, 0);
		NEAR(f->run.copies_per_byte.value, 1 + c->copy / 100., 1e-9);
		end(f);
	}
}

#define RECORDS (4 * MESSAGES)

/* Four records a message; overhead: of all records, by the bytes that TCP counts. */
static struct fixture *fixture_of_tls(uint64_t overhead)
{
	struct fixture *f = fixture(MODE_KTLS);

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct nio_sums *of = sums(f, side);

		of->recordless[side] = 0;
		of->records[side] = RECORDS;
		of->overhead[side] = 22 * RECORDS;
		*(side ? &of->taken : &of->queued) += overhead;
	}
	return f;
}

/* The cipher copies at both ends, and the receive call once more. */
TEST(plaintext_of_kTLS_is_copied_three_times)
{
	struct fixture *f = fixture_of_tls(22 * RECORDS);

	close_books(f);
	assert_true(f->run.balance_known);
	check_balance(f, 0, 0);
	check_stage(f, NIO_STAGE_TLS_COPY, 2 * TOTAL, QUALITY_EXACT);
	assert_int_equal(stage(f, NIO_STAGE_TLS_COPY)->events, 2 * RECORDS);
	check_stage(f, NIO_STAGE_TX_COPY, 0, QUALITY_DERIVED);
	check_stage(f, NIO_STAGE_TX_PIN, 0, QUALITY_EXACT);
	check_stage(f, NIO_STAGE_TX_SPLICE, 0, QUALITY_EXACT);
	check_stage(f, NIO_STAGE_RX_COPY, TOTAL, QUALITY_DERIVED);
	assert_int_equal(stage(f, NIO_STAGE_DEFERRED_COPY)->bytes, 0);
	NEAR(f->run.copies_per_byte.value, 3, 1e-9);
	NEAR(f->run.copies_per_byte_at_most.value, 3, 1e-9);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		assert_num(f->run.sequence.tls[side].bytes, TOTAL);
		assert_num(f->run.sequence.tls[side].records, RECORDS);
		assert_num(f->run.sequence.tls[side].overhead, 22 * RECORDS);
	}
	assert_false(f->run.health.coverage.known);
	end(f);
}

/* Of what kTLS may decrypt into the receiver's memory, events show what it copied instead. */
TEST(directly_decrypted_bytes_are_not_copied_again)
{
	static const struct {
		bool attached;
		uint64_t missed, copied;
		enum quality quality;
		double per_byte, at_most;
	} cases[] = {{true, 0, 3 * MESSAGE, QUALITY_DERIVED, 2.03, 2.03},
		     {true, 0, 0, QUALITY_DERIVED, 2, 2},
		     {true, 1, 3 * MESSAGE, QUALITY_DERIVED, 2.03, 3},
		     {false, 0, 0, QUALITY_UNAVAILABLE, 2, 2}};

	for_each_case(c, cases) {
		struct fixture *f = fixture_of_tls(29 * RECORDS);
		static const struct alternative event = {
			.hook = "", .programs = "", .quality = QUALITY_EXACT};

		for (int side = 0; side < NIO_SIDE_NR; side++)
			sums(f, side)->overhead[side] = 29 * RECORDS;
		sums(f, NIO_SIDE_RECEIVER)->direct = 1;
		f->plan.chosen[PROBE_RX_COPY] = c->attached ? &event : NULL;
		f->now.missed_of[PROBE_RX_COPY] = c->missed;
		see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, c->copied);
		close_books(f);
		check_balance(f, 0, 0);
		check_stage(f, NIO_STAGE_TLS_COPY, 2 * TOTAL, QUALITY_EXACT);
		assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->quality, c->quality);
		if (c->attached)
			check_stage(f, NIO_STAGE_RX_COPY, c->copied, c->quality);
		NEAR(f->run.copies_per_byte.value, c->per_byte, 1e-9);
		NEAR(f->run.copies_per_byte_at_most.value, c->at_most, 1e-9);
		end(f);
	}
}

TEST(byte_lost_by_kTLS_is_unaccounted)
{
	struct fixture *f = fixture_of_tls(22 * RECORDS - 1);

	close_books(f);
	check_balance(f, 1, 1);
	end(f);
}

/* Without the numbers of its records, bytes of kTLS are unknown, not those of the ciphertext. */
TEST(kTLS_without_record_numbers_has_no_balance)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct fixture *f = fixture_of_tls(22 * RECORDS);

		sums(f, side)->recordless[side] = 1;
		close_books(f);
		assert_false(f->run.balance_known);
		assert_int_equal(stage(f, NIO_STAGE_TLS_COPY)->quality, QUALITY_UNAVAILABLE);
		assert_non_null(strstr(stage(f, NIO_STAGE_TLS_COPY)->reason, "record numbers"));
		assert_false(f->run.sequence.tls[side].records.known);
		assert_true(f->run.sequence.tls[!side].records.known);
		assert_int_equal(stage(f, NIO_STAGE_TX_COPY)->quality,
				 side ? QUALITY_DERIVED : QUALITY_UNAVAILABLE);
		assert_int_equal(stage(f, NIO_STAGE_RX_COPY)->quality,
				 side ? QUALITY_UNAVAILABLE : QUALITY_DERIVED);
		end(f);
	}
}

/* A part of a record is under way: an error of the moment, but not at the end. */
TEST(kTLS_record_under_way_is_refused_at_rest_only)
{
	struct fixture *f = fixture_of_tls(22 * RECORDS);

	sums(f, NIO_SIDE_SENDER)->partial = 1;
	f->now.moving = true;
	close_books(f);
	check_stage(f, NIO_STAGE_TLS_COPY, 2 * TOTAL, QUALITY_EXACT);
	f->now.moving = false;
	close_books(f);
	assert_int_equal(stage(f, NIO_STAGE_TLS_COPY)->quality, QUALITY_UNAVAILABLE);
	end(f);
}

/* A receiver on its own machine learns from its sockets that kTLS decrypts, not from a mode. */
TEST(half_of_kTLS_counts_what_it_decrypts)
{
	struct fixture *f = fixture_of_tls(22 * RECORDS);

	f->plan = plan_of_mode(MODE_ONECOPY);
	f->run.mode = MODE_ONECOPY;
	f->now.sockets_nr[NIO_SIDE_SENDER] = 0;
	*sums(f, NIO_SIDE_SENDER) = (struct nio_sums){0};
	close_books(f);
	assert_num(f->run.sequence.rx_bytes, TOTAL);
	check_stage(f, NIO_STAGE_TLS_COPY, TOTAL, QUALITY_EXACT);
	check_stage(f, NIO_STAGE_RX_COPY, TOTAL, QUALITY_DERIVED);
	assert_num(f->run.sequence.tls[NIO_SIDE_SENDER].records, 0);
	assert_num(f->run.sequence.tls[NIO_SIDE_RECEIVER].records, RECORDS);
	end(f);
}

TEST(modes_without_kTLS_encrypt_nothing)
{
	struct fixture *f = fixture(MODE_ONECOPY);

	close_books(f);
	check_stage(f, NIO_STAGE_TLS_COPY, 0, QUALITY_EXACT);
	assert_num(f->run.sequence.tls[NIO_SIDE_SENDER].overhead, 0);
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
	sums(f, NIO_SIDE_SENDER)->retrans = 100;
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

	f->now.unknown_of[PROBE_DEFERRED_COPY] = true;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL);
	f->now.zc_events.sends = f->now.zc_events.copied = MESSAGES;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 0);
	f->now.zc_events.sends = f->now.zc_events.copied = MESSAGES - 3;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, MESSAGE);
	verdict__give(&f->run, &local);
	assert_non_null(strstr(f->run.verdict.text, "between 97 and 100 of 100 sends were copied"));
	assert_true(f->run.verdict.copied_fraction.value == 1.0);
	end(f);
}

/* If other events were missed, deferred copies may also have been missed. */
TEST(low_coverage_leaves_deferred_copies_open)
{
	struct fixture *f = fixture(MODE_ZEROCOPY);
	const struct stage_result *deferred = stage(f, NIO_STAGE_DEFERRED_COPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY, TOTAL - MESSAGE);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL - MESSAGE);
	f->now.zc_events.sends = f->now.zc_events.copied = MESSAGES;
	close_books(f);
	assert_real(f->run.health.coverage, 0.995);
	assert_int_equal(deferred->open_bytes.value, 0);
	f->now.unknown_of[PROBE_DEFERRED_COPY] = true;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, MESSAGE);
	end(f);
}

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
	/* One send was not copied: the others may have been copied before they arrived. */
	f->run.app.zc.copied--;
	close_books(f);
	assert_int_equal(deferred->open_bytes.value, 3 * MESSAGE);
	f->run.app.zc.copied = 0;
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
	check_stage(f, NIO_STAGE_TX_COPY, TOTAL, QUALITY_EXACT);
	assert_non_null(stage(f, NIO_STAGE_TX_COPY)->no_events);
	assert_non_null(stage(f, NIO_STAGE_RX_COPY)->no_events);
	assert_no_number(f->run.health.coverage);
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

	sums(f, NIO_SIDE_SENDER)->sockets = 0;
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
	b->run.sequence.tx_bytes = num__unknown("refused");
	b->run.health.coverage = real__unknown("refused");
	ledger__add(&sum, &b->run);
	assert_false(sum.sequence.tx_bytes.known);
	assert_false(sum.health.coverage.known);
	run_result__clear(&sum);
	end(a);
	end(b);
}

/* What one round leaves open is a send or an arrival; in the sum both are open. */
TEST(sum_of_rounds_that_leave_other_bytes_open_is_bounded_by_both)
{
	struct fixture *a = fixture(MODE_ONECOPY), *b = fixture(MODE_ONECOPY);
	struct run_result sum;
	double apart;

	close_books(a);
	close_books(b);
	a->run.unclassified = num__known(1000);
	b->run.unclassified = num__known(0);
	b->run.stages[NIO_STAGE_DEFERRED_COPY].open_bytes = num__known(500);
	ledger__close(&a->run, true);
	ledger__close(&b->run, true);
	apart = a->run.copies_per_byte_at_most.value + b->run.copies_per_byte_at_most.value;
	run_result__init(&sum);
	ledger__add(&sum, &a->run);
	ledger__add(&sum, &b->run);
	ledger__close(&sum, true);
	NEAR(sum.copies_per_byte_at_most.value, apart / 2, 1e-9);
	assert_true(sum.copies_per_byte_at_most.value > sum.copies_per_byte.value);
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
	sums(f, NIO_SIDE_RECEIVER)->queued = TOTAL;
	sums(f, NIO_SIDE_SENDER)->taken = TOTAL;
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
	check_balance(f, 0, 0);
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
	check_balance(f, 0, 0);
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
	check_balance(f, MESSAGE, -(int64_t)MESSAGE);
	end(f);
}

/* Without the sockets of one side neither direction is known. */
TEST(replies_without_the_sockets_of_one_side_use_events)
{
	struct fixture *f = answered(MODE_ONECOPY);

	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_TX_COPY, TOTAL);
	see(f, NIO_SIDE_SENDER, NIO_STAGE_RX_COPY, TOTAL);
	sums(f, NIO_SIDE_RECEIVER)->sockets = 0;
	close_books(f);
	assert_false(f->run.sequence.tx_bytes.known);
	assert_no_number(f->run.sequence.rx_bytes);
	/* Then bytes come from the events. */
	check_balance(f, 0, 0);
	end(f);
}

/* With the receiver on another machine the ledger has the messages only. */
TEST(replies_of_a_remote_receiver_are_left_out)
{
	struct fixture *f = answered(MODE_ONECOPY);

	f->run.sender_side = true;
	f->now.sockets_nr[NIO_SIDE_RECEIVER] = 0;
	f->run.app.replies.tx_bytes = num__unknown("elsewhere");
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
	f->now.attached_ns = 100;
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
		sums(f, NIO_SIDE_SENDER)->retrans = c->retrans;
		if (c->unseen)
			f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_DEFERRED_COPY] =
				(struct nio_cell){0};
		close_books(f);
		assert_int_equal(deferred->quality, QUALITY_DERIVED);
		assert_int_equal(deferred->bytes, c->bytes);
		assert_int_equal(deferred->open_bytes.value, c->open);
		assert_non_null(deferred->reason);
		/* Without sequence numbers the number of bytes sent is unknown. */
		sums(f, NIO_SIDE_SENDER)->sockets = 0;
		close_books(f);
		assert_int_equal(deferred->quality, QUALITY_UNAVAILABLE);
		end(f);
	}
}

/* All sends have completed when no socket is charged for one any more (sk_omem_alloc). */
TEST(uncharged_sockets_show_that_all_sends_completed)
{
	struct fixture *f = zerocopy_in_slices();

	close_books(f);
	assert_int_equal(f->run.zc_completed.value, MESSAGES);
	assert_false(f->run.zc_unseen.known);
	assert_false(f->run.unreported.known || f->run.misreported.known);
	sums(f, NIO_SIDE_SENDER)->charged = 1;
	close_books(f);
	assert_no_number(f->run.zc_completed);
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
	f->now.attached_ns = 100;
	see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL / 10);
	see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL / 10);
	close_books(f);
	assert_true(f->run.balance_known);
	check_balance(f, 0, 0);
	check_stage(f, NIO_STAGE_TX_COPY, TOTAL, QUALITY_EXACT);
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
	f->now.attached_ns = 1000;
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
	static const enum nio_stage copies[] = {NIO_STAGE_TX_COPY, NIO_STAGE_RX_COPY};

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct fixture *f = fixture(MODE_ONECOPY);

		f->now.phase_ns = 1000;
		f->now.attached_ns = 100;
		sums(f, side)->closed = 1;
		see(f, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY, TOTAL / 10);
		see(f, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY, TOTAL / 10);
		close_books(f);
		assert_false(f->run.balance_known);
		assert_false(run_result__unbalanced(&f->run));
		assert_int_equal(stage(f, copies[side])->quality, QUALITY_UNAVAILABLE);
		assert_int_equal(stage(f, copies[!side])->quality, QUALITY_EXACT);
		end(f);
	}
}
