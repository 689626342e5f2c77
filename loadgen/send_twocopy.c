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

static int twocopy__setup(struct sender_conn *conn)
{
	sender_conn__init_message(conn, &conn->message);
	conn->own = payload__alloc(conn->message.size, 0);
	return 0;
}

static void twocopy__teardown(struct sender_conn *conn)
{
	free(conn->own);
	message__clear(&conn->message);
}

static int twocopy__prepare(struct sender_conn *conn)
{
	struct counters *t = conn->counters;
	bool timed = t->gather_events++ % COUNTERS_GATHER_SAMPLE == 0;
	uint64_t before;

	if (conn->options->workload.verify)
		message__fill(&conn->message, conn->index, conn->seq);
	before = timed ? clock__now() : 0;
	message__gather(&conn->message, conn->own);
	if (timed) {
		t->gather_ns += clock__now() - before;
		t->gather_sampled++;
	}
	t->gather_bytes += conn->message.size;
	conn->now = 0;
	return 0;
}

/* The stamp follows the gather, so that delivery time begins at the send call in every mode. */
static void twocopy__begin(struct sender_conn *conn, uint64_t stamp)
{
	message_tag__encode(conn->own, conn->seq, stamp);
}

static ssize_t twocopy__send(struct sender_conn *conn)
{
	const uint8_t *packed = conn->own;
	ssize_t n =
		send(conn->fd, packed + conn->done, conn->message.size - conn->done, MSG_NOSIGNAL);

	return n < 0 ? -errno : n;
}

const struct send_mode send_mode_twocopy = {
	.setup = twocopy__setup,
	.teardown = twocopy__teardown,
	.prepare = twocopy__prepare,
	.begin = twocopy__begin,
	.send = twocopy__send,
};
