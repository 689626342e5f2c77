/* SPDX-License-Identifier: GPL-2.0-only */
/* Hello and frame from the network: refused, or every field in its range and written alike. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "loadgen/wire.h"

static void check_hello(const uint8_t *data)
{
	uint8_t *buf = fuzz__bytes(data, WIRE_HELLO_SIZE), again[WIRE_HELLO_SIZE];
	struct wire_hello h, twice;

	if (!wire__decode_hello(buf, &h)) {
		FUZZ_CHECK(h.kind == WIRE_CONTROL || h.kind == WIRE_DATA);
		FUZZ_CHECK(h.connections >= 1 && h.connections <= WIRE_CONNECTIONS_MAX);
		FUZZ_CHECK(h.threads >= 1 && h.threads <= WIRE_THREADS_MAX);
		FUZZ_CHECK(h.threads <= h.connections);
		FUZZ_CHECK(h.kind == WIRE_CONTROL || h.index < h.connections);
		FUZZ_CHECK(h.size >= WIRE_SIZE_MIN && h.size <= WIRE_SIZE_MAX);
		wire__encode_hello(again, &h);
		FUZZ_CHECK(!wire__decode_hello(again, &twice));
		FUZZ_CHECK(h.index == twice.index && h.stamp == twice.stamp &&
			   h.size == twice.size);
	}
	free(buf);
}

static void check_frame(const uint8_t *data)
{
	uint8_t *buf = fuzz__bytes(data, WIRE_FRAME_SIZE), again[WIRE_FRAME_SIZE];
	struct wire_frame f, twice;

	if (!wire__decode_frame(buf, &f)) {
		FUZZ_CHECK(f.type >= WIRE_WELCOME && f.type < WIRE_TYPE_END);
		wire__encode_frame(again, &f);
		FUZZ_CHECK(!wire__decode_frame(again, &twice));
		FUZZ_CHECK(f.bytes == twice.bytes && f.messages == twice.messages);
	}
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= WIRE_HELLO_SIZE)
		check_hello(data);
	if (size >= WIRE_FRAME_SIZE)
		check_frame(data);
	return 0;
}
