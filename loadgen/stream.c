/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses received bytes into messages. */
#include <string.h>

#include "stream.h"

void stream__init(struct stream *s, uint32_t connection, size_t size, bool verify, bool same_clock)
{
	*s = (struct stream){
		.connection = connection,
		.size = size,
		.verify = verify,
		.same_clock = same_clock,
		.key = pattern__key(connection, 0),
	};
}

static void stream__check(struct stream *s, const uint8_t *data, size_t len)
{
	size_t skip = 0;

	if (s->pos < MESSAGE_HEADER_SIZE)
		skip = MESSAGE_HEADER_SIZE - s->pos;
	if (skip < len && pattern__mismatches(data + skip, s->key, s->pos + skip, len - skip))
		s->wrong = true;
}

static void stream__end_message(struct stream *s, struct tally *t, uint64_t now)
{
	uint64_t seq, stamp;

	header__decode(s->header, &seq, &stamp);
	/* Checked without --verify, too: the check is free and detects lost framing. */
	if (s->wrong || seq != s->seq)
		t->verify_errors++;
	if (!s->same_clock)
		t->foreign_stamps++;
	else if (!stamp || stamp > now)
		t->bad_stamps++;
	else
		hist__record_latency(t->hist[TALLY_DELIVERY], now - stamp);
	t->messages++;
	s->seq++;
	s->pos = 0;
	s->wrong = false;
	if (s->verify)
		s->key = pattern__key(s->connection, s->seq);
}

void stream__feed(struct stream *s, struct tally *t, const uint8_t *data, size_t len, uint64_t now)
{
	t->bytes += len;
	while (len) {
		size_t n = s->size - s->pos;

		if (n > len)
			n = len;
		if (s->pos < MESSAGE_HEADER_SIZE) {
			size_t h = MESSAGE_HEADER_SIZE - s->pos;

			memcpy(s->header + s->pos, data, h < n ? h : n);
		}
		if (s->verify)
			stream__check(s, data, n);
		s->pos += n;
		data += n;
		len -= n;
		if (s->pos == s->size)
			stream__end_message(s, t, now);
	}
}
