/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, tag and pattern of one message. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/splitmix.h"
#include "common/xalloc.h"
#include "message.h"

/* Round up to whole pages: other data on the last page would be pinned with the payload. */
uint8_t *payload__alloc(size_t size, uint8_t byte)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *payload =
		size < page ? xmalloc(size) : xaligned_alloc(page, (size + page - 1) / page * page);

	return memset(payload, byte, size);
}

size_t message__field_size(size_t size, unsigned int fields, unsigned int i)
{
	size_t each = size / fields;

	return i + 1 < fields ? each : size - each * (fields - 1);
}

static void message__add(struct message *m, size_t len)
{
	m->iov[m->iov_nr] = (struct iovec){
		.iov_base = payload__alloc(len, (uint8_t)('a' + m->iov_nr % 26)),
		.iov_len = len,
	};
	m->iov_nr++;
	m->size += len;
}

void message__init(struct message *m, size_t header, size_t size, unsigned int fields)
{
	*m = (struct message){.iov = xcalloc(fields + 1, sizeof(*m->iov))};
	if (header)
		message__add(m, header);
	for (unsigned int i = 0; i < fields; i++)
		message__add(m, message__field_size(size, fields, i));
}

void message__clear(struct message *m)
{
	for (unsigned int i = 0; i < m->iov_nr; i++)
		free(m->iov[i].iov_base);
	free(m->iov);
	*m = (struct message){0};
}

void message_tag__encode(uint8_t buf[MESSAGE_TAG_SIZE], uint64_t seq, uint64_t stamp)
{
	uint64_t words[2] = {htole64(seq), htole64(stamp)};

	memcpy(buf, words, sizeof(words));
}

void message_tag__decode(const uint8_t buf[MESSAGE_TAG_SIZE], uint64_t *seq, uint64_t *stamp)
{
	uint64_t words[2];

	memcpy(words, buf, sizeof(words));
	*seq = le64toh(words[0]);
	*stamp = le64toh(words[1]);
}

void message__put_tag(const struct message *m, uint64_t seq, uint64_t stamp)
{
	uint8_t tag[MESSAGE_TAG_SIZE];
	size_t done = 0;

	message_tag__encode(tag, seq, stamp);
	for (unsigned int i = 0; done < sizeof(tag) && i < m->iov_nr; i++) {
		size_t n = m->iov[i].iov_len;

		if (n > sizeof(tag) - done)
			n = sizeof(tag) - done;
		memcpy(m->iov[i].iov_base, tag + done, n);
		done += n;
	}
}

void message__gather(const struct message *m, uint8_t *dst)
{
	for (unsigned int i = 0; i < m->iov_nr; i++)
		dst = mempcpy(dst, m->iov[i].iov_base, m->iov[i].iov_len);
}

void message__fill(const struct message *m, uint32_t connection, uint64_t seq)
{
	uint64_t key = pattern__key(connection, seq);
	size_t offset = 0;

	for (unsigned int i = 0; i < m->iov_nr; i++) {
		pattern__fill(m->iov[i].iov_base, key, offset, m->iov[i].iov_len);
		offset += m->iov[i].iov_len;
	}
}

unsigned int iov__rest(const struct iovec *iov, unsigned int n, size_t done, struct iovec *out)
{
	unsigned int i, count = 0;

	for (i = 0; i < n; i++) {
		if (done >= iov[i].iov_len) {
			done -= iov[i].iov_len;
			continue;
		}
		out[count].iov_base = (uint8_t *)iov[i].iov_base + done;
		out[count].iov_len = iov[i].iov_len - done;
		done = 0;
		count++;
	}
	return count;
}

uint64_t pattern__key(uint32_t connection, uint64_t seq)
{
	return splitmix__mix(seq + splitmix__mix((uint64_t)connection + 1));
}

/* Writes the word that covers offset, from that byte on. Returns the valid bytes, at most len. */
static size_t pattern__piece(uint64_t key, size_t offset, size_t len, uint8_t bytes[8])
{
	uint64_t word =
		htole64(splitmix__mix(key + (uint64_t)(offset / 8) * 0x9e3779b97f4a7c15ULL));
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
