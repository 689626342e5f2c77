/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison of two modes of one session: which rounds count. tests/unit/base/test_rank_test.c
 * tests the statistics.
 */
#include <math.h>

#include "model/figures.h"
#include "support/near.h"
#include "support/test.h"

#define RUNS_MAX 16

static struct run_result runs[RUNS_MAX];
static struct result result;

static void begin_result(void)
{
	result = (struct result){.runs = runs};
}

static void add(enum mode mode, double gbps)
{
	struct run_result *r = &runs[result.runs_nr++];

	*r = (struct run_result){.mode = mode, .duration_ns = 1000000000};
	r->app.rx_bytes = (uint64_t)(gbps * 1e9 / 8);
}

TEST(rounds_of_both_modes_are_compared)
{
	struct rank_test t;

	begin_result();
	for (int i = 0; i < 5; i++) {
		add(MODE_TWOCOPY, 1000);
		add(MODE_ONECOPY, 30 + i);
		add(MODE_ZEROCOPY, 20 + i);
	}
	figures__compare(&t, &result, MODE_ZEROCOPY, MODE_ONECOPY);
	assert_int_equal(t.n, 5);
	assert_int_equal(t.m, 5);
	NEAR(t.change, 22.0 / 32 - 1, 1e-9);
	assert_int_equal(t.difference, DIFFERENCE_LOWER);
	figures__compare(&t, &result, MODE_ONECOPY, MODE_ZEROCOPY);
	assert_int_equal(t.difference, DIFFERENCE_HIGHER);
}

TEST(mode_without_throughput_is_not_compared)
{
	struct rank_test t;

	begin_result();
	add(MODE_ZEROCOPY, 20);
	figures__compare(&t, &result, MODE_ZEROCOPY, MODE_ONECOPY);
	assert_int_equal(t.difference, DIFFERENCE_UNKNOWN);
	/* A run without a measured duration is not a round. */
	add(MODE_ONECOPY, 30);
	runs[1].duration_ns = 0;
	figures__compare(&t, &result, MODE_ZEROCOPY, MODE_ONECOPY);
	assert_int_equal(t.difference, DIFFERENCE_UNKNOWN);
	/* Throughput 0 has no quotient. */
	runs[1] = (struct run_result){.mode = MODE_ONECOPY, .duration_ns = 1000000000};
	figures__compare(&t, &result, MODE_ZEROCOPY, MODE_ONECOPY);
	assert_int_equal(t.difference, DIFFERENCE_UNKNOWN);
}
