/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts out of what read(2) returns of perf events. The first buffer was recorded on Linux 6.18;
 * the others, of machines with a PMU, are made to the layout of perf_event_open(2).
 */
#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "model/ledger.h"
#include "perf/proc.h"
#include "model/perf_figures.h"
#include "perf/reading.h"
#include "support/test.h"

#define MS 1000000ULL

/*
 * Software group of a sending thread, 300 ms of a loopback run on a busy machine: context switches,
 * migrations, faults in user mode, in the kernel, task clock.
 */
static const uint64_t recorded_software[] = {
	5, 252697056, 252697056, 2219, 0, 0, 0, 252697056,
};

/* Four hardware events that were on the CPU for 150 of 300 ms: two groups took turns. */
static const uint64_t multiplexed[] = {
	4, 300 * MS, 150 * MS, 400000000, 600000000, 100000000, 50000000,
};

/* The thread ran for 2 ms, and the event never had a turn. */
static const uint64_t never_ran[] = {4, 2 * MS, 0, 0, 0, 0, 0};

/* The thread did not run at all. */
static const uint64_t asleep[] = {4, 0, 0, 0, 0, 0, 0};

TEST(a_buffer_is_decoded)
{
	struct perf_reading r;

	assert_int_equal(perf_read__decode(recorded_software, sizeof(recorded_software), 5, &r), 0);
	assert_int_equal(r.enabled_ns, recorded_software[1]);
	assert_int_equal(r.running_ns, r.enabled_ns);
	for (int i = 0; i < 5; i++)
		assert_int_equal(r.values[i], recorded_software[3 + i]);
	/* The task clock is the time in which the thread ran, as is the time enabled. */
	assert_in_range(r.values[4], r.enabled_ns * 99 / 100, r.enabled_ns * 101 / 100);
	assert_int_equal(perf_read__decode(multiplexed, sizeof(multiplexed), 4, &r), 0);
	assert_int_equal(r.enabled_ns, 300 * MS);
	assert_int_equal(r.running_ns, 150 * MS);
	assert_int_equal(r.values[3], 50000000);
}

TEST(what_is_no_reading_is_refused)
{
	uint64_t buf[PERF_READ_WORDS + 1] = {4, 2 * MS, 3 * MS};
	struct perf_reading r;

	/* Other length than asked for, other number of events, running longer than enabled. */
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

TEST(a_full_count_is_not_scaled)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	add(&sum, recorded_software, 0);
	add(&sum, recorded_software, 0);
	add(&sum, asleep, 0);
	n = perf_sum__count(&sum, &running);
	assert_true(n.known);
	assert_null(n.reason);
	assert_int_equal(n.value, 2 * recorded_software[3]);
	assert_true(running.known);
	assert_true(running.value == 1);
}

TEST(a_multiplexed_count_is_scaled_and_says_so)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	add(&sum, multiplexed, 1);
	n = perf_sum__count(&sum, &running);
	assert_int_equal(n.value, 1200000000);
	assert_non_null(n.reason);
	assert_true(running.value == 0.5);
	/* A thread that never had a turn counts at the rate of the others: 2 ms more of 300. */
	add(&sum, never_ran, 1);
	n = perf_sum__count(&sum, &running);
	assert_int_equal(n.value, 1208000000);
	assert_true(running.value > 0.496 && running.value < 0.497);
	/* Threads are scaled by their own times: one that was always counted adds as it is. */
	perf_sum__add(&sum, 1000, 10 * MS, 10 * MS);
	n = perf_sum__count(&sum, &running);
	assert_in_range(n.value, (1200000000.0 + 1000) * 312 / 310 - 1,
			(1200000000.0 + 1000) * 312 / 310 + 1);
}

TEST(zero_running_time_is_unknown_not_zero)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	add(&sum, never_ran, 0);
	n = perf_sum__count(&sum, &running);
	assert_false(n.known);
	assert_non_null(strstr(n.reason, "never had a register"));
	assert_true(running.known);
	assert_true(running.value == 0);
}

/* Nothing ran, so nothing happened: that is a measured zero. */
TEST(no_time_at_all_is_zero)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	add(&sum, asleep, 0);
	n = perf_sum__count(&sum, &running);
	assert_true(n.known);
	assert_int_equal(n.value, 0);
	assert_null(n.reason);
}

/* Counts near 2^63 and long times: no wrap, no infinity. */
TEST(large_counts_are_scaled)
{
	struct perf_sum sum = {0};
	struct real running;
	struct num n;

	perf_sum__add(&sum, 1ULL << 62, 3600000 * MS, 1800000 * MS);
	n = perf_sum__count(&sum, &running);
	assert_true(n.known);
	assert_true(n.value == 1ULL << 63);
	perf_sum__add(&sum, UINT64_MAX, 1000 * MS, 1);
	n = perf_sum__count(&sum, &running);
	assert_true(n.value >= 1ULL << 63);
}

/* Sums for every slot: the slot's index in thousands, its group on the CPU for a share of 100 ms.
 */
static void fill(struct perf_sum *sums, const struct perf_plan *plan, uint64_t running_ms)
{
	memset(sums, 0, PERF_SLOTS_MAX * sizeof(*sums));
	for (size_t i = 0; i < plan->slots_nr; i++)
		perf_sum__add(&sums[i], 1000 * (i + 1), 100 * MS,
			      perf_spec__pmu(&plan->slots[i].spec) ? running_ms * MS : 100 * MS);
}

TEST(a_side_is_booked)
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
	/* None of the hardware: unknown with a reason, the software as before. */
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

/* What only user mode may see is no total: half a number would be taken for the whole. */
TEST(half_of_a_counter_is_not_the_whole)
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

/* The total of a mode's rounds: one scaled round makes it scaled, one unknown makes it unknown. */
TEST(rounds_add_up)
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
	assert_int_equal(ledger__add(&total, &a), 0);
	assert_int_equal(ledger__add(&total, &b), 0);
	assert_int_equal(ledger__add(&total, &a), 0);
	assert_int_equal(total.perf[0][PERF_CYCLES].value, 30);
	assert_string_equal(total.perf[0][PERF_CYCLES].reason, "scaled");
	assert_true(total.perf_detail[0][PERF_CYCLES].running.value == 0.4);
	assert_null(total.perf[0][PERF_INSTRUCTIONS].reason);
	assert_false(total.perf[1][PERF_BRANCHES].known);
	assert_string_equal(total.perf[1][PERF_BRANCHES].reason, "gone");
	run_result__clear(&total);
}

/* Files of /proc as Linux 6.18 writes them. */
TEST(proc_files_are_read)
{
	uint64_t v;

	assert_int_equal(perf_proc__parse_status("Name:\tnio-sender\nState:\tS (sleeping)\n"
						 "voluntary_ctxt_switches:\t93\n"
						 "nonvoluntary_ctxt_switches:\t38\n",
						 &v),
			 0);
	assert_int_equal(v, 131);
	assert_int_equal(perf_proc__parse_status("voluntary_ctxt_switches:\t93\n", &v), -EPROTO);
	assert_int_equal(perf_proc__parse_status("", &v), -EPROTO);
	assert_int_equal(perf_proc__parse_stat("512 (a) b (c) S 1 512 512 0 -1 4194624 1201 7 3 9 "
					       "11 12 0 0 20 0 1 0 1 0 0",
					       &v),
			 0);
	assert_int_equal(v, 1204);
	assert_int_equal(perf_proc__parse_stat("512 no bracket", &v), -EPROTO);
	assert_int_equal(perf_proc__parse_stat("512 (x) S 1 2", &v), -EPROTO);
	assert_int_equal(perf_proc__parse_schedstat("1491011038 38291 131\n", &v), 0);
	assert_int_equal(v, 1491011038);
	assert_int_equal(perf_proc__parse_schedstat("", &v), -EPROTO);
	assert_int_equal(
		perf_proc__parse_sched("nio-sender (512, #threads: 2)\n"
				       "-----------\n"
				       "se.exec_start      :   63.5\n"
				       "se.nr_migrations                             :      "
				       "              5\n",
				       &v),
		0);
	assert_int_equal(v, 5);
	assert_int_equal(perf_proc__parse_sched("se.nr_migrations_cold : 3\n", &v), -EPROTO);
}

TEST(proc_fills_only_what_is_unknown)
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
	/* Less than before (a thread went away), or not there before: no number. */
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_PAGE_FAULTS].known);
	assert_false(r.perf[NIO_SIDE_SENDER][PERF_TASK_CLOCK_NS].known);
}
