// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests that a program registered, in the order of its file. */
#include "support/test.h"

#include <stdlib.h>

#include "common/xalloc.h"

static struct CMUnitTest *tests;
static size_t tests_nr;

void test__register(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
		    CMFixtureFunction teardown)
{
	tests = xgrow(tests, tests_nr, sizeof(*tests));
	tests[tests_nr++] = (struct CMUnitTest){name, run, setup, teardown, NULL};
}

/* A program without tests is a fault of the build. */
int main(void)
{
	int failed = tests_nr ? _cmocka_run_group_tests("unit", tests, tests_nr, NULL, NULL) : 1;

	free(tests);
	return failed;
}
