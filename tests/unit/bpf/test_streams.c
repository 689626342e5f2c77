// SPDX-License-Identifier: GPL-2.0-only
/* What attach's programs make of calls that were in progress when the watching began. */
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

static void numbers_wrap(void **state)
{
	struct nio_call near = {.size = 60, .queued = 50, .seq = 0xfffffffa};

	(void)state;
	assert_int_equal(nio_since_first_turn(&near, 100, 4, true), 60);
	assert_int_equal(nio_since_first_turn(&near, 90, 0xfffffffa, true), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_seen_whole_is_what_it_returned),
		cmocka_unit_test(of_one_that_had_begun_before_what_came_since),
		cmocka_unit_test(what_others_queue_since_is_not_its_own),
		cmocka_unit_test(numbers_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
