/* SPDX-License-Identifier: GPL-2.0-only */
/* What is refused because this machine does not have it; CPUs are in command.bats, too. */
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

/* Half of the machine's memory may be taken, and not a byte more, as the load generator has it. */
TEST(half_of_the_memory_is_enough)
{
	assert_int_equal(check(MODE_ONECOPY, 3, 6 << 20), 0);
	assert_int_equal(check(MODE_ONECOPY, 3, (6 << 20) - 1), -EINVAL);
	assert_non_null(strstr(why, "onecopy messages of 1 MiB on 3 connections would take 3 MiB"));
	assert_int_equal(check(MODE_ONECOPY, 1, 0), -EINVAL);
	assert_non_null(strstr(why, "on 1 connection would"));
}

TEST(each_mode_takes_its_own)
{
	/* Fields and the buffer they are packed into; four slots for what is not completed. */
	assert_int_equal(check(MODE_TWOCOPY, 2, 8 << 20), 0);
	assert_int_equal(check(MODE_TWOCOPY, 2, (8 << 20) - 1), -EINVAL);
	assert_int_equal(check(MODE_ZEROCOPY, 2, 16 << 20), 0);
	assert_int_equal(check(MODE_ZEROCOPY, 2, (16 << 20) - 1), -EINVAL);
}

TEST(cpus_beyond_1024_are_there)
{
	struct workload t = {.sender_cpus = "1", .receiver_cpus = "1500"};

	assert_int_equal(preflight__check_cpus(&t), EXIT_DONE);
	t.receiver_cpus = "1500,1501";
	assert_int_equal(preflight__check_cpus(&t), EXIT_USAGE);
}
