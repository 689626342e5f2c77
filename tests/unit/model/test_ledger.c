/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger's arithmetic on snapshots made by hand. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/remote.h"
#include "support/ledger_case.h"
#include "support/near.h"
#include "support/test.h"

/* Counts from before the measured phase are in both snapshots and must cancel out. */
static void warm_up(struct fixture *f)
{
	count(&f->base.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_COPY], 100, 7);
	count(&f->base.cells[NIO_SIDE_RECEIVER][NIO_STAGE_RX_COPY], 100, 7);
	f->base.zc_events.sends = f->base.zc_events.copied = 40;
	f->base.missed = 3;
	f->now = f->base;
}

TEST(onecopy_run_balances)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);
	const struct stage_result *tx = &f->run.stages[NIO_STAGE_TX_COPY];

	warm_up(f);
	count(&f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_COPY], 65536, 23);
	count(&f->now.cells[NIO_SIDE_RECEIVER][NIO_STAGE_RX_COPY], 32768, 46);
	f->run.app.tx_bytes = f->run.app.rx_bytes = 23 * 65536;
	close_books(f);
	assert_true(f->run.balance_known);
	check_balance(f, 0, 0);
	assert_int_equal(tx->events, 23);
	assert_int_equal(tx->bytes, 23 * 65536);
	assert_int_equal(tx->sizes->count, 23);
	assert_int_equal(hist__quantile(tx->sizes, 0.5), 65536);
	assert_real(f->run.copies_per_byte, 2.0);
	assert_num(f->run.health.missed, 0);
	end(f);
}

TEST(completions_before_the_base_are_subtracted)
{
	struct fixture *f = fixture_without_sockets(MODE_ZEROCOPY);

	warm_up(f);
	f->now.zc_events.sends += 10;
	f->now.zc_events.copied += 4;
	f->now.zc_events.notifications += 3;
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	assert_int_equal(f->run.kernel_zc.completed, 10);
	assert_int_equal(f->run.kernel_zc.copied, 4);
	assert_int_equal(f->run.kernel_zc.not_copied, 6);
	assert_int_equal(f->run.notifications.value, 3);
	end(f);
}

/*
 * Refused calls are counts of all calls only if all were watched, by a program that sees returns;
 * EAGAIN within a call of sendfile leaves the calls that got EAGAIN open.
 */
TEST(refused_calls_are_known_if_every_return_was_seen)
{
	static const struct {
		uint64_t attached_ns, inner;
		bool kprobe, hidden, known, eagain;
	} cases[] = {
		{.attached_ns = 1000, .known = true, .eagain = true},
		{.attached_ns = 1000, .inner = 1, .known = true},
		{.attached_ns = 999},
		{.attached_ns = 1000, .kprobe = true},
		{.attached_ns = 1000, .hidden = true},
	};

	for_each_case(c, cases) {
		struct fixture *f = fixture_without_sockets(MODE_ZEROCOPY);
		struct alternative kprobe = *f->plan.chosen[PROBE_SEND_RETURN];
		const struct num *refused = f->run.refused;

		kprobe.backend = BACKEND_KPROBE;
		f->plan.reason[PROBE_SEND_RETURN] = "hidden";
		if (c->kprobe || c->hidden)
			f->plan.chosen[PROBE_SEND_RETURN] = c->kprobe ? &kprobe : NULL;
		f->base.refused[NIO_REFUSAL_ENOBUFS] = 2;
		f->now.refused[NIO_REFUSAL_ENOBUFS] = 9;
		f->now.refused[NIO_REFUSAL_EAGAIN] = 3;
		f->now.inner_eagain = c->inner;
		f->now.phase_ns = 1000;
		f->now.attached_ns = c->attached_ns;
		ledger__book(&f->run, &f->plan, &f->base, &f->now);
		assert_int_equal(refused[NIO_REFUSAL_ENOBUFS].known, c->known);
		assert_int_equal(refused[NIO_REFUSAL_EAGAIN].known, c->eagain);
		if (c->known)
			assert_num(refused[NIO_REFUSAL_ENOBUFS], 7);
		else
			assert_non_null(refused[NIO_REFUSAL_ENOBUFS].reason);
		if (c->eagain)
			assert_num(refused[NIO_REFUSAL_EAGAIN], 3);
		end(f);
	}
}

/* The kernel does not say of each request of io_uring whether it was copied. */
TEST(requests_without_a_report_count_as_missed)
{
	struct fixture *f = fixture_without_sockets(MODE_URINGZC);

	f->now.zc_events.sends = f->now.zc_events.notifications = 10;
	f->now.zc_events.copied = 4;
	f->now.zc_events.unreported = 3;
	f->now.zc_events.misreported = 2;
	f->run.app.zc = (struct zc_counts){.sends = 10, .completed = 10, .copied = 5};
	close_books(f);
	assert_int_equal(f->run.kernel_zc.sends, 10);
	assert_int_equal(f->run.kernel_zc.not_copied, 3);
	assert_int_equal(run_result__completions_missed(&f->run), 3);
	assert_int_equal(run_result__completions(&f->run).completed, 10);
	assert_num(f->run.notifications, 10);
	assert_num(f->run.unreported, 3);
	assert_num(f->run.misreported, 2);
	end(f);
}

/* Packets that kTLS decrypted name no socket; in other modes such packets are other programs'. */
TEST(copies_of_unknown_calls_are_anomalies_of_kTLS_only)
{
	for (int mode = 0; mode <= MODE_KTLS; mode++) {
		struct fixture *f = fixture_without_sockets(mode);

		f->now.loss.no_cell = 1;
		f->now.calls_unknown = 5;
		close_books(f);
		assert_num(f->run.health.anomalies, mode == MODE_KTLS ? 6 : 1);
		end(f);
	}
}

TEST(lost_byte_is_unaccounted)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);

	count(&f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_COPY], 999, 1);
	count(&f->now.cells[NIO_SIDE_RECEIVER][NIO_STAGE_RX_COPY], 1001, 1);
	f->run.app.tx_bytes = f->run.app.rx_bytes = 1000;
	close_books(f);
	check_balance(f, 1, -1);
	end(f);
}

TEST(sides_do_not_mix)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);

	count(&f->now.cells[NIO_SIDE_RECEIVER][NIO_STAGE_TX_COPY], 5, 1);
	count(&f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_RX_COPY], 5, 1);
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	assert_int_equal(f->run.stages[NIO_STAGE_TX_COPY].bytes, 0);
	assert_int_equal(f->run.stages[NIO_STAGE_RX_COPY].bytes, 0);
	end(f);
}

TEST(unfinished_run_has_no_balance)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);

	f->run.app.tx_bytes = f->run.app.rx_bytes = 1000;
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	ledger__close(&f->run, false);
	assert_false(f->run.balance_known);
	end(f);
}

TEST(no_received_byte_gives_unknown_copies_per_byte)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);

	close_books(f);
	assert_no_number(f->run.copies_per_byte);
	end(f);
}

TEST(sum_adds_known_rounds_and_one_unknown_makes_it_unknown)
{
	struct fixture *f = fixture_without_sockets(MODE_ONECOPY);
	struct run_result total;

	count(&f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_COPY], 1000, 10);
	f->run.app.tx_bytes = 10000;
	close_books(f);
	run_result__init(&total);
	ledger__add(&total, &f->run);
	ledger__add(&total, &f->run);
	assert_int_equal(total.stages[NIO_STAGE_TX_COPY].bytes, 20000);
	assert_int_equal(total.stages[NIO_STAGE_TX_COPY].sizes->count, 20);
	assert_int_equal(total.app.tx_bytes, 20000);
	assert_int_equal(total.duration_ns, 2000000000);
	assert_true(total.balance_known);
	/* One round with an unknown stage makes the sum unknown. */
	f->run.stages[NIO_STAGE_TX_COPY].quality = QUALITY_UNAVAILABLE;
	f->run.stages[NIO_STAGE_TX_COPY].reason = "lost";
	f->run.balance_known = false;
	ledger__add(&total, &f->run);
	assert_int_equal(total.stages[NIO_STAGE_TX_COPY].quality, QUALITY_UNAVAILABLE);
	assert_string_equal(total.stages[NIO_STAGE_TX_COPY].reason, "lost");
	assert_false(total.balance_known);
	run_result__clear(&total);
	end(f);
}

static void is_unknown(const struct num *n)
{
	assert_false(n->known);
	assert_string_equal(n->reason, "not watched");
}

/* Each number of the kernel becomes unknown again, though the round was booked before. */
TEST(no_kernel_makes_all_its_numbers_unknown)
{
	struct fixture *f = fixture_without_sockets(MODE_ZEROCOPY);
	struct run_result *r = &f->run;
	const struct num *nums[] = {&r->unclassified,
				    &r->notifications,
				    &r->zc_unseen,
				    &r->path_calls,
				    &r->pinned.completed_bytes,
				    &r->enobufs_optmem,
				    &r->enobufs_memlock,
				    &r->unreported,
				    &r->misreported,
				    &r->refused[NIO_REFUSAL_ENOBUFS],
				    &r->refused[NIO_REFUSAL_OTHER]};

	ledger__book(r, &f->plan, &f->base, &f->now);
	assert_true(r->ledger_known && r->notifications.known && r->path_calls.known);
	run_result__no_kernel(r, "not watched");
	assert_false(r->ledger_known);
	assert_string_equal(r->ledger_reason, "not watched");
	for (size_t i = 0; i < ARRAY_LEN(nums); i++)
		is_unknown(nums[i]);
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		is_unknown(&r->path_ns[p]);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (s == NIO_STAGE_USER_GATHER)
			continue;
		assert_int_equal(r->stages[s].quality, QUALITY_UNAVAILABLE);
		assert_string_equal(r->stages[s].reason, "not watched");
		is_unknown(&r->stages[s].ns);
		is_unknown(&r->stages[s].timed);
	}
	assert_int_equal(r->path_quality, QUALITY_UNAVAILABLE);
	assert_string_equal(r->path_reason, "not watched");
	assert_string_equal(r->pinned.completion.reason, "not watched");
	assert_string_equal(r->pinned.outstanding.reason, "not watched");
	assert_string_equal(r->places_reason, "not watched");
	assert_string_equal(r->copies_per_byte.reason, "not watched");
	assert_string_equal(r->health.coverage.reason, "not watched");
	/* The load generator's own stage stays; there is no balance. */
	assert_int_equal(r->stages[NIO_STAGE_USER_GATHER].quality, QUALITY_EXACT);
	r->app.tx_bytes = r->app.rx_bytes = 1000;
	ledger__close(r, true);
	assert_false(r->balance_known);
	assert_false(r->copies_per_byte.known);
	end(f);
}

/* n messages at a rate take n intervals, not the n - 1 between the first and the last. */
TEST(messages_at_a_rate_last_as_many_intervals)
{
	struct run_result r;

	run_result__init(&r);
	r.duration_ns = 100200000;
	r.app.rx_messages = r.app.tx_messages = 2;
	r.app.rx_bytes = 2 * 65536;
	ledger__due(&r, 0);
	assert_int_equal(r.duration_ns, 100200000);
	ledger__due(&r, 10);
	assert_int_equal(r.duration_ns, 200000000);
	assert_true(fabs(run_result__gbps(&r).value - 10 * 65536 * 8 / 1e9) < 1e-12);
	/* One message at one per second, read at once. */
	r.duration_ns = 290000;
	r.app.rx_messages = 1;
	ledger__due(&r, 1);
	assert_int_equal(r.duration_ns, 1000000000);
	/* A rate that was not reached: the measured time. */
	r.duration_ns = 1000000000;
	r.app.rx_messages = 9;
	ledger__due(&r, 10);
	assert_int_equal(r.duration_ns, 1000000000);
	/* The receiver confirmed nothing: bytes sent count. */
	r.app.rx_reason = "not told";
	r.app.tx_messages = 20;
	ledger__due(&r, 10);
	assert_int_equal(r.duration_ns, 2000000000);
	r.duration_ns = 0;
	ledger__due(&r, 10);
	assert_int_equal(r.duration_ns, 0);
}

/* Each round lacks different numbers: the sum keeps the first reason. */
/* Their quantiles are lower bounds: half a round trip takes at least half of the wait. */
TEST(missed_messages_count_in_the_latencies_from_the_due_time)
{
	struct run_result r;
	struct hist *h[LATENCY_NR];

	run_result__init(&r);
	for (int k = 0; k < LATENCY_NR; k++) {
		h[k] = r.app.latency[k].hist = hist__new_latency();
		for (int i = 0; i < 98; i++)
			hist__record(h[k], 1000);
	}
	hist__reset(h[LATENCY_MISSED]);
	ledger__missed(&r.app);
	assert_int_equal(h[LATENCY_DELIVERY]->count, 98);
	hist__record_many(h[LATENCY_MISSED], 600000000, 2);
	ledger__missed(&r.app);
	for (int k = 0; k < LATENCY_NR; k++) {
		bool due = k == LATENCY_DELIVERY || k == LATENCY_HALF_ROUND_TRIP;

		if (k == LATENCY_MISSED)
			continue;
		assert_int_equal(h[k]->count, due ? 100 : 98);
		assert_true((hist__quantile(h[k], 0.99) > 250000000) == due);
		assert_true(h[k]->max <= (k == LATENCY_DELIVERY ? 600000000 : 300000000));
	}
	run_result__clear(&r);
	/* Latencies that are not known, or have no message, stay so. */
	run_result__init(&r);
	r.app.latency[LATENCY_MISSED].hist = hist__new_latency();
	hist__record(r.app.latency[LATENCY_MISSED].hist, 5);
	ledger__missed(&r.app);
	assert_null(r.app.latency[LATENCY_DELIVERY].hist);
	run_result__clear(&r);
}

TEST(sum_keeps_the_reason_of_the_first_round_that_lacks_a_number)
{
	struct fixture *f = fixture_without_sockets(MODE_ZEROCOPY);
	struct run_result sum, *r = &f->run;

	run_result__init(&sum);
	ledger__book(r, &f->plan, &f->base, &f->now);
	for (int round = 0; round < 3; round++) {
		const char *reason = round == 0 ? "first" : round == 1 ? "second" : NULL;

		for (int k = 0; k < LATENCY_NR; k++) {
			hist__free(r->app.latency[k].hist);
			r->app.latency[k].hist = reason ? NULL : hist__new_latency();
			r->app.latency[k].reason = reason;
		}
		r->app.rx_reason = r->app.tcp_received_reason = reason;
		hist__free(r->pinned.outstanding.hist);
		r->pinned.outstanding.hist = NULL;
		r->pinned.outstanding.reason = round == 0 ? "first" : "second";
		r->stages[NIO_STAGE_TX_PIN].quality = QUALITY_UNAVAILABLE;
		r->stages[NIO_STAGE_TX_PIN].reason = round == 0 ? "first" : "second";
		r->notifications = num__unknown(round == 0 ? "first" : "second");
		r->places_reason = r->not_final = reason;
		ledger__add(&sum, r);
	}
	for (int k = 0; k < LATENCY_NR; k++) {
		assert_null(sum.app.latency[k].hist);
		assert_string_equal(sum.app.latency[k].reason, "first");
	}
	assert_string_equal(sum.app.rx_reason, "first");
	assert_string_equal(sum.app.tcp_received_reason, "first");
	assert_string_equal(sum.pinned.outstanding.reason, "first");
	assert_string_equal(sum.stages[NIO_STAGE_TX_PIN].reason, "first");
	assert_string_equal(sum.notifications.reason, "first");
	assert_string_equal(sum.places_reason, "first");
	assert_string_equal(sum.not_final, "first");
	run_result__clear(&sum);
	end(f);
}

/* With the receiver on another machine only its copies are unknown. */
TEST(only_receive_copies_are_beyond_a_remote_receiver)
{
	struct run_result r = {.sender_side = true};

	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_int_equal(remote__owns_stage(&r, (enum nio_stage)s), s == NIO_STAGE_RX_COPY);
	r.sender_side = false;
	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_false(remote__owns_stage(&r, (enum nio_stage)s));
}
