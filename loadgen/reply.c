/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds and sends the replies of --request-response. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "message.h"
#include "reply.h"

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
