/* SPDX-License-Identifier: GPL-2.0-only */
/* A hello and a frame from the network: refused, or in range and encoded to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "loadgen/protocol.h"

static void check_hello(const uint8_t *data)
{
	uint8_t *buf = fuzz__bytes(data, PROTOCOL_HELLO_SIZE), again[PROTOCOL_HELLO_SIZE];
	struct protocol_hello h, twice;

	if (!protocol__decode_hello(buf, &h)) {
		FUZZ_CHECK(h.kind == PROTOCOL_CONTROL || h.kind == PROTOCOL_DATA);
		FUZZ_CHECK(h.connections >= 1 && h.connections <= LIMIT_CONNECTIONS_MAX);
		FUZZ_CHECK(h.threads >= 1 && h.threads <= LIMIT_THREADS_MAX);
		FUZZ_CHECK(h.threads <= h.connections);
		FUZZ_CHECK(h.kind == PROTOCOL_CONTROL || h.index < h.connections);
		FUZZ_CHECK(h.size >= LIMIT_SIZE_MIN && h.size <= LIMIT_SIZE_MAX);
		protocol__encode_hello(again, &h);
		FUZZ_CHECK(!protocol__decode_hello(again, &twice));
		FUZZ_CHECK(h.index == twice.index && h.stamp == twice.stamp &&
			   h.size == twice.size);
	}
	free(buf);
}

static void check_frame(const uint8_t *data)
{
	uint8_t *buf = fuzz__bytes(data, PROTOCOL_FRAME_SIZE), again[PROTOCOL_FRAME_SIZE];
	struct protocol_frame f, twice;
	uint8_t bytes[PROTOCOL_TOKEN_SIZE];

	if (!protocol__decode_frame(buf, &f)) {
		FUZZ_CHECK(f.type >= PROTOCOL_WELCOME && f.type < PROTOCOL_TYPE_END);
		protocol__encode_frame(again, &f);
		FUZZ_CHECK(!protocol__decode_frame(again, &twice));
		FUZZ_CHECK(f.bytes == twice.bytes && f.messages == twice.messages);
		protocol__get_bytes(bytes, &f);
		protocol__put_bytes(&twice, bytes);
		FUZZ_CHECK(f.bytes == twice.bytes && f.messages == twice.messages);
	}
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= PROTOCOL_HELLO_SIZE)
		check_hello(data);
	if (size >= PROTOCOL_FRAME_SIZE)
		check_frame(data);
	return 0;
}
