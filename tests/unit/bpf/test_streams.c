// SPDX-License-Identifier: GPL-2.0-only
/* What attach makes of calls in progress when the watching began, and of changes of state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bpf/streams.h"

/* One with 60 bytes left at the first turn that was seen, 10 of them at its last, at 1050. */
static const struct nio_call call = {.size = 60, .queued = 50, .seq = 1050};

static void a_call_seen_whole_is_what_it_returned(void **state)
{
	(void)state;
	assert_int_equal(nio_since_first_turn(&call, 60, 1060, true), 60);
	/* Less than was asked for. */
	assert_int_equal(nio_since_first_turn(&call, 53, 1053, true), 53);
}

static void of_one_that_had_begun_before_what_came_since(void **state)
{
	(void)state;
	assert_int_equal(nio_since_first_turn(&call, 100, 1060, true), 60);
	/* Interrupted while it waited in its last turn. */
	assert_int_equal(nio_since_first_turn(&call, 90, 1050, true), 50);
}

/* What others queue since is none of it, whether its own last turn was booked or queued nothing. */
static void what_others_queue_since_is_not_its_own(void **state)
{
	struct nio_call looked_at = call;

	(void)state;
	assert_int_equal(nio_since_first_turn(&call, 90, 5000, false), 50);
	looked_at.place = nio_place_of(60, 1060);
	assert_int_equal(nio_since_first_turn(&looked_at, 100, 5000, false), 60);
	assert_int_equal(nio_since_first_turn(&looked_at, 100, 5000, true), 60);
}

/* What it queued in a turn that was missed was taken for others'. */
static void no_more_is_its_own_than_was_queued_since_its_turns(void **state)
{
	(void)state;
	assert_int_equal(nio_since_first_turn(&call, 60, 5000, false), 50);
	assert_int_equal(nio_since_first_turn(&call, 60, 1053, true), 53);
	assert_int_equal(nio_since_first_turn(&call, 60, 1050, true), 50);
}

/* Between two turns of a call as much is queued as it has less to go at the second. */
static void knows_the_turns_of_a_call(void **state)
{
	struct nio_call looked_at = {.size = 60, .seq = 1000};

	(void)state;
	looked_at.place = nio_place_at(looked_at.place, 1050);
	assert_int_equal(looked_at.queued, 50);
	assert_int_equal(looked_at.seq, 1050);
	assert_true(nio_is_turn_of(&looked_at, 10));
	assert_false(nio_has_queued_all(&looked_at));
	/* The next call of its thread, or one that others' bytes were taken for. */
	assert_false(nio_is_turn_of(&looked_at, 60));
	assert_false(nio_is_turn_of(&looked_at, 20));
	looked_at.place = nio_place_at(looked_at.place, 1060);
	assert_true(nio_has_queued_all(&looked_at));
	assert_false(nio_is_turn_of(&looked_at, 60));
	looked_at.place = nio_place_of(5, 0xfffffff0);
	looked_at.place = nio_place_at(looked_at.place, 0x10);
	assert_int_equal(looked_at.queued, 37);
}

static void numbers_wrap(void **state)
{
	struct nio_call near = {.size = 60, .queued = 50, .seq = 0xfffffffa};

	(void)state;
	assert_int_equal(nio_since_first_turn(&near, 100, 4, true), 60);
	assert_int_equal(nio_since_first_turn(&near, 90, 0xfffffffa, true), 50);
}

static void a_change_of_state_is_made_once(void **state)
{
	__u32 seen = 0;

	(void)state;
	/* What was before the first that is seen is not known. */
	assert_int_equal(nio_change_state(&seen, TCP_ESTABLISHED, TCP_FIN_WAIT1), NIO_CHANGE_NEW);
	assert_int_equal(nio_change_state(&seen, TCP_ESTABLISHED, TCP_FIN_WAIT1), NIO_CHANGE_DONE);
	assert_int_equal(nio_change_state(&seen, TCP_FIN_WAIT1, TCP_FIN_WAIT2), NIO_CHANGE_NEW);
	assert_int_equal(seen, TCP_FIN_WAIT2);
}

static void a_change_that_was_not_seen_is_told_by_the_next(void **state)
{
	__u32 seen = TCP_ESTABLISHED;

	(void)state;
	assert_int_equal(nio_change_state(&seen, TCP_FIN_WAIT1, TCP_FIN_WAIT2),
			 NIO_CHANGE_AFTER_MISS);
	assert_int_equal(nio_change_state(&seen, TCP_FIN_WAIT1, TCP_FIN_WAIT2), NIO_CHANGE_DONE);
	assert_int_equal(nio_change_state(&seen, TCP_FIN_WAIT2, TCP_CLOSE), NIO_CHANGE_NEW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_seen_whole_is_what_it_returned),
		cmocka_unit_test(of_one_that_had_begun_before_what_came_since),
		cmocka_unit_test(what_others_queue_since_is_not_its_own),
		cmocka_unit_test(no_more_is_its_own_than_was_queued_since_its_turns),
		cmocka_unit_test(knows_the_turns_of_a_call),
		cmocka_unit_test(numbers_wrap),
		cmocka_unit_test(a_change_of_state_is_made_once),
		cmocka_unit_test(a_change_that_was_not_seen_is_told_by_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
