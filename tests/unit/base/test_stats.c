/* SPDX-License-Identifier: GPL-2.0-only */
/* Order statistics, and what an empty result claims: nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

static void check_spread(const double *values, size_t n, double low, double median, double high)
{
	struct spread s = stats__spread(values, n);

	assert_int_equal(s.n, n);
	assert_true(s.low == low && s.median == median && s.high == high);
}

static void spread_of_a_few(void **state)
{
	static const double one[] = {3.5}, two[] = {4, 1}, odd[] = {9, -2, 5},
			    even[] = {8, 1, 4, 2};

	(void)state;
	check_spread(one, 1, 3.5, 3.5, 3.5);
	check_spread(two, 2, 1, 2.5, 4);
	check_spread(odd, 3, -2, 5, 9);
	check_spread(even, 4, 1, 3, 8);
}

static void spread_of_nothing_is_unknown(void **state)
{
	static const double none[] = {NAN, INFINITY};

	(void)state;
	assert_int_equal(stats__spread(NULL, 0).n, 0);
	assert_int_equal(stats__spread(none, 2).n, 0);
}

static void rounds_without_a_number_are_left_out(void **state)
{
	static const double values[] = {NAN, 2, -INFINITY, 4, NAN};
	struct spread s = stats__spread(values, 5);

	(void)state;
	assert_int_equal(s.n, 2);
	assert_true(s.low == 2 && s.median == 3 && s.high == 4);
}

static void input_is_not_reordered(void **state)
{
	double values[] = {3, 1, 2};

	(void)state;
	stats__spread(values, 3);
	assert_true(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

static void huge_values_do_not_overflow(void **state)
{
	static const double values[] = {1e308, 1.5e308};
	struct spread s = stats__spread(values, 2);

	(void)state;
	assert_true(isfinite(s.median));
	assert_true(s.median / 1e308 > 1.2 && s.median / 1e308 < 1.3);
}

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
		cmocka_unit_test(spread_of_a_few),
		cmocka_unit_test(spread_of_nothing_is_unknown),
		cmocka_unit_test(rounds_without_a_number_are_left_out),
		cmocka_unit_test(input_is_not_reordered),
		cmocka_unit_test(huge_values_do_not_overflow),
		cmocka_unit_test(empty_run_claims_nothing),
		cmocka_unit_test(clearing_twice_is_harmless),
		cmocka_unit_test(throughput_is_of_what_arrived),
		cmocka_unit_test(modes_are_read_back),
		cmocka_unit_test(names_stay_in_their_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
