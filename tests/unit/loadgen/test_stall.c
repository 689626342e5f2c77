/* SPDX-License-Identifier: GPL-2.0-only */
/* When a connection has stalled, with a clock of the test. */

#include "loadgen/clock.h"
#include "loadgen/sender_conn.h"
#include "support/test.h"

#define LIMIT (30 * NS_PER_SEC)

/* Checks every 100 ms for up to that many ns. Returns the time until the stall, or 0. */
static uint64_t look(struct stall *s, const struct stall_state *state, uint64_t *now, uint64_t ns)
{
	for (uint64_t i = 0; i < ns; i += 100 * NS_PER_MS) {
		*now += 100 * NS_PER_MS;
		if (stall__check(s, state, *now, LIMIT))
			return i + 100 * NS_PER_MS;
	}
	return 0;
}

TEST(no_progress_for_30_s_is_a_stall)
{
	const struct stall_state still = {.unacked = 5};
	struct stall s = {0};
	uint64_t now = 1000 * NS_PER_SEC;

	assert_int_equal(look(&s, &still, &now, 2 * LIMIT), LIMIT + 200 * NS_PER_MS);
}

/* A message, an acknowledgement, a part of a reply, a part of a message accepted by the kernel. */
TEST(each_member_of_the_state_is_progress)
{
	struct stall_state moving = {.seq = 9, .unacked = 5, .owed = 100, .done = 7};
	uint64_t *parts[] = {&moving.seq, &moving.unacked, &moving.owed, &moving.done};
	struct stall s = {0};
	uint64_t now = 1000 * NS_PER_SEC;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		assert_int_equal(look(&s, &moving, &now, LIMIT - NS_PER_SEC), 0);
		--*parts[i];
		assert_int_equal(look(&s, &moving, &now, LIMIT - NS_PER_SEC), 0);
		++*parts[i];
	}
	assert_true(look(&s, &moving, &now, LIMIT + NS_PER_SEC) > 0);
}

TEST(pause_of_this_process_is_no_stall)
{
	const struct stall_state still = {.unacked = 5};
	struct stall s = {0};
	uint64_t now = 1000 * NS_PER_SEC;

	assert_int_equal(look(&s, &still, &now, 20 * NS_PER_SEC), 0);
	now += 3600 * NS_PER_SEC;
	assert_int_equal(look(&s, &still, &now, 9 * NS_PER_SEC), 0);
	assert_true(look(&s, &still, &now, 3 * NS_PER_SEC) > 0);
}
