/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings refused because of the memory or the CPUs of this machine. */
#include <errno.h>
#include <string.h>

#include "base/exit_code.h"
#include "run/preflight.h"
#include "support/many_cpus.h"
#include "support/test.h"

static char why[256];

static int check(enum mode mode, unsigned int connections, uint64_t memory)
{
	why[0] = '\0';
	return preflight__check_messages(mode, 1 << 20, connections, memory, why, sizeof(why));
}

/* Half of the memory is the limit, as in the load generator. */
TEST(messages_above_half_of_the_memory_are_refused)
{
	assert_int_equal(check(MODE_ONECOPY, 3, 6 << 20), 0);
	assert_int_equal(check(MODE_ONECOPY, 3, (6 << 20) - 1), -EINVAL);
	assert_non_null(strstr(why, "onecopy messages of 1 MiB on 3 connections would take 3 MiB"));
	assert_int_equal(check(MODE_ONECOPY, 1, 0), -EINVAL);
	assert_non_null(strstr(why, "on 1 connection would"));
}

TEST(each_mode_needs_its_own_amount_of_memory)
{
	/* Fields and the buffer they are packed into; four slots of sends in flight. */
	assert_int_equal(check(MODE_TWOCOPY, 2, 8 << 20), 0);
	assert_int_equal(check(MODE_TWOCOPY, 2, (8 << 20) - 1), -EINVAL);
	assert_int_equal(check(MODE_ZEROCOPY, 2, 16 << 20), 0);
	assert_int_equal(check(MODE_ZEROCOPY, 2, (16 << 20) - 1), -EINVAL);
}

TEST(CPUs_above_1024_are_accepted)
{
	struct workload t = {.sender_cpus = "1", .receiver_cpus = "1500"};

	assert_int_equal(preflight__check_cpus(&t), EXIT_DONE);
	t.receiver_cpus = "1500,1501";
	assert_int_equal(preflight__check_cpus(&t), EXIT_USAGE);
}
