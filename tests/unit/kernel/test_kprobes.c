/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel lacks kprobes only if it has other perf event sources. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/btf_lookup.h"
#include "support/scratch.h"

SCRATCH_TEST(kprobes_are_missing_beside_other_event_sources)
{
	assert_int_equal(kprobes__missing_in("."), -ENOENT);
	assert_int_equal(mkdir("kprobe", 0700), 0);
	assert_int_equal(kprobes__missing_in("."), 0);
}

TEST(unreadable_sources_deny_nothing)
{
	assert_int_equal(kprobes__missing_in("/nonexistent"), 0);
	assert_int_equal(kprobes__missing_in("/dev/null"), 0);
}
