/* SPDX-License-Identifier: GPL-2.0-only */
/* Hellos and frames: what is encoded is decoded, what is damaged is refused. */
#include <errno.h>
#include <stdlib.h>
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

TEST(hello_round_trip)
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

/* Each flag is one of its own. */
TEST(hello_flags)
{
	struct protocol_hello in = sample, out;
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	int i;

	for (i = 0; i < 4; i++) {
		in.verify = i & 1;
		in.replies = i & 2;
		protocol__encode_hello(buf, &in);
		assert_int_equal(buf[53], i);
		assert_int_equal(protocol__decode_hello(buf, &out), 0);
		assert_true(out.verify == in.verify && out.replies == in.replies);
	}
}

/* The layout is a promise to other versions: magic first, all big-endian. */
TEST(hello_layout)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];

	protocol__encode_hello(buf, &sample);
	assert_memory_equal(buf, "NIOH\0\2\0\2", 8);
	assert_memory_equal(buf + 40, "\0\0\0\3\0\0\0\4\0\1\0\0\0\1\0\2\1\2\3\4\5\6\7\10", 24);
}

TEST(hello_out_of_range)
{
	static const struct protocol_hello bad[] = {
		{.kind = PROTOCOL_CONTROL, .connections = 0, .threads = 0, .size = 64},
		{.kind = PROTOCOL_CONTROL, .connections = 4097, .threads = 1, .size = 64},
		{.kind = PROTOCOL_CONTROL, .connections = UINT32_MAX, .threads = 1, .size = 64},
		{.kind = PROTOCOL_CONTROL, .connections = 1, .threads = 0, .size = 64},
		{.kind = PROTOCOL_CONTROL, .connections = 1, .threads = 2, .size = 64},
		{.kind = PROTOCOL_CONTROL, .connections = 4096, .threads = 257, .size = 64},
		{.kind = PROTOCOL_DATA, .index = 4, .connections = 4, .threads = 4, .size = 64},
		{.kind = PROTOCOL_DATA,
		 .index = UINT32_MAX,
		 .connections = 4,
		 .threads = 1,
		 .size = 64},
		{.kind = PROTOCOL_DATA, .connections = 1, .threads = 1, .size = 63},
		{.kind = PROTOCOL_DATA,
		 .connections = 1,
		 .threads = 1,
		 .size = PROTOCOL_SIZE_MAX + 1},
		{.kind = PROTOCOL_DATA, .connections = 1, .threads = 1, .size = UINT32_MAX},
		{.kind = 0, .connections = 1, .threads = 1, .size = 64},
		{.kind = 3, .connections = 1, .threads = 1, .size = 64},
	};
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&out, 0x5a, sizeof(out));
		protocol__encode_hello(buf, &bad[i]);
		assert_int_equal(protocol__decode_hello(buf, &out), -ERANGE);
		assert_int_equal(((uint8_t *)&out)[sizeof(out) - 1], 0x5a);
	}
}

TEST(hello_not_ours)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;

	memcpy(buf, "GET / HTTP/1.1\r\n", 16);
	assert_int_equal(protocol__decode_hello(buf, &out), -EPROTO);
	protocol__encode_hello(buf, &sample);
	buf[5]++;
	assert_int_equal(protocol__decode_hello(buf, &out), -EPROTONOSUPPORT);
	protocol__encode_hello(buf, &sample);
	buf[53] = 4; /* a flag that is none */
	assert_int_equal(protocol__decode_hello(buf, &out), -ERANGE);
}

TEST(frame_round_trip)
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

TEST(frame_bad)
{
	const struct protocol_frame types[] = {{.type = 0}, {.type = PROTOCOL_TYPE_END}};
	uint8_t buf[PROTOCOL_FRAME_SIZE] = {0};
	struct protocol_frame out;
	size_t i;

	assert_int_equal(protocol__decode_frame(buf, &out), -EPROTO);
	for (i = 0; i < 2; i++) {
		protocol__encode_frame(buf, &types[i]);
		assert_int_equal(protocol__decode_frame(buf, &out), -ERANGE);
	}
}

/* A frame of another version is known as one, whatever else is in it. */
TEST(frame_of_another_version)
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

/* No input may be decoded into values out of range. */
TEST(hello_fuzz)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;
	int i, j, accepted = 0;

	srandom(1);
	for (i = 0; i < 200000; i++) {
		protocol__encode_hello(buf, &sample);
		for (j = 0; j < 2; j++)
			buf[random() % PROTOCOL_HELLO_SIZE] = (uint8_t)random();
		if (protocol__decode_hello(buf, &out))
			continue;
		accepted++;
		assert_in_range(out.connections, 1, PROTOCOL_CONNECTIONS_MAX);
		assert_in_range(out.threads, 1, PROTOCOL_THREADS_MAX);
		assert_true(out.threads <= out.connections);
		assert_true(out.index < out.connections);
		assert_in_range(out.size, PROTOCOL_SIZE_MIN, PROTOCOL_SIZE_MAX);
	}
	assert_true(accepted > 1000);
}

/* The first and the last of each range are in it. */
TEST(hello_at_its_limits)
{
	static const struct protocol_hello good[] = {
		{.kind = PROTOCOL_CONTROL,
		 .connections = 1,
		 .threads = 1,
		 .size = PROTOCOL_SIZE_MIN},
		{.kind = PROTOCOL_DATA, .connections = 1, .threads = 1, .size = PROTOCOL_SIZE_MAX},
		{.kind = PROTOCOL_DATA,
		 .index = PROTOCOL_CONNECTIONS_MAX - 1,
		 .connections = PROTOCOL_CONNECTIONS_MAX,
		 .threads = PROTOCOL_THREADS_MAX,
		 .size = 64},
		{.kind = PROTOCOL_DATA, .index = 3, .connections = 4, .threads = 4, .size = 64},
	};
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	struct protocol_hello out;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		protocol__encode_hello(buf, &good[i]);
		assert_int_equal(protocol__decode_hello(buf, &out), 0);
		assert_int_equal(out.kind, good[i].kind);
		assert_int_equal(out.index, good[i].index);
		assert_int_equal(out.connections, good[i].connections);
		assert_int_equal(out.threads, good[i].threads);
		assert_int_equal(out.size, good[i].size);
	}
}

TEST(frame_types_at_their_limits)
{
	uint8_t buf[PROTOCOL_FRAME_SIZE];
	struct protocol_frame f = {0};

	for (int type = PROTOCOL_WELCOME - 1; type <= PROTOCOL_TYPE_END; type++) {
		bool known = type >= PROTOCOL_WELCOME && type < PROTOCOL_TYPE_END;

		protocol__encode_frame(buf, &(struct protocol_frame){.type = type});
		assert_int_equal(protocol__decode_frame(buf, &f), known ? 0 : -ERANGE);
	}
}
