/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison of two modes of one session: which rounds count; the cheapest mode, with softirq work
 * on other tasks. tests/unit/base/test_rank_test.c tests the statistics.
 */
#include <math.h>
#include <string.h>

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

/* A round of 1 GiB with this CPU time in the processes, and samples elsewhere of 1 ms each. */
static void add_sampled(enum mode mode, uint64_t processes_ns, uint64_t samples, uint64_t lost)
{
	struct run_result *r = &runs[result.runs_nr];

	add(mode, 8);
	r->app.rx_bytes = 1 << 30;
	r->app.sender_cpu_ns = r->app.receiver_cpu_ns = num__known(processes_ns / 2);
	r->cpu = (struct cpu_result){.known = true, .hz = 1000, .payload = 1 << 30};
	r->cpu.by[NIO_SAMPLE_ELSEWHERE] = (struct cpu_samples){.samples = samples, .lost = lost};
}

/* Five rounds of each. The processes take 324 and 331 ms. */
static void add_rounds(uint64_t samples_zero, uint64_t lost_zero, uint64_t samples_one,
		       uint64_t lost_one)
{
	begin_result();
	result.modes_nr = 2;
	result.rounds = 5;
	for (uint64_t i = 0; i < 5; i++) {
		add_sampled(MODE_ZEROCOPY, 324000000 + i * 100000, samples_zero, lost_zero);
		add_sampled(MODE_ONECOPY, 331000000 + i * 100000, samples_one, lost_one);
	}
}

/*
 * The processes of zero-copy take less CPU time. Samples elsewhere decide, within their noise,
 * those that may be for other sockets (lost) with any share of them: also if all of one mode's are
 * and none of the other's.
 */
TEST(cheapest_mode_is_by_processes_and_softirq_work_on_other_tasks)
{
	static const struct {
		uint64_t zero[2], one[2]; /* samples, lost */
		bool told;
		enum mode best;
	} cases[] = {
		{{431, 0}, {91, 0}, true, MODE_ONECOPY},
		{{331, 100}, {91, 0}, true, MODE_ONECOPY},
		{{0, 431}, {91, 0}, false, 0},
		{{0, 0}, {0, 0}, true, MODE_ZEROCOPY},
		{{0, 0}, {91, 0}, true, MODE_ZEROCOPY},
		{{91, 0}, {91, 0}, false, 0},
		{{91, 0}, {111, 0}, false, 0},
		{{0, 100}, {0, 100}, false, 0},
		{{0, 100}, {200, 100}, true, MODE_ZEROCOPY},
	};

	for_each_case(c, cases) {
		struct ranking ranking;

		add_rounds(c->zero[0], c->zero[1], c->one[0], c->one[1]);
		ranking = figures__ranking(&result, figures__cpu, false, false);
		assert_int_equal(ranking.best, MODE_ZEROCOPY);
		assert_false(ranking.ties[MODE_ONECOPY]);
		ranking = figures__cheapest(&result);
		assert_int_equal(ranking.known, 2);
		assert_int_equal(ranking.all_tie, !c->told);
		assert_int_equal(ranking.ties[MODE_ZEROCOPY] || ranking.ties[MODE_ONECOPY],
				 !c->told);
		assert_true(!c->told || ranking.best == c->best);
	}
	/* Nothing is tested before the last round. */
	result.rounds = 6;
	assert_true(figures__cheapest(&result).early);
}

TEST(no_mode_of_an_emulated_machine_is_ranked)
{
	static struct environment receiver;
	struct rank_test t;

	add_rounds(431, 0, 91, 0);
	strcpy(receiver.virtualization, "vm, emulated");
	result.env.receiver = &receiver;
	assert_int_equal(figures__cheapest(&result).known, 0);
	figures__compare(&t, &result, MODE_ZEROCOPY, MODE_ONECOPY);
	assert_int_equal(t.difference, DIFFERENCE_UNKNOWN);
	result.env.receiver = NULL;
	assert_int_equal(figures__cheapest(&result).known, 2);
	strcpy(result.env.virtualization, "vm, emulated");
	assert_int_equal(figures__cheapest(&result).known, 0);
	result.env.virtualization[0] = '\0';
}

/* One round of one mode is enough: fewer rounds would be "too early" for ever. */
TEST(cheapest_mode_is_unknown_if_softirq_work_of_a_round_is_unknown)
{
	add_rounds(431, 0, 91, 0);
	cpu_time__none(&runs[3].cpu, "not here");
	assert_int_equal(figures__cheapest(&result).known, 0);
	assert_string_equal(figures__cheapest(&result).unknown, "not here");
	assert_false(figures__cheapest(&result).early);
	/* A round without CPU time has none to compare either way. */
	runs[3].app.sender_cpu_ns = num__unknown("no process");
	assert_null(figures__cheapest(&result).unknown);
	begin_result();
	assert_int_equal(figures__cheapest(&result).known, 0);
	assert_null(figures__cheapest(&result).unknown);
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
