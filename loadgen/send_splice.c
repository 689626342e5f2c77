/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode splice: writes header and fields into a pipe, and splices the pipe to the socket. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "sender_conn.h"

struct pipe_sender {
	int fds[2];    /* -1: none */
	size_t filled; /* bytes of the current message in the pipe */
};

static int splice__setup(struct sender_conn *conn)
{
	uint64_t size = conn->options->workload.pipe_size;
	struct pipe_sender *own = xmalloc(sizeof(*own));

	conn->own = own;
	*own = (struct pipe_sender){.fds = {-1, -1}};
	sender_conn__init_message(conn, &conn->message);
	if (pipe2(own->fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	return size && fcntl(own->fds[1], F_SETPIPE_SZ, size) < 0 ? -errno : 0;
}

static void splice__teardown(struct sender_conn *conn)
{
	struct pipe_sender *own = conn->own;

	for (int i = 0; i < 2; i++)
		if (own->fds[i] >= 0)
			close(own->fds[i]);
	free(own);
	message__clear(&conn->message);
}

/* Writes as much of the rest of the message as the pipe takes. 0 or -errno. */
static int splice__fill(struct sender_conn *conn)
{
	struct counters *t = conn->counters;
	struct pipe_sender *own = conn->own;
	const struct message *m = &conn->message;
	bool timed = t->gather_events++ % COUNTERS_GATHER_SAMPLE == 0;
	uint64_t before = timed ? clock__now() : 0;
	ssize_t n = writev(own->fds[1], conn->rest,
			   (int)iov__rest(m->iov, m->iov_nr, conn->done, conn->rest));

	if (n < 0)
		return -errno;
	if (timed) {
		t->gather_ns += clock__now() - before;
		t->gather_sampled++;
	}
	t->gather_bytes += (size_t)n;
	own->filled = (size_t)n;
	return 0;
}

static ssize_t splice__send(struct sender_conn *conn)
{
	struct pipe_sender *own = conn->own;
	int err = own->filled ? 0 : splice__fill(conn);
	bool last = conn->done + own->filled == conn->message.size;
	ssize_t n;

	if (err)
		return err;
	n = splice(own->fds[0], NULL, conn->fd, NULL, own->filled, last ? 0 : SPLICE_F_MORE);
	if (n < 0)
		return -errno;
	own->filled -= (size_t)n;
	return n;
}

const struct send_mode send_mode_splice = {
	.setup = splice__setup,
	.teardown = splice__teardown,
	.prepare = sender_conn__fill_message,
	.begin = sender_conn__tag_message,
	.send = splice__send,
};
