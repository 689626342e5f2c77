/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs of a machine that can have more than 1024. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "host/topology.h"
#include "support/many_cpus.h"

static void cpus_beyond_1024_are_there(void **state)
{
	struct cpu_place *cpus = NULL;
	size_t n;

	(void)state;
	assert_int_equal(topology__read(&cpus, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(cpus[0].cpu, 1);
	assert_int_equal(cpus[1].cpu, 1500);
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_beyond_1024_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
