/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts from the result of read(2) on perf events. The first buffer was recorded on Linux 6.18;
 * the others, of machines with a PMU, follow the layout in perf_event_open(2).
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <linux/perf_event.h>

#include "model/ledger.h"
#include "perf/watch.h"
#include "model/perf_figures.h"
#include "perf/event.h"
#include "support/test.h"

#define MS 1000000ULL

/*
 * Software group of a sending thread, 300 ms of a loopback run on a busy machine: context switches,
 * migrations, user faults, kernel faults, task clock.
 */
static const uint64_t recorded_software[] = {
	5, 252697056, 252697056, 2219, 0, 0, 0, 252697056,
};

/* Four hardware events that were on the CPU for 150 of 300 ms: two groups were multiplexed. */
static const uint64_t multiplexed[] = {
	4, 300 * MS, 150 * MS, 400000000, 600000000, 100000000, 50000000,
};

/* The thread ran for 2 ms, and the event was never scheduled. */
static const uint64_t never_ran[] = {4, 2 * MS, 0, 0, 0, 0, 0};

/* The thread did not run at all. */
static const uint64_t asleep[] = {4, 0, 0, 0, 0, 0, 0};

TEST(recorded_buffer_is_decoded)
{
	struct perf_reading r;

	assert_int_equal(perf_read__decode(recorded_software, sizeof(recorded_software), 5, &r), 0);
	assert_int_equal(r.enabled_ns, recorded_software[1]);
	assert_int_equal(r.running_ns, r.enabled_ns);
	for (int i = 0; i < 5; i++)
		assert_int_equal(r.values[i], recorded_software[3 + i]);
	/* The task clock and the enabled time are both the running time of the thread. */
	assert_in_range(r.values[4], r.enabled_ns * 99 / 100, r.enabled_ns * 101 / 100);
	assert_int_equal(perf_read__decode(multiplexed, sizeof(multiplexed), 4, &r), 0);
	assert_int_equal(r.enabled_ns, 300 * MS);
	assert_int_equal(r.running_ns, 150 * MS);
	assert_int_equal(r.values[3], 50000000);
}

TEST(malformed_buffer_is_refused)
{
	uint64_t buf[PERF_READ_WORDS + 1] = {4, 2 * MS, 3 * MS};
	struct perf_reading r;

	/* Wrong length, wrong number of events, running longer than enabled. */
	for (size_t len = 0; len < sizeof(multiplexed); len++)
		assert_int_equal(perf_read__decode(multiplexed, len, 4, &r), -EPROTO);
	assert_int_equal(perf_read__decode(multiplexed, sizeof(multiplexed), 3, &r), -EPROTO);
	assert_int_equal(perf_read__decode(multiplexed, sizeof(multiplexed), 5, &r), -EPROTO);
	assert_int_equal(perf_read__decode(buf, 7 * 8, 4, &r), -EPROTO);
	buf[0] = PERF_GROUP_MAX + 1;
	assert_int_equal(perf_read__decode(buf, sizeof(buf), PERF_GROUP_MAX + 1, &r), -EPROTO);
}

static void add(struct perf_sum *sum, const uint64_t *buf, unsigned int i)
{
	struct perf_reading r;

	assert_int_equal(perf_read__decode(buf, (3 + buf[0]) * 8, (unsigned int)buf[0], &r), 0);
	perf_sum__add(sum, r.values[i], r.enabled_ns, r.running_ns);
}

/* The count of a sum; its reason may be NULL: not scaled. */
static void check_count(const struct perf_sum *sum, uint64_t value, bool scaled, double running)
{
	struct real share;
	struct num n = perf_sum__count(sum, &share);

	assert_true(n.known && share.known);
	assert_int_equal(n.value, value);
	assert_int_equal(n.reason != NULL, scaled);
	assert_true(fabs(share.value - running) < 0.0005);
}

TEST(full_count_is_not_scaled)
{
	struct perf_sum sum = {0};

	add(&sum, recorded_software, 0);
	add(&sum, recorded_software, 0);
	add(&sum, asleep, 0);
	check_count(&sum, 2 * recorded_software[3], false, 1);
}

TEST(multiplexed_count_is_scaled_and_has_a_reason)
{
	struct perf_sum sum = {0};

	add(&sum, multiplexed, 1);
	check_count(&sum, 1200000000, true, 0.5);
	/* A thread without a count is scaled at the rate of the others: 2 ms more of 300. */
	add(&sum, never_ran, 1);
	check_count(&sum, 1208000000, true, 150.0 / 302);
	/* Threads are scaled by their own times: a fully counted thread is not scaled. */
	perf_sum__add(&sum, 1000, 10 * MS, 10 * MS);
	check_count(&sum, 1207742942, true, 160.0 / 312);
}

TEST(zero_running_time_is_unknown)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	add(&sum, never_ran, 0);
	n = perf_sum__count(&sum, &running);
	assert_false(n.known);
	assert_non_null(strstr(n.reason, "never had a register"));
	assert_true(running.known && running.value == 0);
}

/* The thread did not run, so 0 is measured. */
TEST(zero_enabled_time_is_zero)
{
	struct perf_sum sum = {0};

	add(&sum, asleep, 0);
	check_count(&sum, 0, false, 1);
}

/* Counts near 2^63 and long times neither overflow nor become infinite. */
TEST(large_counts_are_scaled_without_overflow)
{
	struct perf_sum sum = {0};
	struct real running;

	perf_sum__add(&sum, 1ULL << 62, 3600000 * MS, 1800000 * MS);
	check_count(&sum, 1ULL << 63, true, 0.5);
	perf_sum__add(&sum, UINT64_MAX, 1000 * MS, 1);
	assert_true(perf_sum__count(&sum, &running).value >= 1ULL << 63);
}

/* Sums of every slot: its index in thousands, its group on the CPU for a share of 100 ms. */
static void fill(struct perf_sum *sums, const struct perf_plan *plan, uint64_t running_ms)
{
	memset(sums, 0, PERF_SLOTS_MAX * sizeof(*sums));
	for (size_t i = 0; i < plan->slots_nr; i++)
		perf_sum__add(&sums[i], 1000 * (i + 1), 100 * MS,
			      perf_spec__pmu(&plan->slots[i].spec) ? running_ms * MS : 100 * MS);
}

TEST(sums_of_slots_become_counters_of_a_side)
{
	static const struct perf_facts facts = {.has_pmu = true};
	const struct perf_spec asked = {.name = "r1", .type = PERF_TYPE_RAW, .config = 1};
	struct perf_sum sums[PERF_SLOTS_MAX];
	struct perf_plan plan;
	struct run_result r;

	run_result__init(&r);
	r.perf_asked_nr = 1;
	perf_plan__init(&plan, &asked, 1);
	plan.registers = 4;
	perf_plan__pack(&plan);
	fill(sums, &plan, 80);
	perf_read__book(&r, NIO_SIDE_RECEIVER, &plan, sums, &facts);
	/* The first two slots are cycles:u and cycles:k. */
	assert_int_equal(r.perf_detail[NIO_SIDE_RECEIVER][PERF_CYCLES].user.value, 1250);
	assert_int_equal(r.perf_detail[NIO_SIDE_RECEIVER][PERF_CYCLES].kernel.value, 2500);
	assert_int_equal(r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES].value, 3750);
	assert_non_null(r.perf[NIO_SIDE_RECEIVER][PERF_CYCLES].reason);
	assert_true(r.perf[NIO_SIDE_RECEIVER][PERF_TASK_CLOCK_NS].known);
	assert_null(r.perf[NIO_SIDE_RECEIVER][PERF_TASK_CLOCK_NS].reason);
	assert_false(r.perf_detail[NIO_SIDE_RECEIVER][PERF_TASK_CLOCK_NS].user.known);
	assert_true(r.perf_asked[0].count[NIO_SIDE_RECEIVER].known);
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_CYCLES].known);
	assert_true(perf_derive__lowest_running(&r).value == 0.8);
	/* No hardware event: unknown with a reason; software events stay. */
	for (size_t i = 0; i < plan.slots_nr; i++)
		if (perf_spec__is_hardware(&plan.slots[i].spec))
			plan.slots[i].err = -ENOENT;
	perf_plan__pack(&plan);
	perf_read__book(&r, NIO_SIDE_RECEIVER, &plan, sums, &facts);
	for (int c = 0; c < PERF_HARDWARE_NR; c++) {
		assert_false(r.perf[NIO_SIDE_RECEIVER][c].known);
		assert_non_null(r.perf[NIO_SIDE_RECEIVER][c].reason);
		assert_non_null(r.perf_detail[NIO_SIDE_RECEIVER][c].running.reason);
	}
	assert_false(r.perf_asked[0].count[NIO_SIDE_RECEIVER].known);
	assert_true(r.perf[NIO_SIDE_RECEIVER][PERF_PAGE_FAULTS].known);
	assert_true(perf_derive__lowest_running(&r).value == 1);
}

/* The user half of a counter is not its total. */
TEST(counter_without_its_kernel_half_is_unknown)
{
	static const struct perf_facts facts = {.has_pmu = true, .paranoid = 2};
	struct perf_sum sums[PERF_SLOTS_MAX];
	struct perf_plan plan;
	struct run_result r;

	run_result__init(&r);
	perf_plan__init(&plan, NULL, 0);
	plan.registers = 4;
	for (size_t i = 0; i < plan.slots_nr; i++)
		if (!plan.slots[i].spec.exclude_kernel)
			plan.slots[i].err = -EACCES;
	perf_plan__pack(&plan);
	fill(sums, &plan, 100);
	perf_read__book(&r, NIO_SIDE_SENDER, &plan, sums, &facts);
	assert_true(r.perf_detail[NIO_SIDE_SENDER][PERF_CYCLES].user.known);
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_CYCLES].known);
	assert_non_null(strstr(r.perf[NIO_SIDE_SENDER][PERF_CYCLES].reason, "perf_event_paranoid"));
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES].known);
}

/* Total of a mode's rounds: one scaled round makes it scaled, one unknown makes it unknown. */
TEST(rounds_add_up_and_keep_scaled_and_unknown)
{
	struct run_result a, b, total;

	run_result__init(&a);
	run_result__init(&total);
	a.duration_ns = 1;
	for (int c = 0; c < PERF_NR; c++) {
		a.perf[0][c] = a.perf[1][c] = (struct num){.value = 10, .known = true};
		a.perf_detail[0][c].running = (struct real){.value = 1, .known = true};
	}
	b = a;
	b.perf[0][PERF_CYCLES].reason = "scaled";
	b.perf_detail[0][PERF_CYCLES].running.value = 0.4;
	b.perf[1][PERF_BRANCHES] = (struct num){.reason = "gone"};
	ledger__add(&total, &a);
	ledger__add(&total, &b);
	ledger__add(&total, &a);
	assert_int_equal(total.perf[0][PERF_CYCLES].value, 30);
	assert_string_equal(total.perf[0][PERF_CYCLES].reason, "scaled");
	assert_true(total.perf_detail[0][PERF_CYCLES].running.value == 0.4);
	assert_null(total.perf[0][PERF_INSTRUCTIONS].reason);
	assert_false(total.perf[1][PERF_BRANCHES].known);
	assert_string_equal(total.perf[1][PERF_BRANCHES].reason, "gone");
	run_result__clear(&total);
}

/* Files of /proc as Linux 6.18 writes them; value 0: malformed. */
TEST(proc_files_are_parsed)
{
	static const struct {
		int (*parse)(const char *text, uint64_t *value);
		const char *text;
		uint64_t value;
	} cases[] = {
		{perf_proc__parse_status,
		 "Name:\tnio-sender\nState:\tS (sleeping)\n"
		 "voluntary_ctxt_switches:\t93\nnonvoluntary_ctxt_switches:\t38\n",
		 131},
		{perf_proc__parse_status, "Name:\tx\nvoluntary_ctxt_switches:\t93\n", 0},
		{perf_proc__parse_status, "", 0},
		{perf_proc__parse_stat,
		 "512 (a) b (c) S 1 512 512 0 -1 4194624 1201 7 3 9 11 12 0 0 20 0 1 0 1 0 0",
		 1204},
		{perf_proc__parse_stat, "512 no bracket", 0},
		{perf_proc__parse_stat, "512 (x) S 1 2", 0},
		{perf_proc__parse_schedstat, "1491011038 38291 131\n", 1491011038},
		{perf_proc__parse_schedstat, "", 0},
		{perf_proc__parse_sched,
		 "nio-sender (512, #threads: 2)\n-----------\n"
		 "se.exec_start      :   63.5\nse.nr_migrations            :        5\n",
		 5},
		{perf_proc__parse_sched, "x\nse.nr_migrations_cold : 3\n", 0},
	};

	for_each_case(c, cases) {
		uint64_t value = 0;

		assert_int_equal(c->parse(c->text, &value), c->value ? 0 : -EPROTO);
		assert_true(!c->value || value == c->value);
	}
}

TEST(proc_fills_unknown_counters_only)
{
	const struct num one = {.value = 100, .known = true}, two = {.value = 123, .known = true};
	const struct perf_proc base = {{one, one, one, {.reason = "no schedstat"}}};
	const struct perf_proc now = {{two, two, {.value = 99, .known = true}, two}};
	struct run_result r;

	run_result__init(&r);
	r.perf[NIO_SIDE_SENDER][PERF_CPU_MIGRATIONS] = (struct num){.value = 7, .known = true};
	perf_proc__book(&r, NIO_SIDE_SENDER, &base, &now);
	assert_int_equal(r.perf[NIO_SIDE_SENDER][PERF_CONTEXT_SWITCHES].value, 23);
	assert_int_equal(r.perf[NIO_SIDE_SENDER][PERF_CPU_MIGRATIONS].value, 7);
	/* Less than before (a thread ended), or missing before: unknown. */
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_PAGE_FAULTS].known);
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_TASK_CLOCK_NS].known);
}
