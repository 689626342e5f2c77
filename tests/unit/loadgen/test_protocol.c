/* SPDX-License-Identifier: GPL-2.0-only */
/* Hellos and frames of the network protocol, and which frames a sender accepts. */
#include <errno.h>
#include <string.h>

#include "loadgen/protocol.h"
#include "support/test.h"

static const struct protocol_hello sample = {
	.kind = PROTOCOL_DATA,
	.token = {1, 2, 3, 250},
	.clock_id = {9, 8, 7},
	.index = 3,
	.connections = 4,
	.threads = 2,
	.size = 65536,
	.stamp = 0x0102030405060708,
	.verify = true,
};

TEST(encoded_hello_is_decoded)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;

	protocol__encode_hello(buf, &sample);
	assert_int_equal(protocol__decode_hello(buf, &out), 0);
	assert_int_equal(out.kind, PROTOCOL_DATA);
	assert_memory_equal(out.token, sample.token, sizeof(out.token));
	assert_memory_equal(out.clock_id, sample.clock_id, sizeof(out.clock_id));
	assert_int_equal(out.index, 3);
	assert_int_equal(out.connections, 4);
	assert_int_equal(out.threads, 2);
	assert_int_equal(out.size, 65536);
	assert_true(out.stamp == 0x0102030405060708);
	assert_true(out.verify);
	assert_false(out.replies);
}

TEST(each_flag_of_a_hello_has_its_own_bit)
{
	struct protocol_hello in = sample, out;
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	int i;

	for (i = 0; i < 16; i++) {
		in.verify = i & 1;
		in.replies = i & 2;
		in.encrypted = i & 4;
		in.tls = i & 8 ? WORKLOAD_TLS_1_2 : WORKLOAD_TLS_1_3;
		protocol__encode_hello(buf, &in);
		assert_int_equal(buf[53], (i & 3) | (i & 4 ? 64 : 0) | (i & 8 ? 128 : 0));
		/* The key is of one direction: replies would be plaintext. */
		if ((in.replies && in.encrypted) || (in.tls && !in.encrypted)) {
			assert_int_equal(protocol__decode_hello(buf, &out), -ERANGE);
			continue;
		}
		assert_int_equal(protocol__decode_hello(buf, &out), 0);
		assert_true(out.verify == in.verify && out.replies == in.replies &&
			    out.encrypted == in.encrypted && out.tls == in.tls);
	}
}

/* Other versions rely on the layout: magic first, all numbers big-endian. */
TEST(hello_is_big_endian_after_its_magic)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];

	protocol__encode_hello(buf, &sample);
	assert_memory_equal(buf, "NIOH\0\2\0\2", 8);
	assert_memory_equal(buf + 40, "\0\0\0\3\0\0\0\4\0\1\0\0\0\1\0\2\1\2\3\4\5\6\7\10", 24);
}

TEST(hello_with_a_field_out_of_range_is_refused)
{
	static const struct {
		struct protocol_hello hello;
		bool good;
	} cases[] = {
#define HELLO(k, i, c, t, s) {.kind = k, .index = i, .connections = c, .threads = t, .size = s}
		{HELLO(PROTOCOL_CONTROL, 0, 1, 1, LIMIT_SIZE_MIN), true},
		{HELLO(PROTOCOL_DATA, 0, 1, 1, LIMIT_SIZE_MAX), true},
		{HELLO(PROTOCOL_DATA, 4095, 4096, 256, 64), true},
		{HELLO(PROTOCOL_DATA, 3, 4, 4, 64), true},
		{HELLO(PROTOCOL_CONTROL, 0, 0, 0, 64), false},
		{HELLO(PROTOCOL_CONTROL, 0, 4097, 1, 64), false},
		{HELLO(PROTOCOL_CONTROL, 0, UINT32_MAX, 1, 64), false},
		{HELLO(PROTOCOL_CONTROL, 0, 1, 0, 64), false},
		{HELLO(PROTOCOL_CONTROL, 0, 1, 2, 64), false},
		{HELLO(PROTOCOL_CONTROL, 0, 4096, 257, 64), false},
		{HELLO(PROTOCOL_DATA, 4, 4, 4, 64), false},
		{HELLO(PROTOCOL_DATA, UINT32_MAX, 4, 1, 64), false},
		{HELLO(PROTOCOL_DATA, 0, 1, 1, LIMIT_SIZE_MIN - 1), false},
		{HELLO(PROTOCOL_DATA, 0, 1, 1, LIMIT_SIZE_MAX + 1), false},
		{HELLO(PROTOCOL_DATA, 0, 1, 1, UINT32_MAX), false},
		{HELLO(0, 0, 1, 1, 64), false},
		{HELLO(3, 0, 1, 1, 64), false},
#undef HELLO
	};
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;

	for_each_case(c, cases) {
		memset(&out, 0x5a, sizeof(out));
		protocol__encode_hello(buf, &c->hello);
		assert_int_equal(protocol__decode_hello(buf, &out), c->good ? 0 : -ERANGE);
		if (c->good)
			assert_true(out.kind == c->hello.kind && out.index == c->hello.index &&
				    out.connections == c->hello.connections &&
				    out.threads == c->hello.threads && out.size == c->hello.size);
		else
			assert_int_equal(((uint8_t *)&out)[sizeof(out) - 1], 0x5a);
	}
}

TEST(other_magic_version_or_flag_is_refused)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;

	memcpy(buf, "GET / HTTP/1.1\r\n", 16);
	assert_int_equal(protocol__decode_hello(buf, &out), -EPROTO);
	protocol__encode_hello(buf, &sample);
	buf[5]++;
	assert_int_equal(protocol__decode_hello(buf, &out), -EPROTONOSUPPORT);
	protocol__encode_hello(buf, &sample);
	buf[53] = 128; /* an undefined flag */
	assert_int_equal(protocol__decode_hello(buf, &out), -ERANGE);
	buf[53] = RECEIVE_NR << 3; /* an undefined way to receive */
	assert_int_equal(protocol__decode_hello(buf, &out), -ERANGE);
}

TEST(hello_carries_the_way_to_receive_and_none_that_hides_the_bytes_to_verify)
{
	for (unsigned int way = 0; way < RECEIVE_NR; way++) {
		struct protocol_hello in = sample, out;
		uint8_t buf[PROTOCOL_HELLO_SIZE];

		in.receive = way;
		in.verify = false;
		protocol__encode_hello(buf, &in);
		assert_int_equal(protocol__decode_hello(buf, &out), 0);
		assert_int_equal(out.receive, way);
		assert_false(out.encrypted);
		in.encrypted = true;
		protocol__encode_hello(buf, &in);
		assert_int_equal(protocol__decode_hello(buf, &out),
				 way == RECEIVE_RECV ? 0 : -ERANGE);
		in.encrypted = false;
		in.verify = true;
		protocol__encode_hello(buf, &in);
		assert_int_equal(protocol__decode_hello(buf, &out),
				 receive__has(way, RECEIVE_HIDES) ? -ERANGE : 0);
	}
}

TEST(encoded_frame_is_decoded)
{
	const struct protocol_frame f = {
		.type = PROTOCOL_TOTAL,
		.index = 255,
		.phase = 2,
		.messages = 1ULL << 48,
		.bytes = UINT64_MAX - 1,
	};
	uint8_t buf[PROTOCOL_FRAME_SIZE];
	struct protocol_frame out;

	protocol__encode_frame(buf, &f);
	assert_int_equal(protocol__decode_frame(buf, &out), 0);
	assert_int_equal(out.type, f.type);
	assert_int_equal(out.index, f.index);
	assert_int_equal(out.phase, f.phase);
	assert_true(out.messages == f.messages && out.bytes == f.bytes);
}

/* The header alone tells a frame of another version, whatever follows it. */
TEST(frame_of_another_version_is_recognized_by_its_header)
{
	const struct protocol_frame f = {.type = PROTOCOL_REFUSE,
					 .index = PROTOCOL_REFUSAL_VERSION};
	uint8_t buf[PROTOCOL_FRAME_SIZE];
	struct protocol_frame out;

	protocol__encode_frame(buf, &f);
	assert_int_equal(protocol__decode_frame(buf, &out), 0);
	assert_int_equal(out.index, PROTOCOL_REFUSAL_VERSION);
	buf[5] = 1;
	buf[7] = 99;
	assert_int_equal(protocol__decode_frame(buf, &out), -EPROTONOSUPPORT);
}

TEST(frames_of_known_types_only_are_decoded)
{
	uint8_t buf[PROTOCOL_FRAME_SIZE] = {0};
	struct protocol_frame f = {0};

	assert_int_equal(protocol__decode_frame(buf, &f), -EPROTO);
	for (int type = PROTOCOL_WELCOME - 1; type <= PROTOCOL_TYPE_END; type++) {
		bool known = type >= PROTOCOL_WELCOME && type < PROTOCOL_TYPE_END;

		protocol__encode_frame(buf, &(struct protocol_frame){.type = type});
		assert_int_equal(protocol__decode_frame(buf, &f), known ? 0 : -ERANGE);
	}
}

/* By state, one letter per type from WELCOME on: x if accepted. */
TEST(each_side_accepts_each_frame_in_its_states_only)
{
	static const char *const expected[] = {
		[SENDER_GREETING] = "x......x....",   /* WELCOME, REFUSE */
		[SENDER_CONNECTING] = ".x.....x....", /* READY, REFUSE */
		[SENDER_READY] = "......x.....",      /* STOP */
		[SENDER_QUIESCED] = "......x.....",   /* STOP */
		[SENDER_ASKING] = "...x..x.....",     /* PHASE_OK, STOP */
		[SENDER_SENDING] = "......x.....",    /* STOP */
		[SENDER_SETTLING] = ".....xx.xx..",   /* CONFIRM, STOP, MOVING, ELAPSED */
		[SENDER_DONE] = "............",
		[RECEIVER_LISTENING] = "............",
		[RECEIVER_WAITING] = "..x........x", /* PHASE, PROOF */
		[RECEIVER_HELD] = "............",
		[RECEIVER_READING] = "....x.......", /* TOTAL */
		[RECEIVER_SETTLING] = "............",
		[RECEIVER_DONE] = "............",
	};

	for (int s = SENDER_GREETING; s <= RECEIVER_DONE; s++)
		for (int type = PROTOCOL_WELCOME; type < PROTOCOL_TYPE_END; type++)
			assert_int_equal(protocol__accepts(s, type),
					 expected[s][type - PROTOCOL_WELCOME] == 'x');
}

TEST(sixteen_bytes_in_a_frame_arrive_in_their_order)
{
	uint8_t bytes[PROTOCOL_TOKEN_SIZE], buf[PROTOCOL_FRAME_SIZE], got[PROTOCOL_TOKEN_SIZE];
	struct protocol_frame f = {.type = PROTOCOL_PROOF};

	for (int i = 0; i < PROTOCOL_TOKEN_SIZE; i++)
		bytes[i] = (uint8_t)(0xf0 + i);
	protocol__put_bytes(&f, bytes);
	protocol__encode_frame(buf, &f);
	assert_memory_equal(buf + PROTOCOL_FRAME_SIZE - sizeof(bytes), bytes, sizeof(bytes));
	assert_int_equal(protocol__decode_frame(buf, &f), 0);
	protocol__get_bytes(got, &f);
	assert_memory_equal(got, bytes, sizeof(bytes));
}

TEST(each_frame_and_state_has_a_name)
{
	assert_string_equal(protocol__type_name(PROTOCOL_TYPE_END), "?");
	for (int s = SENDER_GREETING; s <= RECEIVER_DONE; s++)
		assert_non_null(protocol__state_name(s));
	for (int type = PROTOCOL_WELCOME; type < PROTOCOL_TYPE_END; type++)
		assert_true(strlen(protocol__type_name(type)) > 1);
}

/*
 * A phase of 2 s: asked at 10 s, begun 1 ms later, the last call began at 12 s, confirmed 5 ms
 * later.
 */
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

TEST(elapsed_ns_outside_the_clock_of_the_sender_is_impossible)
{
	assert_true(possible(2000000000, 1 << 20));
	/* 1 % tolerance for clock rates: down to 1 % below 1.999 s, up to 1 % above 2.005 s. */
	assert_true(possible(1979010000, 1 << 20));
	assert_false(possible(1979009999, 1 << 20));
	assert_true(possible(2025050000, 1 << 20));
	assert_false(possible(2025050001, 1 << 20));
	assert_false(possible(0, 1 << 20));
	assert_false(possible(1, 1 << 20));
	assert_false(possible(UINT64_MAX, 1 << 20));
}

TEST(elapsed_ns_is_0_without_bytes_and_bounded_by_memory_speed)
{
	struct protocol_phase p = {.asked_ns = 10, .begun_ns = 20, .confirmed_ns = 1000000};

	assert_true(protocol__possible(&p));
	p.elapsed_ns = 1;
	assert_false(protocol__possible(&p));
	/* One message: its call began with the phase, and memory speed bounds the time. */
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
