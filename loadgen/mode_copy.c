/* SPDX-License-Identifier: GPL-2.0-only */
/* The modes in which the kernel copies: from one packed buffer, or from the fields themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "flow.h"

/* One in so many packings is timed: reading the clock for each would cost what it measures. */
#define GATHER_SAMPLE 64

static int copy__setup(struct flow *f)
{
	return message__init(&f->message, f->settings->size, (unsigned int)f->settings->fields);
}

static void copy__teardown(struct flow *f)
{
	message__clear(&f->message);
}

static void copy__partial(struct flow *f, size_t done)
{
	if (done < f->settings->size)
		f->tally.partial_sends++;
}

static int copy__finish(struct flow *f)
{
	(void)f; /* the kernel holds no memory of ours */
	return 0;
}

static int onecopy__prepare(struct flow *f)
{
	if (f->settings->verify)
		message__fill(&f->message, f->index, f->seq);
	return 0;
}

static int onecopy__send(struct flow *f, uint64_t stamp)
{
	struct msghdr msg = {.msg_iov = f->message.iov, .msg_iovlen = f->message.fields};
	size_t done = 0;
	int err;

	message__put_header(&f->message, f->seq, stamp);
	while (done < f->message.size) {
		ssize_t n = sendmsg(f->fd, &msg, MSG_NOSIGNAL);

		if (n < 0) {
			err = flow__retry(f, errno);
			if (err)
				return err;
			continue;
		}
		done += (size_t)n;
		copy__partial(f, done);
		if (done < f->message.size) {
			msg.msg_iov = f->rest;
			msg.msg_iovlen =
				iov__rest(f->message.iov, f->message.fields, done, f->rest);
		}
	}
	return 0;
}

static int twocopy__setup(struct flow *f)
{
	int err = copy__setup(f);

	if (err)
		return err;
	f->packed = malloc(f->message.size);
	if (!f->packed)
		return -ENOMEM;
	memset(f->packed, 0, f->message.size);
	return 0;
}

static void twocopy__teardown(struct flow *f)
{
	free(f->packed);
	copy__teardown(f);
}

static int twocopy__prepare(struct flow *f)
{
	struct tally *t = &f->tally;
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
	return 0;
}

static int twocopy__send(struct flow *f, uint64_t stamp)
{
	size_t done = 0;
	int err;

	/* Stamped after packing, so that delivery begins at the send call in every mode. */
	header__encode(f->packed, f->seq, stamp);
	while (done < f->message.size) {
		ssize_t n = send(f->fd, f->packed + done, f->message.size - done, MSG_NOSIGNAL);

		if (n < 0) {
			err = flow__retry(f, errno);
			if (err)
				return err;
			continue;
		}
		done += (size_t)n;
		copy__partial(f, done);
	}
	return 0;
}

const struct send_mode send_mode_twocopy = {
	.setup = twocopy__setup,
	.teardown = twocopy__teardown,
	.prepare = twocopy__prepare,
	.send = twocopy__send,
	.finish = copy__finish,
};

const struct send_mode send_mode_onecopy = {
	.setup = copy__setup,
	.teardown = copy__teardown,
	.prepare = onecopy__prepare,
	.send = onecopy__send,
	.finish = copy__finish,
};
