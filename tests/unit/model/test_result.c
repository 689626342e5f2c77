/* SPDX-License-Identifier: GPL-2.0-only */
/* An empty result claims nothing; throughput, and names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/result.h"
#include "support/near.h"
#include "support/test.h"
#include "write/json.h"

/* Whatever the memory held. test_json.c checks unknown numbers and their reasons. */
TEST(init_overwrites_any_memory)
{
	struct run_result run, zeroed = {0};
	json_t *a, *b;

	memset(&run, 0xa5, sizeof(run));
	run_result__init(&run);
	run_result__init(&zeroed);
	a = json_document__run(&run);
	b = json_document__run(&zeroed);
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_true(!run.stages[s].open_bytes.known && run.stages[s].open_bytes.reason);
	assert_no_number(run_result__gbps(&run));
}

TEST(what_was_not_watched_has_the_reason)
{
	struct run_result run;

	run_result__init(&run);
	assert_unknown(run.app.replies.tx_messages, "not measured");
	run_result__no_kernel(&run, "no privileges");
	run_result__no_windows(&run, "no counters");
	assert_unknown(run.sequence.tx_retrans, "no privileges");
	assert_unknown(run.sequence.tls[NIO_SIDE_RECEIVER].records, "no privileges");
	assert_unknown(run.perf_window[NIO_PERF_WINDOW_NR - 1].llc_misses, "no counters");
}

TEST(throughput_is_of_received_bytes)
{
	struct run_result run;

	run_result__init(&run);
	run.duration_ns = 2000000000;
	run.app.tx_bytes = 9999;
	run.app.rx_bytes = 5000000000;
	assert_true(run_result__gbps(&run).known);
	assert_true(fabs(run_result__gbps(&run).value - 20) < 1e-9);
	run.app.rx_bytes = 0;
	assert_true(run_result__gbps(&run).known && run_result__gbps(&run).value == 0);
}

TEST(round_in_which_a_process_was_stopped_has_no_throughput)
{
	struct run_result run;

	run_result__init(&run);
	run.duration_ns = 2000000000;
	run.app.rx_bytes = 5000000000;
	run.health.paused_ns = 1;
	assert_no_number(run_result__gbps(&run));
}

/* The leak sanitizer finds what is not freed. */
TEST(clear_frees_all_that_a_result_owns)
{
	struct profile_stack stack = {.frames = (char[]){"a;b"}, .count = 1};
	struct run_result r;

	run_result__init(&r);
	for (int i = 0; i < LATENCY_NR; i++)
		r.app.latency[i].hist = hist__new_latency();
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		r.stages[s].sizes = hist__new(3, 64);
		r.stages[s].times = hist__new_latency();
	}
	r.pinned.completion.hist = hist__new_latency();
	r.pinned.outstanding.hist = hist__new_latency();
	cpu_time__add_stack(&r.cpu, &stack, false);
	run_result__clear(&r);
	for (int i = 0; i < LATENCY_NR; i++)
		assert_null(r.app.latency[i].hist);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_true(!r.stages[s].sizes && !r.stages[s].times);
	assert_true(!r.pinned.completion.hist && !r.pinned.outstanding.hist);
	assert_int_equal(r.cpu.profile.nr, 0);
	/* Clearing twice is harmless. */
	run_result__clear(&r);
}

static struct run_result with_replies(bool sender_side)
{
	struct run_result r;

	run_result__init(&r);
	r.app.tx_bytes = 1000;
	r.app.rx_bytes = 900;
	r.app.replies.tx_bytes = num__known(70);
	r.app.replies.rx_bytes = 60;
	r.sender_side = sender_side;
	return r;
}

/* The receiver sends the replies and the sender receives them; a remote receiver is not watched. */
TEST(replies_count_for_the_watched_machine_only)
{
	struct run_result both = with_replies(false), one = with_replies(true);

	assert_int_equal(run_result__sent(&both), 1070);
	assert_int_equal(run_result__received(&both), 960);
	assert_int_equal(run_result__payload(&both), 960);
	assert_int_equal(run_result__sent(&one), 1000);
	assert_int_equal(run_result__received(&one), 900);
	assert_int_equal(run_result__payload(&one), 1000);
}

TEST(delivered_bytes_are_acknowledged_bytes_without_a_report)
{
	struct run_result r = with_replies(false);

	r.app.tcp_bytes_acked = 850;
	assert_int_equal(run_result__delivered(&r), 900);
	r.app.rx_reason = "not told";
	assert_int_equal(run_result__delivered(&r), 850);
	r.duration_ns = 100;
	assert_true(fabs(run_result__gbps(&r).value - 68) < 1e-9);
}

TEST(completions_above_those_of_the_kernel_are_missed)
{
	static const struct {
		bool known;
		uint64_t kernel;
		const char *not_final; /* counts of different moments are not compared */
		uint64_t missed;
	} cases[] = {
		{true, 7, NULL, 3},          {true, 10, NULL, 0}, {true, 12, NULL, 0},
		{true, 7, "interrupted", 0}, {false, 0, NULL, 0},
	};

	for_each_case(c, cases) {
		struct run_result r = {.kernel_zc_known = c->known, .not_final = c->not_final};

		r.app.zc.completed = 10;
		r.kernel_zc.completed = c->kernel;
		assert_int_equal(run_result__completions_missed(&r), c->missed);
		assert_int_equal(run_result__completions(&r).completed, c->kernel + c->missed);
	}
}

/* Deferred copies and completions are sampled with zero-copy only; a remote side has no events. */
TEST(events_below_the_full_time_are_a_sample)
{
	static const struct {
		enum mode mode;
		bool remote;
		uint64_t looked, phase;
		double share;
		bool tx, rx, zerocopy;
	} cases[] = {
		{MODE_TWOCOPY, false, 100, 400, 0.25, true, true, false},
		{MODE_ZEROCOPY, false, 100, 400, 0.25, true, true, true},
		{MODE_ZEROCOPY, true, 100, 400, 0.25, true, false, true},
		{MODE_ONECOPY, true, 100, 400, 0.25, true, false, false},
		{MODE_ZEROCOPY, false, 400, 400, 1, false, false, false},
		{MODE_ZEROCOPY, false, 401, 400, 1, false, false, false},
		{MODE_ZEROCOPY, false, 0, 0, 1, false, false, false},
	};
	struct run_result r;

	run_result__init(&r);
	assert_no_number(run_result__events_share(&r));
	r.ledger_known = r.kernel_zc_known = true;
	for_each_case(c, cases) {
		r.mode = c->mode;
		r.sender_side = c->remote;
		r.health.attached_ns = c->looked;
		r.health.phase_ns = c->phase;
		r.app.zc.completed = 10;
		assert_real(run_result__events_share(&r), c->share);
		assert_int_equal(run_result__sampled_events(&r, NIO_STAGE_TX_COPY), c->tx);
		assert_int_equal(run_result__sampled_events(&r, NIO_STAGE_TX_PIN), c->tx);
		assert_int_equal(run_result__sampled_events(&r, NIO_STAGE_RX_COPY), c->rx);
		assert_int_equal(run_result__sampled_events(&r, NIO_STAGE_DEFERRED_COPY),
				 c->zerocopy);
		assert_false(run_result__sampled_events(&r, NIO_STAGE_OTHER_COPY));
		assert_int_equal(run_result__sampled_completions(&r), c->zerocopy);
		/* Sampled completions are not missed. */
		assert_int_equal(run_result__completions_missed(&r), c->zerocopy ? 0 : 10);
	}
}

TEST(only_final_counts_can_be_unbalanced)
{
	struct run_result r = {.unaccounted_tx = 1};

	assert_false(run_result__unbalanced(&r));
	r.balance_known = true;
	assert_true(run_result__unbalanced(&r));
	r.unaccounted_tx = 0;
	assert_false(run_result__unbalanced(&r));
	r.unaccounted_rx = -1;
	assert_true(run_result__unbalanced(&r));
}
