/* SPDX-License-Identifier: GPL-2.0-only */
/* Each frame has its state, each figure its bounds: what a sender takes from a receiver. */
#include <string.h>

#include "loadgen/protocol.h"
#include "support/test.h"

/* By state, one letter a type from WELCOME on: x where it is taken. */
TEST(each_frame_has_its_state)
{
	static const char *const expected[] = {
		[SENDER_GREETING] = "x......x..",   /* WELCOME, REFUSE */
		[SENDER_CONNECTING] = ".x.....x..", /* READY, REFUSE */
		[SENDER_IDLE] = "......x...",       /* STOP */
		[SENDER_ASKING] = "...x..x...",     /* PHASE_OK, STOP */
		[SENDER_SENDING] = "......x...",    /* STOP */
		[SENDER_SETTLING] = ".....xx.xx",   /* CONFIRM, STOP, MOVING, ELAPSED */
		[SENDER_DONE] = "..........",
	};

	for (int s = SENDER_GREETING; s <= SENDER_DONE; s++)
		for (int type = PROTOCOL_WELCOME; type < PROTOCOL_TYPE_END; type++)
			assert_int_equal(protocol__takes(s, type),
					 expected[s][type - PROTOCOL_WELCOME] == 'x');
}

TEST(frames_and_states_have_names)
{
	assert_string_equal(protocol__type_name(PROTOCOL_MOVING), "MOVING");
	assert_string_equal(protocol__type_name(PROTOCOL_WELCOME), "WELCOME");
	assert_string_equal(protocol__type_name(PROTOCOL_TYPE_END), "?");
	assert_string_equal(protocol__state_name(SENDER_GREETING), "before WELCOME");
	for (int s = SENDER_GREETING; s <= SENDER_DONE; s++)
		assert_non_null(protocol__state_name(s));
	for (int type = PROTOCOL_WELCOME; type < PROTOCOL_TYPE_END; type++)
		assert_true(strlen(protocol__type_name(type)) > 1);
}

/* A phase of 2 s: asked at 10 s, begun 1 ms later, the last call began at 12 s, confirmed 5 ms
 * later. */
static bool possible(uint64_t elapsed_ns, uint64_t bytes)
{
	const struct protocol_phase p = {
		.elapsed_ns = elapsed_ns,
		.bytes = bytes,
		.asked_ns = 10000000000,
		.begun_ns = 10001000000,
		.last_call_ns = 12000000000,
		.confirmed_ns = 12005000000,
	};

	return protocol__possible(&p);
}

TEST(elapsed_lies_between_what_the_sender_saw)
{
	assert_true(possible(2000000000, 1 << 20));
	/* 1 % for clocks of different rates: 1.999 s less or 2.005 s more that. */
	assert_true(possible(1979010000, 1 << 20));
	assert_false(possible(1979009999, 1 << 20));
	assert_true(possible(2025050000, 1 << 20));
	assert_false(possible(2025050001, 1 << 20));
	assert_false(possible(0, 1 << 20));
	assert_false(possible(1, 1 << 20));
	assert_false(possible(UINT64_MAX, 1 << 20));
}

TEST(nothing_takes_no_time_and_something_takes_some)
{
	struct protocol_phase p = {.asked_ns = 10, .begun_ns = 20, .confirmed_ns = 1000000};

	assert_true(protocol__possible(&p));
	p.elapsed_ns = 1;
	assert_false(protocol__possible(&p));
	/* One message: its call began with the phase, and memory is as fast as it is. */
	p.bytes = 64000;
	p.last_call_ns = 20;
	assert_false(protocol__possible(&p));
	p.elapsed_ns = 64000 / PROTOCOL_BYTES_PER_NS;
	assert_false(protocol__possible(&p));
	p.elapsed_ns++;
	assert_true(protocol__possible(&p));
	p.bytes = UINT64_MAX;
	assert_false(protocol__possible(&p));
}
