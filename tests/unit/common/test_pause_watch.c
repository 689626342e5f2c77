/* SPDX-License-Identifier: GPL-2.0-only */
/* Which late wake-ups are pauses of the process. */
#include "common/pause_watch.h"
#include "support/test.h"

#define S       1000000000ULL
#define UNKNOWN UINT64_MAX

TEST(late_wake_up_without_a_wait_for_a_cpu_is_a_pause)
{
	assert_int_equal(pause_watch__of(18 * S, 0), 18 * S);
	assert_int_equal(pause_watch__of(S / 2, 0), S / 2);
	assert_int_equal(pause_watch__of(S / 2 - 1, 0), 0);
	assert_int_equal(pause_watch__of(0, 0), 0);
}

TEST(time_of_waiting_for_a_cpu_is_no_pause)
{
	assert_int_equal(pause_watch__of(18 * S, 18 * S), 0);
	assert_int_equal(pause_watch__of(18 * S, 19 * S), 0);
	assert_int_equal(pause_watch__of(18 * S, 2 * S), 16 * S);
	assert_int_equal(pause_watch__of(3 * S, 2 * S + S / 2 + 1), 0);
}

TEST(where_that_time_is_unknown_only_longer_gaps_are_pauses)
{
	assert_int_equal(pause_watch__of(2 * S - 1, UNKNOWN), 0);
	assert_int_equal(pause_watch__of(2 * S, UNKNOWN), 2 * S);
}

TEST(wake_up_on_time_is_no_pause_whatever_can_be_read)
{
	struct pause_watch p;

	pause_watch__open(&p);
	pause_watch__sleep(&p);
	assert_int_equal(pause_watch__wake(&p, 5 * S, 4 * S), 0);
	assert_int_equal(pause_watch__wake(&p, 5 * S, 5 * S + 1), 0);
	pause_watch__close(&p);
	assert_int_equal(pause_watch__wake(&p, 5 * S, 5 * S), 0);
	/* Not readable: the gap has to be long. */
	assert_int_equal(pause_watch__wake(&p, 5 * S, 6 * S), 0);
	assert_int_equal(pause_watch__wake(&p, 5 * S, 8 * S), 3 * S);
}
