/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode twocopy: packs header and fields into one buffer, then sends the buffer
 * (sender_conn.own).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "clock.h"
#include "send_mode.h"
#include "sender_conn.h"

static int twocopy__setup(struct sender_conn *f)
{
	sender_conn__init_message(f, &f->message);
	f->own = payload__alloc(f->message.size, 0);
	return 0;
}

static void twocopy__teardown(struct sender_conn *f)
{
	free(f->own);
	message__clear(&f->message);
}

static int twocopy__prepare(struct sender_conn *f)
{
	struct counters *t = f->counters;
	bool timed = t->gather_events++ % COUNTERS_GATHER_SAMPLE == 0;
	uint64_t before;

	if (f->options->workload.verify)
		message__fill(&f->message, f->index, f->seq);
	before = timed ? clock__now() : 0;
	message__gather(&f->message, f->own);
	if (timed) {
		t->gather_ns += clock__now() - before;
		t->gather_sampled++;
	}
	t->gather_bytes += f->message.size;
	f->now = 0;
	return 0;
}

/* The stamp follows the gather, so that delivery time begins at the send call in every mode. */
static void twocopy__begin(struct sender_conn *f, uint64_t stamp)
{
	message_tag__encode(f->own, f->seq, stamp);
}

static ssize_t twocopy__send(struct sender_conn *f)
{
	const uint8_t *packed = f->own;
	ssize_t n = send(f->fd, packed + f->done, f->message.size - f->done, MSG_NOSIGNAL);

	return n < 0 ? -errno : n;
}

const struct send_mode send_mode_twocopy = {
	.setup = twocopy__setup,
	.teardown = twocopy__teardown,
	.prepare = twocopy__prepare,
	.begin = twocopy__begin,
	.send = twocopy__send,
};
