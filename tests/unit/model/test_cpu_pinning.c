/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of senders and receivers on machines of several shapes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/cpu_pinning.h"
#include "support/test.h"

struct machine_case {
	const char *what;
	struct cpu_place cpus[8];
	size_t n;
	unsigned int threads;
	const char *senders, *receivers;
};

/* clang-format off */
static const struct machine_case cases[] = {
	{"two cores", {{0, 0, 0}, {1, 1, 0}}, 2, 1, "0", "1"},
	{"two cores, more threads than they are", {{0, 0, 0}, {1, 1, 0}}, 2, 8, "0", "1"},
	{"two hardware threads of one core", {{0, 0, 0}, {1, 0, 0}}, 2, 1, "0", "1"},
	{"siblings stay unused", {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 1, 0}}, 4, 2, "0", "1"},
	{"siblings beside each other", {{0, 0, 0}, {1, 0, 0}, {2, 2, 0}, {3, 2, 0}}, 4, 1, "0", "2"},
	{"three cores: one is left", {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}, 3, 4, "0", "1"},
	{"as many as threads", {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, 4, 1, "0", "1"},
	{"half for each", {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, 4, 2, "0,1", "2,3"},
	{"one node first", {{0, 0, 0}, {1, 1, 1}, {2, 2, 0}, {3, 3, 1}}, 4, 1, "0", "2"},
	{"both nodes where it takes them", {{0, 0, 0}, {1, 1, 1}, {2, 2, 0}, {3, 3, 1}}, 4, 2, "0,2", "1,3"},
	{"a core with one thread, and one with the rest", {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 0, 0}}, 4, 2, "0", "1"},
	{"the other core comes last", {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 3, 0}}, 4, 2, "0", "3"},
	{"four hardware threads of one core", {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, 4, 4, "0,1", "2,3"},
	{"no threads are one", {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, 4, 0, "0", "1"},
	{"out of order", {{3, 3, 1}, {2, 2, 0}, {1, 1, 1}, {0, 0, 0}}, 4, 2, "0,2", "1,3"},
	{"an affinity with holes", {{5, 5, 0}, {9, 9, 0}}, 2, 1, "5", "9"},
};
/* clang-format on */

TEST(each_side_has_cores_of_its_own)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct machine_case *c = &cases[i];
		/* The exact length, so that a sanitizer detects a read beyond the end. */
		struct cpu_place *cpus = calloc(c->n, sizeof(*cpus));
		struct cpu_pinning p;

		print_message("  %s\n", c->what);
		assert_non_null(cpus);
		memcpy(cpus, c->cpus, c->n * sizeof(*cpus));
		assert_int_equal(cpu_pinning__choose(&p, cpus, c->n, c->threads), 0);
		assert_string_equal(p.senders, c->senders);
		assert_string_equal(p.receivers, c->receivers);
		free(cpus);
	}
}

/* The text holds 256 CPUs per side, whatever the machine. */
TEST(machine_with_1024_CPUs_fits)
{
	struct cpu_place *cpus = calloc(1024, sizeof(*cpus));
	struct cpu_pinning *p = calloc(1, sizeof(*p));

	assert_true(cpus && p);
	for (unsigned int i = 0; i < 1024; i++)
		cpus[i] = (struct cpu_place){1023 - i + 1000, 1023 - i + 1000, 0};
	assert_int_equal(cpu_pinning__choose(p, cpus, 1024, 2000), 0);
	assert_int_equal(strlen(p->senders), 256 * 5 - 1);
	assert_int_equal(strlen(p->receivers), 256 * 5 - 1);
	assert_memory_equal(p->senders, "1000,1001,", 10);
	assert_string_equal(p->senders + 255 * 5, "1255");
	assert_memory_equal(p->receivers, "1256,", 5);
	assert_string_equal(p->receivers + 255 * 5, "1511");
	free(cpus);
	free(p);
}

TEST(one_CPU_is_too_few)
{
	struct cpu_place one[] = {{0, 0, 0}};
	struct cpu_pinning p;

	assert_int_equal(cpu_pinning__choose(&p, one, 1, 1), -ENOSPC);
	assert_int_equal(cpu_pinning__choose(&p, one, 0, 1), -ENOSPC);
}
