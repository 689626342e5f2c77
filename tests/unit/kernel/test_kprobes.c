/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel lacks kprobes only if it has other perf event sources. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/kprobes.h"
#include "support/test.h"

TEST(kprobes_are_missing_beside_other_event_sources)
{
	char dir[] = "/tmp/test_kprobes.XXXXXX", source[64];

	assert_non_null(mkdtemp(dir));
	assert_int_equal(kprobes__missing_in(dir), -ENOENT);
	snprintf(source, sizeof(source), "%s/kprobe", dir);
	assert_int_equal(mkdir(source, 0700), 0);
	assert_int_equal(kprobes__missing_in(dir), 0);
	rmdir(source);
	rmdir(dir);
}

TEST(unreadable_sources_deny_nothing)
{
	assert_int_equal(kprobes__missing_in("/nonexistent"), 0);
	assert_int_equal(kprobes__missing_in("/dev/null"), 0);
}
