/* SPDX-License-Identifier: GPL-2.0-only */
/* That a kernel has no kprobes is said only of one that has perf events. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/kprobes.h"

static void missing_where_other_sources_are(void **state)
{
	char dir[] = "/tmp/test_kprobes.XXXXXX", source[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(kprobes__missing_in(dir), -ENOENT);
	snprintf(source, sizeof(source), "%s/kprobe", dir);
	assert_int_equal(mkdir(source, 0700), 0);
	assert_int_equal(kprobes__missing_in(dir), 0);
	rmdir(source);
	rmdir(dir);
}

static void without_sources_nothing_is_known(void **state)
{
	(void)state;
	assert_int_equal(kprobes__missing_in("/nonexistent"), 0);
	assert_int_equal(kprobes__missing_in("/dev/null"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_where_other_sources_are),
		cmocka_unit_test(without_sources_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
