/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode zerocopy: sends header and fields with MSG_ZEROCOPY, from slots. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "clock.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "send_slots.h"
#include "sock.h"
#include "zc_completion.h"

struct zc_sender {
	struct send_slots slots;
	struct zc_ids ids;
	unsigned int batch, since_reap; /* sends between two reads of the error queue */
	uint64_t now;                   /* clock at the current notification */
};

static void zc__completed(uint16_t index, void *arg)
{
	struct sender_conn *conn = arg;
	struct zc_sender *zc = conn->own;
	struct send_slot *slot = &zc->slots.list[index];

	hist__record_latency(conn->counters->hist[COUNTERS_COMPLETION], zc->now - slot->stamp);
	send_slots__drop(&zc->slots, slot);
}

static int zc__reap(struct sender_conn *conn)
{
	struct zc_sender *zc = conn->own;
	struct zc_notice notice;
	int err;

	zc->since_reap = 0;
	while (!(err = errqueue__next(conn->fd, &notice))) {
		uint32_t count = notice.hi - notice.lo + 1;

		zc->now = clock__now();
		err = zc_ids__complete(&zc->ids, notice.lo, notice.hi, zc__completed, conn);
		if (err)
			return err;
		conn->counters->zc_completed += count;
		if (notice.copied)
			conn->counters->zc_copied += count;
		else
			conn->counters->zc_not_copied += count;
	}
	return err == -EAGAIN ? 0 : err;
}

static int zc__wait(struct sender_conn *conn, unsigned int ms)
{
	int err = errqueue__wait(conn->fd, ms);

	return err ? err : zc__reap(conn);
}

static int zerocopy__prepare(struct sender_conn *conn)
{
	struct zc_sender *zc = conn->own;
	int err = 0;

	if (!zc->slots.free_nr || zc->since_reap >= zc->batch) {
		conn->now = 0;
		err = zc__reap(conn);
	}
	return err ? err : send_slots__prepare(conn);
}

/* Waits for a free id. Only a message of very many partial sends needs to wait. */
static int zc__find_id(struct sender_conn *conn)
{
	const struct zc_sender *zc = conn->own;
	int err;

	if (!zc_ids__full(&zc->ids))
		return 0;
	err = send_slots__await(conn, SEND_SLOTS_WAIT_MS);
	if (err)
		return err;
	return zc_ids__full(&zc->ids) ? -EAGAIN : 0;
}

static void zc__queued(struct sender_conn *conn)
{
	struct zc_sender *zc = conn->own;

	zc_ids__sent(&zc->ids, (uint16_t)(*zc->slots.current - zc->slots.list));
	(*zc->slots.current)->holds++;
	zc->since_reap++;
	conn->counters->zc_sends++;
}

static ssize_t zerocopy__send(struct sender_conn *conn)
{
	struct zc_sender *zc = conn->own;
	const struct message *m = &(*zc->slots.current)->message;
	int err = zc->slots.copying ? 0 : zc__find_id(conn);
	ssize_t n;

	if (err)
		return err;
	n = sender_conn__send_rest(conn, m, zc->slots.copying ? 0 : MSG_ZEROCOPY);
	/* optmem or RLIMIT_MEMLOCK is used up. */
	if (n == -ENOBUFS && !zc->slots.copying)
		return send_slots__relieve(conn, zc->ids.outstanding);
	if (n < 0)
		return n;
	if (!zc->slots.copying)
		zc__queued(conn);
	return send_slots__sent(conn, n);
}

static int zerocopy__finish(struct sender_conn *conn)
{
	const struct zc_sender *zc = conn->own;

	return send_slots__drain(conn, &zc->ids.outstanding);
}

static int zerocopy__setup(struct sender_conn *conn)
{
	struct zc_sender *zc = xcalloc(1, sizeof(*zc));

	conn->own = zc;
	zc_ids__init(&zc->ids);
	send_slots__open(&zc->slots, conn);
	zc->batch = mode__slot_batch(zc->slots.nr);
	return sock__set(conn->fd, SOL_SOCKET, SO_ZEROCOPY, 1);
}

static void zerocopy__teardown(struct sender_conn *conn)
{
	struct zc_sender *zc = conn->own;

	send_slots__close(&zc->slots);
	free(zc);
}

const struct send_mode send_mode_zerocopy = {
	.setup = zerocopy__setup,
	.teardown = zerocopy__teardown,
	.prepare = zerocopy__prepare,
	.begin = send_slots__begin,
	.send = zerocopy__send,
	.wait = zc__wait,
	.reap = zc__reap,
	.finish = zerocopy__finish,
};
