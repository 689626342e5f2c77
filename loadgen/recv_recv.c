/* SPDX-License-Identifier: GPL-2.0-only */
/* The way recv: recv() copies into the thread's buffer. */
#include <errno.h>
#include <sys/socket.h>

#include "receive_way.h"
#include "receiver_pool.h"

static ssize_t recv_way__receive(struct recv_loop *r, int fd, bool wait, struct received *got)
{
	ssize_t n = recv(fd, r->buf, RECV_LOOP_CHUNK, wait ? 0 : MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	*got = (struct received){.data = {r->buf}, .len = {(size_t)n}};
	return n;
}

const struct receive_way receive_way_recv = {
	.receive = recv_way__receive,
};
