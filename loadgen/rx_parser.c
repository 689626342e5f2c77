/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses received bytes into messages. */
#include <string.h>

#include "rx_parser.h"

void rx_parser__init(struct rx_parser *s, uint32_t connection, size_t size, bool verify,
		     bool same_clock)
{
	*s = (struct rx_parser){
		.connection = connection,
		.size = size,
		.verify = verify,
		.same_clock = same_clock,
		.key = pattern__key(connection, 0),
	};
}

static void rx_parser__check(struct rx_parser *s, const uint8_t *data, size_t len)
{
	size_t skip = 0;

	if (s->pos < MESSAGE_TAG_SIZE)
		skip = MESSAGE_TAG_SIZE - s->pos;
	if (skip < len && pattern__mismatches(data + skip, s->key, s->pos + skip, len - skip))
		s->wrong = true;
}

static void rx_parser__end_message(struct rx_parser *s, struct counters *t, uint64_t now)
{
	uint64_t seq, stamp;

	t->messages++;
	s->pos = 0;
	message_tag__decode(s->tag, &seq, &stamp);
	/* Checked even without --verify: the check is free and detects lost framing. */
	if (s->wrong || seq != s->seq)
		t->verify_errors++;
	if (!s->same_clock)
		t->foreign_stamps++;
	else if (!stamp || stamp > now)
		t->bad_stamps++;
	else
		hist__record_latency(t->hist[COUNTERS_DELIVERY], now - stamp);
	s->seq++;
	s->wrong = false;
	if (s->verify)
		s->key = pattern__key(s->connection, s->seq);
}

void rx_parser__feed(struct rx_parser *s, struct counters *t, const uint8_t *data, size_t len,
		     uint64_t now)
{
	t->bytes += len;
	if (s->untagged) {
		t->messages += (s->pos + len) / s->size;
		s->pos = (s->pos + len) % s->size;
		return;
	}
	while (len) {
		size_t n = s->size - s->pos;

		if (n > len)
			n = len;
		if (s->pos < MESSAGE_TAG_SIZE) {
			size_t h = MESSAGE_TAG_SIZE - s->pos;

			memcpy(s->tag + s->pos, data, h < n ? h : n);
		}
		if (s->verify)
			rx_parser__check(s, data, n);
		s->pos += n;
		data += n;
		len -= n;
		if (s->pos == s->size)
			rx_parser__end_message(s, t, now);
	}
}
