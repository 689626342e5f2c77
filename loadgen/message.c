/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, header and pattern of one message. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "payload.h"

size_t message__field_size(size_t size, unsigned int fields, unsigned int i)
{
	size_t each = size / fields;

	return i + 1 < fields ? each : size - each * (fields - 1);
}

int message__init(struct message *m, size_t size, unsigned int fields)
{
	struct message new = {.size = size, .fields = fields};
	unsigned int i;

	if (!fields || size < fields)
		return -EINVAL;
	new.iov = calloc(fields, sizeof(*new.iov));
	if (!new.iov)
		return -ENOMEM;
	for (i = 0; i < fields; i++) {
		size_t len = message__field_size(size, fields, i);

		new.iov[i].iov_base = payload__alloc(len, (uint8_t)('a' + i % 26));
		new.iov[i].iov_len = len;
		if (!new.iov[i].iov_base) {
			message__clear(&new);
			return -ENOMEM;
		}
	}
	*m = new;
	return 0;
}

void message__clear(struct message *m)
{
	unsigned int i;

	for (i = 0; m->iov && i < m->fields; i++)
		free(m->iov[i].iov_base);
	free(m->iov);
	*m = (struct message){0};
}

void header__encode(uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t seq, uint64_t stamp)
{
	uint64_t words[2] = {htole64(seq), htole64(stamp)};

	memcpy(buf, words, sizeof(words));
}

void header__decode(const uint8_t buf[MESSAGE_HEADER_SIZE], uint64_t *seq, uint64_t *stamp)
{
	uint64_t words[2];

	memcpy(words, buf, sizeof(words));
	*seq = le64toh(words[0]);
	*stamp = le64toh(words[1]);
}

void message__put_header(const struct message *m, uint64_t seq, uint64_t stamp)
{
	uint8_t header[MESSAGE_HEADER_SIZE];
	size_t done = 0;
	unsigned int i;

	if (m->iov[0].iov_len >= MESSAGE_HEADER_SIZE) {
		header__encode(m->iov[0].iov_base, seq, stamp);
		return;
	}
	header__encode(header, seq, stamp);
	for (i = 0; done < sizeof(header) && i < m->fields; i++) {
		size_t n = m->iov[i].iov_len;

		if (n > sizeof(header) - done)
			n = sizeof(header) - done;
		memcpy(m->iov[i].iov_base, header + done, n);
		done += n;
	}
}

void message__gather(const struct message *m, uint8_t *dst)
{
	unsigned int i;

	for (i = 0; i < m->fields; i++) {
		memcpy(dst, m->iov[i].iov_base, m->iov[i].iov_len);
		dst += m->iov[i].iov_len;
	}
}

void message__fill(const struct message *m, uint32_t connection, uint64_t seq)
{
	uint64_t key = pattern__key(connection, seq);
	size_t offset = 0;
	unsigned int i;

	for (i = 0; i < m->fields; i++) {
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
