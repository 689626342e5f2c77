/* SPDX-License-Identifier: GPL-2.0-only */
/* The way splice: splices the socket to a pipe, and the pipe to /dev/null. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "receive_way.h"
#include "receiver_pool.h"

struct pipe_receiver {
	int fds[2], null; /* -1: none */
};

static int splice_way__setup(struct recv_loop *r)
{
	struct pipe_receiver *own = xmalloc(sizeof(*own));

	r->own = own;
	*own = (struct pipe_receiver){.fds = {-1, -1}, .null = -1};
	own->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (own->null < 0 || pipe2(own->fds, O_CLOEXEC))
		return -errno;
	/* A user may have reached its limit: then the pipe stays small. */
	fcntl(own->fds[1], F_SETPIPE_SZ, RECV_LOOP_CHUNK);
	return 0;
}

static void splice_way__teardown(struct recv_loop *r)
{
	struct pipe_receiver *own = r->own;

	for (int i = 0; own && i < 2; i++)
		if (own->fds[i] >= 0)
			close(own->fds[i]);
	if (own && own->null >= 0)
		close(own->null);
	free(own);
}

/* Empties the pipe, which has len bytes. 0 or -errno. */
static int drop(const struct pipe_receiver *own, size_t len)
{
	while (len) {
		ssize_t n = splice(own->fds[0], NULL, own->null, NULL, len, SPLICE_F_MOVE);

		if (!n)
			return -EIO;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			len -= (size_t)n;
	}
	return 0;
}

static ssize_t splice_way__receive(struct recv_loop *r, int fd, bool wait, struct received *got)
{
	const struct pipe_receiver *own = r->own;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;
	int err;

	/* SPLICE_F_NONBLOCK is of the pipe: a blocking socket would wait. */
	if (!wait && poll(&p, 1, 0) == 0)
		return -EAGAIN;
	n = splice(fd, NULL, own->fds[1], NULL, RECV_LOOP_CHUNK, SPLICE_F_MOVE);
	if (n < 0)
		return -errno;
	*got = (struct received){.len = {(size_t)n}, .uncopied = (size_t)n};
	err = drop(own, (size_t)n);
	return err ? err : n;
}

const struct receive_way receive_way_splice = {
	.setup = splice_way__setup,
	.teardown = splice_way__teardown,
	.receive = splice_way__receive,
};
