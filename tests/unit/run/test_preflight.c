/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings refused because of the CPUs of this machine. */
#include "base/exit_code.h"
#include "run/preflight.h"
#include "support/many_cpus.h"
#include "support/test.h"

TEST(CPUs_above_1024_are_accepted)
{
	struct workload t = {.sender_cpus = "1", .receiver_cpus = "1500"};

	assert_int_equal(preflight__check_cpus(&t), EXIT_DONE);
	t.receiver_cpus = "1500,1501";
	assert_int_equal(preflight__check_cpus(&t), EXIT_USAGE);
}
