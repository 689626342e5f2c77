/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of counters, compared with sums done by hand. */
#include <math.h>
#include <string.h>

#include "model/perf_figures.h"
#include "support/near.h"
#include "support/test.h"

/* 1 MiB received in 2 s. */
static void run__fill(struct run_result *r)
{
	static const struct {
		enum perf_counter counter;
		uint64_t sender, receiver;
	} counts[] = {
		{PERF_CYCLES, 3 << 20, 1 << 20},   {PERF_INSTRUCTIONS, 3 << 20, 3 << 20},
		{PERF_L1D_MISSES, 2048, 6144},     {PERF_LLC_REFERENCES, 4000, 6000},
		{PERF_LLC_MISSES, 512, 1988},      {PERF_DTLB_MISSES, 1024, 0},
		{PERF_BRANCHES, 100000, 60000},    {PERF_BRANCH_MISSES, 1000, 600},
		{PERF_CONTEXT_SWITCHES, 30, 4000}, {PERF_TASK_CLOCK_NS, 1400000, 300000},
	};

	run_result__init(r);
	r->app.rx_bytes = 1 << 20;
	r->duration_ns = 2000000000;
	r->app.sender_cpu_ns = num__known(1500000);
	r->app.receiver_cpu_ns = num__known(500000);
	for_each_case(c, counts) {
		r->perf[NIO_SIDE_SENDER][c->counter] = num__known(c->sender);
		r->perf[NIO_SIDE_RECEIVER][c->counter] = num__known(c->receiver);
	}
	r->perf_detail[NIO_SIDE_SENDER][PERF_CYCLES].kernel = num__known(3 << 19);
	r->perf_detail[NIO_SIDE_RECEIVER][PERF_CYCLES].kernel = num__known(1 << 19);
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
	r.perf[NIO_SIDE_SENDER][PERF_CYCLES] = num__known(67808531645);
	r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES] = num__known(0);
	r.app.rx_bytes = (uint64_t)(246.63e9 / 8 * 5);
	assert_true(fabs(perf_derive(&r, DERIVED_CYCLES_PER_BYTE, PERF_OF_BOTH).value - 0.44) <
		    0.001);
}

TEST(unknown_counter_makes_the_figure_unknown_with_its_reason)
{
	struct run_result r;
	struct real v;

	run__fill(&r);
	r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES] = num__unknown("no PMU there");
	v = perf_derive(&r, DERIVED_CYCLES_PER_BYTE, PERF_OF_SENDER);
	assert_true(v.known);
	for (int d = DERIVED_IPC; d <= DERIVED_KERNEL_SHARE; d++) {
		v = perf_derive(&r, (enum perf_derived)d, PERF_OF_BOTH);
		assert_unknown(v, "no PMU there");
	}
	run_result__init(&r);
	for (int d = 0; d < DERIVED_NR; d++) {
		for (int w = 0; w < PERF_WHOSE_NR; w++) {
			v = perf_derive(&r, (enum perf_derived)d, (enum perf_whose)w);
			assert_no_number(v);
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
	assert_unknown(v, "no payload was received");
	r.duration_ns = 0;
	v = perf_derive(&r, DERIVED_SWITCHES_PER_S, PERF_OF_BOTH);
	assert_unknown(v, "nothing was measured");
	r.perf[NIO_SIDE_SENDER][PERF_CYCLES] = num__known(0);
	v = perf_derive(&r, DERIVED_IPC, PERF_OF_SENDER);
	assert_unknown(v, "nothing was counted to divide by");
}

TEST(common_reason_stands_for_all_hardware_counters)
{
	struct run_result r;

	run__fill(&r);
	assert_null(perf_derive__no_hardware(&r));
	for (int c = 0; c < PERF_HARDWARE_NR; c++)
		r.perf[0][c] = r.perf[1][c] = num__unknown("no PMU");
	assert_string_equal(perf_derive__no_hardware(&r), "no PMU");
	r.perf[1][PERF_BRANCHES].reason = "another";
	assert_null(perf_derive__no_hardware(&r));
	r.perf[1][PERF_BRANCHES] = num__known(3);
	assert_null(perf_derive__no_hardware(&r));
	/* The counters of a receiver on another machine are ignored. */
	r.sender_side = true;
	assert_string_equal(perf_derive__no_hardware(&r), "no PMU");
	r.perf[0][PERF_BRANCHES] = num__known(3);
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

	n = num__sum(num__known(3), num__known(4));
	assert_num(n, 7);
	assert_null(n.reason);
	assert_string_equal(num__sum(scaled, num__known(1)).reason, "scaled");
	assert_string_equal(num__sum(num__known(1), scaled).reason, "scaled");
	n = num__sum(num__known(3), lost);
	assert_unknown(n, "lost");
	n = num__sum(gone, lost);
	assert_unknown(n, "gone");
}

static void runs_for(struct real *running, double share)
{
	*running = real__known(share);
}

/* The smallest running share of all counters on both sides, including --perf-events. */
TEST(lowest_running_share_of_all_counters_is_found)
{
	struct run_result r;

	run_result__init(&r);
	assert_no_number(perf_derive__lowest_running(&r));
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
