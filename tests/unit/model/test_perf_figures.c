/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of counters, compared with sums done by hand. */
#include <math.h>
#include <string.h>

#include "model/perf_figures.h"
#include "support/test.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

/* 1 MiB received in 2 s. */
static void run__fill(struct run_result *r)
{
	struct num *tx, *rx;

	run_result__init(r);
	tx = r->perf[NIO_SIDE_SENDER];
	rx = r->perf[NIO_SIDE_RECEIVER];
	r->app.rx_bytes = 1 << 20;
	r->duration_ns = 2000000000;
	r->app.sender_cpu_ns = known(1500000);
	r->app.receiver_cpu_ns = known(500000);
	tx[PERF_CYCLES] = known(3 << 20);
	rx[PERF_CYCLES] = known(1 << 20);
	tx[PERF_INSTRUCTIONS] = known(3 << 20);
	rx[PERF_INSTRUCTIONS] = known(3 << 20);
	r->perf_detail[NIO_SIDE_SENDER][PERF_CYCLES].kernel = known(3 << 19);
	r->perf_detail[NIO_SIDE_RECEIVER][PERF_CYCLES].kernel = known(1 << 19);
	tx[PERF_L1D_MISSES] = known(2048);
	rx[PERF_L1D_MISSES] = known(6144);
	tx[PERF_LLC_REFERENCES] = known(4000);
	rx[PERF_LLC_REFERENCES] = known(6000);
	tx[PERF_LLC_MISSES] = known(512);
	rx[PERF_LLC_MISSES] = known(1988);
	tx[PERF_DTLB_MISSES] = known(1024);
	rx[PERF_DTLB_MISSES] = known(0);
	tx[PERF_BRANCHES] = known(100000);
	rx[PERF_BRANCHES] = known(60000);
	tx[PERF_BRANCH_MISSES] = known(1000);
	rx[PERF_BRANCH_MISSES] = known(600);
	tx[PERF_CONTEXT_SWITCHES] = known(30);
	rx[PERF_CONTEXT_SWITCHES] = known(4000);
	tx[PERF_TASK_CLOCK_NS] = known(1400000);
	rx[PERF_TASK_CLOCK_NS] = known(300000);
}

static void check(const struct run_result *r, enum perf_derived d, double sender, double receiver,
		  double both)
{
	const double expected[PERF_WHOSE_NR] = {sender, receiver, both};

	for (int w = 0; w < PERF_WHOSE_NR; w++) {
		struct real v = perf_derive(r, d, (enum perf_whose)w);

		assert_true(v.known);
		if (fabs(v.value - expected[w]) > 1e-9 * fabs(expected[w]))
			fail_msg("%s of %s is %.12g, not %.12g", perf_derived__key(d),
				 perf_whose__key((enum perf_whose)w), v.value, expected[w]);
	}
}

TEST(figures_follow_the_formulas_in_the_manual)
{
	struct run_result r;

	run__fill(&r);
	check(&r, DERIVED_IPC, 1, 3, 1.5);
	check(&r, DERIVED_CYCLES_PER_BYTE, 3, 1, 4);
	check(&r, DERIVED_KERNEL_SHARE, 0.5, 0.5, 0.5);
	check(&r, DERIVED_L1D_MISSES_PER_KIB, 2, 6, 8);
	check(&r, DERIVED_LLC_MISSES_PER_KIB, 0.5, 1988 / 1024.0, 2500 / 1024.0);
	check(&r, DERIVED_DTLB_MISSES_PER_KIB, 1, 0, 1);
	check(&r, DERIVED_BRANCH_MISSES_PER_KIB, 1000 / 1024.0, 600 / 1024.0, 1600 / 1024.0);
	check(&r, DERIVED_LLC_MISS_RATIO, 0.128, 1988 / 6000.0, 0.25);
	check(&r, DERIVED_BRANCH_MISS_RATIO, 0.01, 0.01, 0.01);
	check(&r, DERIVED_SWITCHES_PER_S, 15, 2000, 2015);
	check(&r, DERIVED_CPU_S_PER_GIB, 1.536, 0.512, 2.048);
	assert_true(fabs(perf_derive(&r, DERIVED_CPU_NS_PER_KIB, PERF_OF_BOTH).value -
			 2000000 / 1024.0) < 1e-9);
}

/*
 * Published example: 67 808 531 645 cycles in 5 s at 246.63 Gbit/s are 0.44 cycles per byte, not
 * 265.
 */
TEST(cycles_per_byte_of_a_published_run)
{
	struct run_result r;

	run__fill(&r);
	r.perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(67808531645);
	r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES] = known(0);
	r.app.rx_bytes = (uint64_t)(246.63e9 / 8 * 5);
	assert_true(fabs(perf_derive(&r, DERIVED_CYCLES_PER_BYTE, PERF_OF_BOTH).value - 0.44) <
		    0.001);
}

TEST(unknown_counter_makes_the_figure_unknown_with_its_reason)
{
	struct run_result r;
	struct real v;

	run__fill(&r);
	r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES] = (struct num){.reason = "no PMU there"};
	v = perf_derive(&r, DERIVED_CYCLES_PER_BYTE, PERF_OF_SENDER);
	assert_true(v.known);
	for (int d = DERIVED_IPC; d <= DERIVED_KERNEL_SHARE; d++) {
		v = perf_derive(&r, (enum perf_derived)d, PERF_OF_BOTH);
		assert_false(v.known);
		assert_string_equal(v.reason, "no PMU there");
	}
	run_result__init(&r);
	for (int d = 0; d < DERIVED_NR; d++) {
		for (int w = 0; w < PERF_WHOSE_NR; w++) {
			v = perf_derive(&r, (enum perf_derived)d, (enum perf_whose)w);
			assert_false(v.known);
			assert_non_null(v.reason);
		}
	}
}

TEST(zero_divisor_gives_a_reason)
{
	struct run_result r;
	struct real v;

	run__fill(&r);
	r.app.rx_bytes = 0;
	v = perf_derive(&r, DERIVED_CYCLES_PER_BYTE, PERF_OF_BOTH);
	assert_false(v.known);
	assert_string_equal(v.reason, "no payload was received");
	r.duration_ns = 0;
	v = perf_derive(&r, DERIVED_SWITCHES_PER_S, PERF_OF_BOTH);
	assert_false(v.known);
	assert_string_equal(v.reason, "nothing was measured");
	r.perf[NIO_SIDE_SENDER][PERF_CYCLES] = known(0);
	v = perf_derive(&r, DERIVED_IPC, PERF_OF_SENDER);
	assert_false(v.known);
	assert_string_equal(v.reason, "nothing was counted to divide by");
}

TEST(common_reason_stands_for_all_hardware_counters)
{
	struct run_result r;

	run__fill(&r);
	assert_null(perf_derive__no_hardware(&r));
	for (int c = 0; c < PERF_HARDWARE_NR; c++)
		r.perf[0][c] = r.perf[1][c] = (struct num){.reason = "no PMU"};
	assert_string_equal(perf_derive__no_hardware(&r), "no PMU");
	r.perf[1][PERF_BRANCHES].reason = "another";
	assert_null(perf_derive__no_hardware(&r));
	r.perf[1][PERF_BRANCHES] = known(3);
	assert_null(perf_derive__no_hardware(&r));
	/* The counters of a receiver on another machine are ignored. */
	r.sender_side = true;
	assert_string_equal(perf_derive__no_hardware(&r), "no PMU");
	r.perf[0][PERF_BRANCHES] = known(3);
	assert_null(perf_derive__no_hardware(&r));
}

/* The sides of text and live view: both, or the sender with a remote receiver. */
TEST(remote_receiver_leaves_the_side_of_the_sender)
{
	struct run_result r;

	run__fill(&r);
	assert_int_equal(perf_whose__here(&r), PERF_OF_BOTH);
	r.sender_side = true;
	assert_int_equal(perf_whose__here(&r), PERF_OF_SENDER);
}

/* A sum needs both sides; it is scaled if one of them is. */
TEST(sum_of_both_sides_needs_both_and_keeps_scaled)
{
	const struct num lost = {.value = 9, .reason = "lost"}, gone = {.reason = "gone"};
	struct num scaled = {.value = 4, .known = true, .reason = "scaled"}, n;
	struct run_result r;

	n = num__sum(known(3), known(4));
	assert_true(n.known);
	assert_int_equal(n.value, 7);
	assert_null(n.reason);
	assert_string_equal(num__sum(scaled, known(1)).reason, "scaled");
	assert_string_equal(num__sum(known(1), scaled).reason, "scaled");
	n = num__sum(known(3), lost);
	assert_false(n.known);
	assert_string_equal(n.reason, "lost");
	n = num__sum(gone, lost);
	assert_false(n.known);
	assert_string_equal(n.reason, "gone");
	run__fill(&r);
	assert_int_equal(perf_derive__count(&r, PERF_LLC_MISSES, PERF_OF_SENDER).value, 512);
	assert_int_equal(perf_derive__count(&r, PERF_LLC_MISSES, PERF_OF_RECEIVER).value, 1988);
	assert_int_equal(perf_derive__count(&r, PERF_LLC_MISSES, PERF_OF_BOTH).value, 2500);
}

/* For 1 MiB: a count per KiB is 1/1024 of it. */
TEST(count_is_divided_by_the_payload)
{
	struct run_result r;
	struct real v;

	run__fill(&r);
	v = perf_derive__per_bytes(&r, known(2048), 1024);
	assert_true(v.known && v.value == 2);
	v = perf_derive__per_bytes(&r, (struct num){.value = 1, .reason = "lost"}, 1024);
	assert_false(v.known);
	assert_string_equal(v.reason, "lost");
	r.app.rx_bytes = 0;
	v = perf_derive__per_bytes(&r, known(2048), 1024);
	assert_false(v.known);
	assert_string_equal(v.reason, "no payload was received");
	r.sender_side = true;
	v = perf_derive__per_bytes(&r, known(2048), 1024);
	assert_string_equal(v.reason, "no payload was sent");
	r.app.tx_bytes = 1 << 12;
	v = perf_derive__per_bytes(&r, known(2048), 1024);
	assert_true(v.known && v.value == 512);
}

static void runs_for(struct real *running, double share)
{
	*running = (struct real){.value = share, .known = true};
}

/* The smallest running share of all counters on both sides, including --perf-events. */
TEST(lowest_running_share_of_all_counters_is_found)
{
	struct run_result r;

	run_result__init(&r);
	assert_false(perf_derive__lowest_running(&r).known);
	assert_non_null(perf_derive__lowest_running(&r).reason);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < PERF_NR; c++) {
			run_result__init(&r);
			runs_for(&r.perf_detail[!side][(c + 1) % PERF_NR].running, 0.75);
			runs_for(&r.perf_detail[side][c].running, 0.5);
			assert_true(perf_derive__lowest_running(&r).value == 0.5);
		}
		r.perf_asked_nr = 2;
		runs_for(&r.perf_asked[1].running[side], 0.25);
		assert_true(perf_derive__lowest_running(&r).value == 0.25);
		runs_for(&r.perf_asked[0].running[side], 0.125);
		assert_true(perf_derive__lowest_running(&r).value == 0.125);
	}
}
