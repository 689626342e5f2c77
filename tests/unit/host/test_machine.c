/* SPDX-License-Identifier: GPL-2.0-only */
/* Stolen time, and the description of this machine. */
#include <string.h>
#include <unistd.h>

#include "host/machine.h"
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
	machine__read(&m);
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(m.host, name);
	assert_int_equal(strlen(m.started), strlen("2026-01-02T03:04:05Z"));
	assert_true(m.load.known && m.load.value >= 0);
	assert_true(m.numa_nodes.known || m.numa_nodes.reason);
	machine__times(&t);
	assert_true(t.known && t.total > t.steal);
}
