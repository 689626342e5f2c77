/* SPDX-License-Identifier: GPL-2.0-only */
/* Time limits and their divisor; pauses of this process, with a clock of the test. */
#include <stdlib.h>

#include "common/time_limit.h"
#include "support/test.h"

#define S 1000000000ULL

TEST(a_divisor_from_1_to_1000_shortens_limits)
{
	static const char *const nonsense[] = {
		"0", "-1", "", "x", "1001", "0.1", "99999999999999999999"};

	unsetenv("NETIO_LIMITS_DIVISOR");
	assert_int_equal(time_limit__ns(30 * S), 30 * S);
	setenv("NETIO_LIMITS_DIVISOR", "10", 1);
	assert_int_equal(time_limit__ns(30 * S), 3 * S);
	for (size_t i = 0; i < ARRAY_LEN(nonsense); i++) {
		setenv("NETIO_LIMITS_DIVISOR", nonsense[i], 1);
		assert_int_equal(time_limit__ns(30 * S), 30 * S);
	}
	unsetenv("NETIO_LIMITS_DIVISOR");
}

/* The loop slept until 3 s or was woken before: the process ran all the time. */
TEST(loop_on_time_has_missed_nothing)
{
	struct awake a = {0};

	assert_int_equal(awake__missed(&a, 5000 * S), 0);
	awake__sleep(&a, 5003 * S);
	assert_int_equal(awake__missed(&a, 5001 * S), 0);
	awake__sleep(&a, 5003 * S);
	assert_int_equal(awake__missed(&a, 5003 * S + S / 2), 0);
}

TEST(loop_more_than_a_second_late_was_stopped)
{
	struct awake a = {0};

	/* Stopped while it slept, */
	awake__sleep(&a, 5003 * S);
	assert_int_equal(awake__missed(&a, 5023 * S), 20 * S);
	assert_int_equal(awake__missed(&a, 5023 * S), 0);
	/* or while it ran. */
	assert_int_equal(awake__missed(&a, 5103 * S), 80 * S);
}
