/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a machine that can have more than 1024. */
#include <stdlib.h>

#include "host/machine.h"
#include "support/many_cpus.h"
#include "support/test.h"

TEST(CPUs_above_1024_are_found)
{
	struct cpu_place *cpus = NULL;
	size_t n;

	assert_int_equal(machine__cpus(&cpus, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(cpus[0].cpu, 1);
	assert_int_equal(cpus[1].cpu, 1500);
	free(cpus);
}
