/* SPDX-License-Identifier: GPL-2.0-only */
/* Stolen time, and the description of this machine. */
#include <string.h>
#include <unistd.h>

#include "host/machine.h"
#include "kernel/btf_lookup.h"
#include "support/test.h"

TEST(steal_is_a_share_of_the_elapsed_time)
{
	const struct cpu_times a = {.known = true, .total = 1000, .steal = 100};
	const struct cpu_times b = {.known = true, .total = 1200, .steal = 150};
	const struct cpu_times unknown = {0};

	assert_true(machine__steal(&a, &b).known);
	assert_true(machine__steal(&a, &b).value == 0.25);
	assert_false(machine__steal(&a, &a).known);
	assert_false(machine__steal(&b, &a).known); /* went backward: unknown, not a huge share */
	assert_false(machine__steal(&unknown, &b).known);
	assert_non_null(machine__steal(&unknown, &b).reason);
}

TEST(this_machine_is_described)
{
	struct cpu_times t;
	struct machine m;
	char name[65];

	memset(&m, 0xff, sizeof(m));
	machine__read(&m, (struct flag){.reason = "not asked"});
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(m.host, name);
	assert_int_equal(strlen(m.started), strlen("2026-01-02T03:04:05Z"));
	assert_true(m.load.known && m.load.value >= 0);
	assert_true(m.numa_nodes.known || m.numa_nodes.reason);
	assert_false(m.load_end.known || m.others.known || m.throttling.periods.known);
	machine__times(&t);
	assert_true(t.known && t.total > t.steal + t.tasks);
}

/* The configuration is asked first; where it can be read, the kernel's types agree with it. */
TEST(interrupt_time_is_by_configuration_and_the_kernels_types_agree)
{
	const struct flag none = {.reason = "not asked"}, yes = {true, true, NULL};
	struct flag by_types = btf_lookup__irq_time();
	struct machine m;
	bool configured;

	machine__read(&m, none);
	if (!m.irq_time.known) {
		assert_string_equal(m.irq_time.reason, none.reason);
		machine__read(&m, yes);
		assert_true(m.irq_time.known && m.irq_time.value);
		return;
	}
	configured = m.irq_time.value;
	if (by_types.known)
		assert_int_equal(by_types.value, configured);
	machine__read(&m, (struct flag){.known = true, .value = !configured});
	assert_true(m.irq_time.known);
	assert_int_equal(m.irq_time.value, configured);
}

#define TICK (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK))

/* Of 1000 ticks, tasks had 600 and interrupts 100; the run had 400. */
static struct health booked(struct flag irq_time, uint64_t ours)
{
	const struct cpu_mark a = {{true, 1000, 0, 50, 10}, 77, true};
	const struct cpu_mark b = {{true, 2000, 20, 650, 110}, 77 + ours * TICK, true};
	struct health h = {.machine_ns = 0};

	machine__book(&h, &a, &b, irq_time);
	return h;
}

TEST(others_are_what_the_run_did_not_use)
{
	const struct flag no = {.known = true}, yes = {true, true, NULL}, unknown = {.reason = "x"};
	struct health h = booked(no, 400);

	assert_int_equal(h.machine_ns, 1000 * TICK);
	assert_true(health__stolen(&h).value == 0.02);
	assert_true(health__others(&h).value == 0.3);
	/* Interrupts that the kernel accounts apart are no program's. */
	h = booked(yes, 400);
	assert_true(health__others(&h).value == 0.2);
	/* Ticks are coarser than the run's clocks: never below 0. */
	h = booked(no, 800);
	assert_true(health__others(&h).known && health__others(&h).value == 0);
	h = booked(unknown, 400);
	assert_false(health__others(&h).known || health__stolen(&h).known);
	assert_non_null(health__others(&h).reason);
}

TEST(marks_count_this_process_and_fail_without_one)
{
	const pid_t none = 0, gone = 0x7ffffff0;
	struct cpu_mark m;

	/* Under RLIMIT_CPU, as here, the clock of a process moves with the tick. */
	do {
		machine__mark(&m, &none, 1);
		assert_true(m.known && m.machine.known);
	} while (!m.ours_ns);
	machine__mark(&m, &gone, 1);
	assert_false(m.known);
}
