/* SPDX-License-Identifier: GPL-2.0-only */
/* What an empty result claims: nothing; throughput, and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/result.h"

static void check_unknown(const struct num *nums, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_false(nums[i].known);
		assert_non_null(nums[i].reason);
	}
}

static void empty_run_claims_nothing(void **state)
{
	struct run_result run;
	int i;

	(void)state;
	memset(&run, 0xa5, sizeof(run));
	run_result__init(&run);
	assert_false(run.ledger_known || run.balance_known || run.kernel_zc_known);
	assert_non_null(run.ledger_reason);
	for (i = 0; i < NIO_STAGE_NR; i++) {
		assert_int_equal(run.stages[i].quality, QUALITY_UNAVAILABLE);
		assert_non_null(run.stages[i].reason);
		assert_null(run.stages[i].sizes);
		check_unknown(&run.stages[i].ns, 1);
	}
	for (i = 0; i < LATENCY_NR; i++) {
		assert_null(run.app.latency[i].hist);
		assert_non_null(run.app.latency[i].reason);
	}
	check_unknown(run.path_ns, PATH_NR);
	check_unknown(run.perf[NIO_SIDE_SENDER], PERF_NR);
	check_unknown(run.perf[NIO_SIDE_RECEIVER], PERF_NR);
	check_unknown(&run.health.missed, 1);
	check_unknown(&run.health.dropped, 1);
	check_unknown(&run.health.map_full, 1);
	check_unknown(&run.health.unmatched, 1);
	check_unknown(&run.notifications, 1);
	check_unknown(&run.app.sender_cpu_ns, 1);
	check_unknown(&run.app.receiver_cpu_ns, 1);
	assert_false(run.copies_per_byte.known || run.verdict.copied_fraction.known);
	assert_false(run_result__gbps(&run).known);
	assert_non_null(run_result__gbps(&run).reason);
	assert_string_equal(run.verdict.text, "");
}

static void clearing_twice_is_harmless(void **state)
{
	struct run_result run;

	(void)state;
	run_result__init(&run);
	run.app.latency[LATENCY_DELIVERY].hist = hist__new_latency();
	run.stages[NIO_STAGE_TX_COPY].sizes = hist__new(3, 64);
	run_result__clear(&run);
	assert_null(run.app.latency[LATENCY_DELIVERY].hist);
	assert_null(run.stages[NIO_STAGE_TX_COPY].sizes);
	run_result__clear(&run);
}

static void throughput_is_of_what_arrived(void **state)
{
	struct run_result run;

	(void)state;
	run_result__init(&run);
	run.duration_ns = 2000000000;
	run.app.tx_bytes = 9999;
	run.app.rx_bytes = 5000000000;
	assert_true(run_result__gbps(&run).known);
	assert_true(fabs(run_result__gbps(&run).value - 20) < 1e-9);
	run.app.rx_bytes = 0;
	assert_true(run_result__gbps(&run).known && run_result__gbps(&run).value == 0);
}

static void modes_are_read_back(void **state)
{
	enum mode mode = MODE_NR;
	int i;

	(void)state;
	for (i = 0; i < MODE_NR; i++) {
		assert_int_equal(mode__parse(mode__name((enum mode)i), &mode), 0);
		assert_int_equal(mode, i);
	}
	assert_int_equal(mode__parse("all", &mode), -EINVAL);
	assert_int_equal(mode__parse("", &mode), -EINVAL);
	assert_int_equal(mode__parse("twocopyx", &mode), -EINVAL);
	assert_int_equal(mode, MODE_NR - 1);
}

static void names_stay_in_their_tables(void **state)
{
	(void)state;
	assert_string_equal(stage__key(NIO_STAGE_TX_PIN), "tx_pin");
	assert_string_equal(stage__heading(NIO_STAGE_TX_PIN), "pin");
	assert_true(stage__is_copy(NIO_STAGE_DEFERRED_COPY));
	assert_false(stage__is_copy(NIO_STAGE_TX_PIN) || stage__is_copy(NIO_STAGE_TX_SPLICE));
	assert_false(stage__is_copy(NIO_STAGE_NR));
	assert_string_equal(stage__key(NIO_STAGE_NR), "?");
	assert_string_equal(mode__name((enum mode) - 1), "?");
	assert_string_equal(quality__name(QUALITY_SAMPLED), "sampled");
	assert_string_equal(latency__key(LATENCY_COMPLETION), "completion");
	assert_string_equal(path_part__key(PATH_INLINE_RECEIVE), "inline_receive");
	assert_string_equal(perf_counter__key(PERF_TASK_CLOCK_NS), "task_clock_ns");
	assert_string_equal(zc_cause__key(ZC_CAUSE_LOCAL), "local_delivery");
}

/* A number nobody measured is never 0, and has a reason. */
static void what_is_unknown_says_why(void **state)
{
	struct run_result r;

	(void)state;
	run_result__init(&r);
	const struct num *const numbers[] = {
		&r.app.verify_errors,
		&r.app.replies.tx_bytes,
		&r.app.replies.tx_messages,
		&r.app.sender_cpu_ns,
		&r.app.receiver_cpu_ns,
		&r.notifications,
		&r.zc_filled,
		&r.zc_repeated,
		&r.zc_unseen,
		&r.enobufs_optmem,
		&r.enobufs_memlock,
		&r.sequence.tx_bytes,
		&r.sequence.rx_bytes,
		&r.sequence.tx_retrans,
		&r.sequence.tx_ids,
		&r.unclassified,
		&r.path_calls,
		&r.path_ns[0],
		&r.path_ns[PATH_NR - 1],
		&r.pinned.completed_bytes,
		&r.health.missed,
		&r.health.dropped,
		&r.health.map_full,
		&r.health.unmatched,
		&r.health.anomalies,
		&r.perf[0][0],
		&r.perf[1][PERF_NR - 1],
		&r.stages[0].ns,
		&r.stages[NIO_STAGE_NR - 1].timed,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i]->known || !numbers[i]->reason || !*numbers[i]->reason)
			fail_msg("number %zu has no reason", i);
	for (int i = 0; i < LATENCY_NR; i++)
		assert_non_null(r.app.latency[i].reason);
	check_unknown(&r.times.missed, 1);
	check_unknown(&r.times.map_full, 1);
	check_unknown(&r.times.unmatched, 1);
	assert_non_null(r.path_reason);
	assert_non_null(r.places_reason);
	assert_non_null(r.pinned.completion.reason);
	assert_non_null(r.pinned.outstanding.reason);
	assert_string_not_equal(r.cpu.reason, "");
	assert_int_equal(r.verdict.cause, ZC_CAUSE_NONE);
	assert_non_null(r.copies_per_byte.reason);
	assert_non_null(r.copies_per_byte_at_most.reason);
	assert_non_null(r.health.coverage.reason);
	assert_non_null(r.verdict.copied_fraction.reason);
	run_result__clear(&r);
}

/* Of each stage, counter and window, not just of one. */
static void every_row_of_what_is_unknown_says_why(void **state)
{
	struct run_result r;

	(void)state;
	memset(&r, 0xa5, sizeof(r));
	run_result__init(&r);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		check_unknown(&r.stages[s].ns, 1);
		check_unknown(&r.stages[s].timed, 1);
		check_unknown(&r.stages[s].timed_bytes, 1);
		check_unknown(&r.stages[s].open_bytes, 1);
	}
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		check_unknown(r.perf[side], PERF_NR);
		for (int c = 0; c < PERF_NR; c++) {
			check_unknown(&r.perf_detail[side][c].user, 1);
			check_unknown(&r.perf_detail[side][c].kernel, 1);
			assert_false(r.perf_detail[side][c].running.known);
			assert_non_null(r.perf_detail[side][c].running.reason);
		}
	}
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		const struct perf_window *w = &r.perf_window[i];

		assert_int_equal(w->quality, QUALITY_UNAVAILABLE);
		assert_non_null(w->reason);
		check_unknown(&w->windows, 1);
		check_unknown(&w->samples, 1);
		check_unknown(&w->discarded, 1);
		check_unknown(&w->bytes, 1);
		check_unknown(&w->cycles, 1);
		check_unknown(&w->llc_misses, 1);
	}
	run_result__clear(&r);
}

/* What was not freed is a leak, which the sanitizer sees. */
static void all_that_a_result_owns_is_freed(void **state)
{
	struct profile_stack stack = {.frames = (char[]){"a;b"}, .count = 1};
	struct run_result r;

	(void)state;
	run_result__init(&r);
	for (int i = 0; i < LATENCY_NR; i++)
		r.app.latency[i].hist = hist__new_latency();
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		r.stages[s].sizes = hist__new(3, 64);
		r.stages[s].times = hist__new_latency();
	}
	r.pinned.completion.hist = hist__new_latency();
	r.pinned.outstanding.hist = hist__new_latency();
	assert_int_equal(cpu_time__take(&r.cpu, &stack, false), 0);
	run_result__clear(&r);
	for (int i = 0; i < LATENCY_NR; i++)
		assert_null(r.app.latency[i].hist);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_true(!r.stages[s].sizes && !r.stages[s].times);
	assert_true(!r.pinned.completion.hist && !r.pinned.outstanding.hist);
	assert_int_equal(r.cpu.profile.nr, 0);
}

static struct run_result with_replies(bool sender_side)
{
	struct run_result r;

	run_result__init(&r);
	r.app.tx_bytes = 1000;
	r.app.rx_bytes = 900;
	r.app.replies.tx_bytes = (struct num){.value = 70, .known = true};
	r.app.replies.rx_bytes = 60;
	r.sender_side = sender_side;
	return r;
}

/* Replies were sent by the receiver and received by the sender; one elsewhere is not watched. */
static void replies_are_of_the_machine_that_is_watched(void **state)
{
	struct run_result both = with_replies(false), one = with_replies(true);

	(void)state;
	assert_int_equal(run_result__sent(&both), 1070);
	assert_int_equal(run_result__received(&both), 960);
	assert_int_equal(run_result__payload(&both), 960);
	assert_int_equal(run_result__sent(&one), 1000);
	assert_int_equal(run_result__received(&one), 900);
	assert_int_equal(run_result__payload(&one), 1000);
}

static void what_was_delivered_is_what_the_kernel_acknowledged_where_nobody_says(void **state)
{
	struct run_result r = with_replies(false);

	(void)state;
	r.app.tcp_bytes_acked = 850;
	assert_int_equal(run_result__delivered(&r), 900);
	r.app.rx_reason = "not told";
	assert_int_equal(run_result__delivered(&r), 850);
	r.duration_ns = 100;
	assert_true(fabs(run_result__gbps(&r).value - 68) < 1e-9);
}

static void completions_are_missed_where_the_application_saw_more(void **state)
{
	struct run_result r = {.kernel_zc_known = true};

	(void)state;
	r.app.zc.completed = 10;
	r.kernel_zc.completed = 7;
	assert_int_equal(run_result__completions_missed(&r), 3);
	r.kernel_zc.completed = 10;
	assert_int_equal(run_result__completions_missed(&r), 0);
	r.kernel_zc.completed = 12;
	assert_int_equal(run_result__completions_missed(&r), 0);
	assert_int_equal(run_result__completions(&r).completed, 12);
	/* Counts of different moments tell nothing of each other. */
	r.kernel_zc.completed = 7;
	r.not_final = "interrupted";
	assert_int_equal(run_result__completions_missed(&r), 0);
	r.not_final = NULL;
	r.kernel_zc = (struct zc_counts){0};
	r.kernel_zc_known = false;
	assert_int_equal(run_result__completions_missed(&r), 0);
}

static void events_are_a_sample_where_they_were_not_looked_at_all_the_time(void **state)
{
	struct run_result r;

	(void)state;
	run_result__init(&r);
	assert_false(run_result__events_share(&r).known);
	assert_non_null(run_result__events_share(&r).reason);
	r.ledger_known = true;
	r.health.phase_ns = 400;
	r.health.looked_ns = 100;
	assert_true(run_result__events_share(&r).known);
	assert_true(run_result__events_share(&r).value == 0.25);
	r.mode = MODE_TWOCOPY;
	assert_true(run_result__sampled_events(&r, NIO_STAGE_TX_COPY));
	assert_true(run_result__sampled_events(&r, NIO_STAGE_RX_COPY));
	assert_false(run_result__sampled_events(&r, NIO_STAGE_OTHER_COPY));
	assert_false(run_result__sampled_events(&r, NIO_STAGE_DEFERRED_COPY));
	assert_false(run_result__sampled_completions(&r));
	r.mode = MODE_ZEROCOPY;
	assert_true(run_result__sampled_events(&r, NIO_STAGE_TX_COPY));
	assert_true(run_result__sampled_events(&r, NIO_STAGE_RX_COPY));
	assert_true(run_result__sampled_events(&r, NIO_STAGE_DEFERRED_COPY));
	/* Completions that were not looked at are not missed. */
	assert_true(run_result__sampled_completions(&r));
	r.kernel_zc_known = true;
	r.app.zc.completed = 10;
	assert_int_equal(run_result__completions_missed(&r), 0);
	/* Of a receiver on another machine nothing is looked at, so there it is no sample. */
	r.sender_side = true;
	assert_true(run_result__sampled_events(&r, NIO_STAGE_TX_PIN));
	assert_false(run_result__sampled_events(&r, NIO_STAGE_RX_COPY));
	r.mode = MODE_ONECOPY;
	assert_true(run_result__events_share(&r).value == 0.25);
	assert_true(run_result__sampled_events(&r, NIO_STAGE_TX_COPY));
	assert_false(run_result__sampled_events(&r, NIO_STAGE_RX_COPY));
	r.sender_side = false;
	r.mode = MODE_ZEROCOPY;
	r.health.looked_ns = 400;
	assert_true(run_result__events_share(&r).value == 1);
	assert_false(run_result__sampled_events(&r, NIO_STAGE_RX_COPY));
	r.health.looked_ns = 401;
	assert_true(run_result__events_share(&r).value == 1);
	r.health.looked_ns = r.health.phase_ns = 0;
	assert_true(run_result__events_share(&r).value == 1);
}

static void unbalanced_is_only_said_of_final_counts(void **state)
{
	struct run_result r = {.unaccounted_tx = 1};

	(void)state;
	assert_false(run_result__unbalanced(&r));
	r.balance_known = true;
	assert_true(run_result__unbalanced(&r));
	r.unaccounted_tx = 0;
	assert_false(run_result__unbalanced(&r));
	r.unaccounted_rx = -1;
	assert_true(run_result__unbalanced(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_run_claims_nothing),
		cmocka_unit_test(clearing_twice_is_harmless),
		cmocka_unit_test(throughput_is_of_what_arrived),
		cmocka_unit_test(modes_are_read_back),
		cmocka_unit_test(names_stay_in_their_tables),
		cmocka_unit_test(what_is_unknown_says_why),
		cmocka_unit_test(every_row_of_what_is_unknown_says_why),
		cmocka_unit_test(all_that_a_result_owns_is_freed),
		cmocka_unit_test(replies_are_of_the_machine_that_is_watched),
		cmocka_unit_test(
			what_was_delivered_is_what_the_kernel_acknowledged_where_nobody_says),
		cmocka_unit_test(completions_are_missed_where_the_application_saw_more),
		cmocka_unit_test(events_are_a_sample_where_they_were_not_looked_at_all_the_time),
		cmocka_unit_test(unbalanced_is_only_said_of_final_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
