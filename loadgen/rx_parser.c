/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses received bytes into messages. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

/* Writes the next piece of the current reply, with its tag, to form->buf. Returns its length. */
static size_t reply__make(const struct reply *r, const struct reply_form *form)
{
	size_t len = form->size - r->pos;
	uint8_t tag[MESSAGE_TAG_SIZE];
	size_t n;

	if (len > form->len)
		len = form->len;
	if (form->verify)
		pattern__fill(form->buf, pattern__key(REPLY_CONNECTION(form->connection), r->seq),
			      r->pos, len);
	if (r->pos >= sizeof(tag))
		return len;
	/* Stamp 0: the sender measures round trips with its own clock. */
	message_tag__encode(tag, r->seq, 0);
	n = sizeof(tag) - r->pos;
	memcpy(form->buf, tag + r->pos, n < len ? n : len);
	return len;
}

int reply__push(struct reply *r, int fd, const struct reply_form *form, struct reply_sent *sent)
{
	int flags = MSG_NOSIGNAL | (form->wait ? 0 : MSG_DONTWAIT);

	*sent = (struct reply_sent){0};
	while (r->owed) {
		size_t len = reply__make(r, form);
		ssize_t n = send(fd, form->buf, len, flags);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		sent->bytes += (uint64_t)n;
		r->pos += (size_t)n;
		if (r->pos < form->size)
			continue;
		r->pos = 0;
		r->seq++;
		r->owed--;
		sent->messages++;
	}
	return 0;
}
