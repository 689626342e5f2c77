/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The send modes: onecopy sends header and fields as they are, twocopy packs them into one buffer
 * first, zerocopy sends them with MSG_ZEROCOPY.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "clock.h"
#include "common/xalloc.h"
#include "common/mode.h"
#include "sender_conn.h"
#include "sock.h"
#include "zc_completion.h"

/* 1 gather in GATHER_SAMPLE is timed: two clock readings would cost as much as a small gather. */
#define GATHER_SAMPLE 64
/* End of a phase: wait this long for notifications after the peer has acknowledged all bytes. */
#define DRAIN_NS (2 * NS_PER_SEC)
/* After ENOBUFS, wait this long for notifications to release memory. */
#define RELIEF_MS 5
#define WAIT_MS   50

static void message__make(struct message *m, const struct settings *s)
{
	message__init(m, s->workload.header, s->workload.size, s->workload.fields);
}

/* Sends the rest of the message. Bytes sent or -errno. */
static ssize_t message__send(struct sender_conn *f, const struct message *m, int flags)
{
	struct msghdr msg = {.msg_iov = m->iov, .msg_iovlen = m->iov_nr};
	ssize_t n;

	if (f->done) {
		msg.msg_iov = f->rest;
		msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, f->done, f->rest);
	}
	n = sendmsg(f->fd, &msg, flags | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static int onecopy__setup(struct sender_conn *f)
{
	message__make(&f->message, f->settings);
	return 0;
}

static void onecopy__teardown(struct sender_conn *f)
{
	message__clear(&f->message);
}

static int onecopy__prepare(struct sender_conn *f)
{
	if (!f->settings->workload.verify)
		return 0;
	message__fill(&f->message, f->index, f->seq);
	f->now = 0;
	return 0;
}

static void onecopy__begin(struct sender_conn *f, uint64_t stamp)
{
	message__put_tag(&f->message, f->seq, stamp);
}

static ssize_t onecopy__send(struct sender_conn *f)
{
	return message__send(f, &f->message, 0);
}

const struct send_mode send_mode_onecopy = {
	.setup = onecopy__setup,
	.teardown = onecopy__teardown,
	.prepare = onecopy__prepare,
	.begin = onecopy__begin,
	.send = onecopy__send,
};

static int twocopy__setup(struct sender_conn *f)
{
	message__make(&f->message, f->settings);
	f->packed = payload__alloc(f->message.size, 0);
	return 0;
}

static void twocopy__teardown(struct sender_conn *f)
{
	free(f->packed);
	message__clear(&f->message);
}

static int twocopy__prepare(struct sender_conn *f)
{
	struct counters *t = f->counters;
	bool timed = t->gather_events++ % GATHER_SAMPLE == 0;
	uint64_t before;

	if (f->settings->workload.verify)
		message__fill(&f->message, f->index, f->seq);
	before = timed ? clock__now() : 0;
	message__gather(&f->message, f->packed);
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
	message_tag__encode(f->packed, f->seq, stamp);
}

static ssize_t twocopy__send(struct sender_conn *f)
{
	ssize_t n = send(f->fd, f->packed + f->done, f->message.size - f->done, MSG_NOSIGNAL);

	return n < 0 ? -errno : n;
}

const struct send_mode send_mode_twocopy = {
	.setup = twocopy__setup,
	.teardown = twocopy__teardown,
	.prepare = twocopy__prepare,
	.begin = twocopy__begin,
	.send = twocopy__send,
};

/* A slot is rewritten only when every MSG_ZEROCOPY send of it is complete. */
struct slot {
	struct message message;
	uint32_t holds; /* incomplete sends, plus 1 while the message is being sent */
	uint64_t stamp;
};

struct zc_sender {
	struct zc_ids ids;
	struct slot *slots;
	uint16_t *free_list; /* LIFO: the last slot is most likely still cached */
	unsigned int slots_nr, free_nr;
	unsigned int batch, since_reap; /* sends between two reads of the error queue */
	struct slot *current;           /* slot of the current message */
	bool relieved, copying;         /* current message: waited after ENOBUFS; sends by copy */
	uint64_t now;                   /* clock at the current notification */
};

static void slot__drop(struct zc_sender *zc, struct slot *slot)
{
	if (--slot->holds == 0)
		zc->free_list[zc->free_nr++] = (uint16_t)(slot - zc->slots);
}

static void zc__completed(uint16_t index, void *arg)
{
	struct sender_conn *f = arg;
	struct slot *slot = &f->zc->slots[index];

	hist__record_latency(f->counters->hist[COUNTERS_COMPLETION], f->zc->now - slot->stamp);
	slot__drop(f->zc, slot);
}

static int zc__reap(struct sender_conn *f)
{
	struct zc_sender *zc = f->zc;
	struct zc_notice notice;
	int err;

	zc->since_reap = 0;
	while (!(err = errqueue__next(f->fd, &notice))) {
		uint32_t count = notice.hi - notice.lo + 1;

		zc->now = clock__now();
		err = zc_ids__complete(&zc->ids, notice.lo, notice.hi, zc__completed, f);
		if (err)
			return err;
		f->counters->zc_completed += count;
		if (notice.copied)
			f->counters->zc_copied += count;
		else
			f->counters->zc_not_copied += count;
	}
	return err == -EAGAIN ? 0 : err;
}

static int zc__wait(struct sender_conn *f, unsigned int ms)
{
	int err = errqueue__wait(f->fd, ms);

	return err ? err : zc__reap(f);
}

static int zerocopy__prepare(struct sender_conn *f)
{
	struct zc_sender *zc = f->zc;
	int err = 0;

	if (!zc->free_nr || zc->since_reap >= zc->batch) {
		f->now = 0;
		err = zc__reap(f);
	}
	if (err || !zc->free_nr)
		return err ? err : -EAGAIN;
	zc->current = &zc->slots[zc->free_list[--zc->free_nr]];
	zc->current->holds = 1;
	if (f->settings->workload.verify) {
		f->now = 0;
		message__fill(&zc->current->message, f->index, f->seq);
	}
	return 0;
}

/* Waits for a free id. Only a message of very many partial sends needs to wait. */
static int zc__find_id(struct sender_conn *f)
{
	int err = 0;

	if (!zc_ids__full(&f->zc->ids))
		return 0;
	err = f->blocking ? zc__wait(f, WAIT_MS) : zc__reap(f);
	if (err)
		return err;
	return zc_ids__full(&f->zc->ids) ? -EAGAIN : 0;
}

static void zc__queued(struct sender_conn *f)
{
	struct zc_sender *zc = f->zc;

	zc_ids__sent(&zc->ids, (uint16_t)(zc->current - zc->slots));
	zc->current->holds++;
	zc->since_reap++;
	f->counters->zc_sends++;
}

/* ENOBUFS: optmem or RLIMIT_MEMLOCK is used up. Wait for notifications once, then send by copy. */
static int zc__relieve(struct sender_conn *f)
{
	struct zc_sender *zc = f->zc;

	if (zc->relieved || !zc->ids.outstanding) {
		f->counters->zc_enobufs++;
		zc->copying = true;
		return 0;
	}
	zc->relieved = true;
	return f->blocking ? zc__wait(f, RELIEF_MS) : zc__reap(f);
}

static void zerocopy__begin(struct sender_conn *f, uint64_t stamp)
{
	struct zc_sender *zc = f->zc;

	zc->current->stamp = f->call_begin;
	zc->relieved = zc->copying = false;
	message__put_tag(&zc->current->message, f->seq, stamp);
}

static ssize_t zerocopy__send(struct sender_conn *f)
{
	const struct message *m = &f->zc->current->message;
	int err = f->zc->copying ? 0 : zc__find_id(f);
	ssize_t n;

	if (err)
		return err;
	n = message__send(f, m, f->zc->copying ? 0 : MSG_ZEROCOPY);
	if (n == -ENOBUFS && !f->zc->copying)
		return zc__relieve(f);
	if (n < 0)
		return n;
	if (f->zc->copying)
		f->counters->zc_fallback += (uint64_t)n;
	else
		zc__queued(f);
	if (f->done + (size_t)n == m->size)
		slot__drop(f->zc, f->zc->current);
	return n;
}

static int zerocopy__finish(struct sender_conn *f)
{
	uint64_t acked_since = 0;
	int err = zc__reap(f);

	f->stall = (struct stall){0};
	while (!err && f->zc->ids.outstanding) {
		uint64_t now = clock__now();

		if (sock__unacked(f->fd)) {
			acked_since = 0;
			err = sender_conn__check_stall(f);
		} else if (!acked_since) {
			acked_since = now;
		} else if (now - acked_since > DRAIN_NS) {
			break;
		}
		if (!err)
			err = zc__wait(f, WAIT_MS);
	}
	return err;
}

static int zerocopy__setup(struct sender_conn *f)
{
	const struct settings *s = f->settings;
	unsigned int i,
		n = mode__slots(workload__message_size(&s->workload), s->workload.connections);
	struct zc_sender *zc = xcalloc(1, sizeof(*zc));

	f->zc = zc;
	zc_ids__init(&zc->ids);
	zc->slots = xcalloc(n, sizeof(*zc->slots));
	zc->free_list = xcalloc(n, sizeof(*zc->free_list));
	zc->slots_nr = zc->free_nr = n;
	zc->batch = mode__slot_batch(n);
	for (i = 0; i < n; i++) {
		message__make(&zc->slots[i].message, s);
		zc->free_list[i] = (uint16_t)(n - 1 - i);
	}
	return sock__set(f->fd, SOL_SOCKET, SO_ZEROCOPY, 1);
}

static void zerocopy__teardown(struct sender_conn *f)
{
	for (unsigned int i = 0; i < f->zc->slots_nr; i++)
		message__clear(&f->zc->slots[i].message);
	free(f->zc->slots);
	free(f->zc->free_list);
	free(f->zc);
}

const struct send_mode send_mode_zerocopy = {
	.setup = zerocopy__setup,
	.teardown = zerocopy__teardown,
	.prepare = zerocopy__prepare,
	.begin = zerocopy__begin,
	.send = zerocopy__send,
	.wait = zc__wait,
	.reap = zc__reap,
	.finish = zerocopy__finish,
};
