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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_run_claims_nothing),
		cmocka_unit_test(clearing_twice_is_harmless),
		cmocka_unit_test(throughput_is_of_what_arrived),
		cmocka_unit_test(modes_are_read_back),
		cmocka_unit_test(names_stay_in_their_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
