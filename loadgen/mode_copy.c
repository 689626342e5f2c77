/* SPDX-License-Identifier: GPL-2.0-only */
/* The modes onecopy (sends the fields) and twocopy (packs the fields into one buffer first). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "sender_conn.h"
#include "payload.h"

/* 1 gather in GATHER_SAMPLE is timed: two clock readings would cost as much as a small gather. */
#define GATHER_SAMPLE 64

static int copy__setup(struct sender_conn *f)
{
	return message__init(&f->message, f->settings->size, (unsigned int)f->settings->fields);
}

static void copy__teardown(struct sender_conn *f)
{
	message__clear(&f->message);
}

/* The kernel holds no user pages in these modes. */
static int copy__nothing(struct sender_conn *f)
{
	(void)f;
	return 0;
}

static int copy__no_wait(struct sender_conn *f, unsigned int ms)
{
	(void)f;
	(void)ms;
	return 0;
}

static int onecopy__prepare(struct sender_conn *f)
{
	if (!f->settings->verify)
		return 0;
	message__fill(&f->message, f->index, f->seq);
	f->now = 0;
	return 0;
}

static void onecopy__begin(struct sender_conn *f, uint64_t stamp)
{
	message__put_header(&f->message, f->seq, stamp);
}

static int onecopy__push(struct sender_conn *f)
{
	struct msghdr msg = {.msg_iov = f->message.iov, .msg_iovlen = f->message.fields};

	for (;;) {
		ssize_t n;

		if (f->done) {
			msg.msg_iov = f->rest;
			msg.msg_iovlen =
				iov__rest(f->message.iov, f->message.fields, f->done, f->rest);
		}
		n = sendmsg(f->fd, &msg, MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EINTR)
				return -errno;
			f->counters->eintr++;
			continue;
		}
		f->done += (size_t)n;
		if (f->done == f->message.size)
			return 0;
		f->counters->partial_sends++;
	}
}

static int twocopy__setup(struct sender_conn *f)
{
	int err = copy__setup(f);

	if (err)
		return err;
	f->packed = payload__alloc(f->message.size, 0);
	return f->packed ? 0 : -ENOMEM;
}

static void twocopy__teardown(struct sender_conn *f)
{
	free(f->packed);
	copy__teardown(f);
}

static int twocopy__prepare(struct sender_conn *f)
{
	struct counters *t = f->counters;
	uint64_t before;

	if (f->settings->verify)
		message__fill(&f->message, f->index, f->seq);
	if (t->gather_events++ % GATHER_SAMPLE == 0) {
		before = clock__now();
		message__gather(&f->message, f->packed);
		t->gather_ns += clock__now() - before;
		t->gather_sampled++;
	} else {
		message__gather(&f->message, f->packed);
	}
	t->gather_bytes += f->message.size;
	f->now = 0;
	return 0;
}

/* The stamp follows the gather, so that delivery time begins at the send call in every mode. */
static void twocopy__begin(struct sender_conn *f, uint64_t stamp)
{
	header__encode(f->packed, f->seq, stamp);
}

static int twocopy__push(struct sender_conn *f)
{
	for (;;) {
		ssize_t n =
			send(f->fd, f->packed + f->done, f->message.size - f->done, MSG_NOSIGNAL);

		if (n < 0) {
			if (errno != EINTR)
				return -errno;
			f->counters->eintr++;
			continue;
		}
		f->done += (size_t)n;
		if (f->done == f->message.size)
			return 0;
		f->counters->partial_sends++;
	}
}

const struct send_mode send_mode_twocopy = {
	.setup = twocopy__setup,
	.teardown = twocopy__teardown,
	.prepare = twocopy__prepare,
	.begin = twocopy__begin,
	.push = twocopy__push,
	.wait = copy__no_wait,
	.reap = copy__nothing,
	.finish = copy__nothing,
};

const struct send_mode send_mode_onecopy = {
	.setup = copy__setup,
	.teardown = copy__teardown,
	.prepare = onecopy__prepare,
	.begin = onecopy__begin,
	.push = onecopy__push,
	.wait = copy__no_wait,
	.reap = copy__nothing,
	.finish = copy__nothing,
};
