/* SPDX-License-Identifier: GPL-2.0-only */
/* The pattern of --verify, which detects bytes of another connection, message or offset. */
#include <endian.h>
#include <string.h>

#include "common/splitmix.h"
#include "message.h"

uint64_t pattern__key(uint32_t connection, uint64_t seq)
{
	return splitmix__mix(seq + splitmix__mix((uint64_t)connection + 1));
}

static uint64_t pattern__word(uint64_t key, size_t index)
{
	return splitmix__mix(key + (uint64_t)index * 0x9e3779b97f4a7c15ULL);
}

/* Writes the word that covers offset, from that byte on. Returns the valid bytes, at most len. */
static size_t pattern__piece(uint64_t key, size_t offset, size_t len, uint8_t bytes[8])
{
	uint64_t word = htole64(pattern__word(key, offset / 8));
	size_t skip = offset % 8;
	size_t n = 8 - skip;

	memcpy(bytes, (const uint8_t *)&word + skip, n);
	return n < len ? n : len;
}

void pattern__fill(uint8_t *dst, uint64_t key, size_t offset, size_t len)
{
	uint8_t bytes[8];

	while (len) {
		size_t n = pattern__piece(key, offset, len, bytes);

		memcpy(dst, bytes, n);
		dst += n;
		offset += n;
		len -= n;
	}
}

size_t pattern__mismatches(const uint8_t *src, uint64_t key, size_t offset, size_t len)
{
	size_t wrong = 0, i;
	uint8_t bytes[8];

	while (len) {
		size_t n = pattern__piece(key, offset, len, bytes);

		if (memcmp(src, bytes, n))
			for (i = 0; i < n; i++)
				wrong += src[i] != bytes[i];
		src += n;
		offset += n;
		len -= n;
	}
	return wrong;
}
