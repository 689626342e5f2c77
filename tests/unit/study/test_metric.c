/* SPDX-License-Identifier: GPL-2.0-only */
/* Derived metrics, checked with formulas written out here; missing input; columns by name. */
#include <math.h>

#include "study/metric.h"
#include "support/near.h"
#include "support/test.h"

#define SAME(value, expected) NEAR(value, expected, 1e-9 * fabs(expected))

/* Each metric that is read has a different number; no metric is derived yet. */
static void fill(double *v)
{
	for (int m = 0; m < METRIC_NR; m++)
		v[m] = m < METRIC_READ_NR ? 1000 + 17 * m : (double)NAN;
	for (int c = 0; c < PERF_NR; c++)
		v[METRIC_PERF_BOTH(c)] = (double)NAN;
}

TEST(counters_of_both_sides_are_added)
{
	double v[METRIC_NR];

	fill(v);
	metric__derive(v, 2);
	for (int c = 0; c < PERF_NR; c++)
		SAME(v[METRIC_PERF_BOTH(c)],
		     v[METRIC_PERF(NIO_SIDE_SENDER, c)] + v[METRIC_PERF(NIO_SIDE_RECEIVER, c)]);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		SAME(v[METRIC_CLASS_BOTH(c)],
		     v[METRIC_CLASS(NIO_SIDE_SENDER, c)] + v[METRIC_CLASS(NIO_SIDE_RECEIVER, c)]);
	SAME(v[METRIC_KERNEL_CYCLES], v[METRIC_S_KERNEL_CYCLES] + v[METRIC_R_KERNEL_CYCLES]);
	/* A total given by foreign data stays. */
	fill(v);
	v[METRIC_CYCLES] = 5;
	metric__derive(v, 2);
	SAME(v[METRIC_CYCLES], 5.0);
	/* One side alone gives no sum. */
	fill(v);
	v[METRIC_R_CYCLES] = v[METRIC_CLASS(NIO_SIDE_SENDER, 1)] = (double)NAN;
	metric__derive(v, 2);
	assert_true(isnan(v[METRIC_CYCLES]));
	assert_true(isnan(v[METRIC_CLASS_BOTH(1)]));
}

TEST(payload_is_received_bytes_and_replies)
{
	double v[METRIC_NR];

	fill(v);
	v[METRIC_RX_BYTES] = 1000;
	v[METRIC_REPLY_BYTES] = 24;
	metric__derive(v, 1);
	SAME(v[METRIC_PAYLOAD], 1024.0);
	v[METRIC_REPLY_BYTES] = (double)NAN;
	metric__derive(v, 1);
	SAME(v[METRIC_PAYLOAD], 1000.0);
	/* Data without it: 8 Gbit/s for 5 s are 5 GB. */
	v[METRIC_RX_BYTES] = (double)NAN;
	v[METRIC_GBPS] = 8;
	v[METRIC_DURATION] = 5;
	metric__derive(v, 1);
	SAME(v[METRIC_PAYLOAD], 5e9);
	v[METRIC_DURATION] = (double)NAN;
	metric__derive(v, 1);
	assert_true(isnan(v[METRIC_PAYLOAD]));
}

TEST(costs_are_per_payload_byte)
{
	double v[METRIC_NR];

	fill(v);
	v[METRIC_RX_BYTES] = 4096;
	v[METRIC_REPLY_BYTES] = 0;
	v[METRIC_GBPS] = 12;
	v[METRIC_CPU_SENDER] = 0.5;
	v[METRIC_CPU_RECEIVER] = 0.25;
	metric__derive(v, 3);
	SAME(v[METRIC_GBPS_PER_THREAD], 4.0);
	SAME(v[METRIC_CPU_S_NS_PER_KIB], 125e6);
	SAME(v[METRIC_CPU_R_NS_PER_KIB], 62.5e6);
	SAME(v[METRIC_CPU_NS_PER_KIB], 187.5e6);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		SAME(v[METRIC_STAGE_CPB(s)], v[METRIC_STAGE_BYTES(s)] / 4096);
	/* If one side is unknown, the CPU time per GB of the whole run. */
	fill(v);
	v[METRIC_CPU_SENDER] = (double)NAN;
	v[METRIC_CPU_PER_GB] = 0.75;
	metric__derive(v, 0);
	SAME(v[METRIC_CPU_NS_PER_KIB], 768.0);
	assert_true(isnan(v[METRIC_GBPS_PER_THREAD]));
	/* Zero payload gives no cost. */
	fill(v);
	v[METRIC_RX_BYTES] = v[METRIC_REPLY_BYTES] = 0;
	metric__derive(v, 1);
	assert_true(isnan(v[METRIC_CPU_S_NS_PER_KIB]));
	assert_true(isnan(v[METRIC_STAGE_CPB(0)]));
}

TEST(reason_of_a_figure_is_that_of_its_counter)
{
	assert_int_equal(metric__source(METRIC_CYCLES), METRIC_S_CYCLES);
	assert_int_equal(metric__source(METRIC_LLC_MISSES_PER_KIB), METRIC_S_LLC_MISSES);
	assert_int_equal(metric__source(METRIC_KERNEL_CYCLES), METRIC_S_KERNEL_CYCLES);
	assert_int_equal(metric__source(METRIC_CLASS_BOTH(2)), METRIC_CLASS(NIO_SIDE_SENDER, 2));
	assert_int_equal(metric__source(METRIC_GBPS), METRIC_GBPS);
}
