/* SPDX-License-Identifier: GPL-2.0-only */
/* The way trunc: recv() with MSG_TRUNC takes bytes off the socket and drops them. */
#include <errno.h>
#include <sys/socket.h>

#include "receive_way.h"
#include "receiver_pool.h"

static ssize_t trunc_way__receive(struct recv_loop *r, int fd, bool wait, struct received *got)
{
	ssize_t n = recv(fd, NULL, RECV_LOOP_CHUNK, MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT));

	(void)r;
	if (n < 0)
		return -errno;
	*got = (struct received){.len = {(size_t)n}, .uncopied = (size_t)n};
	return n;
}

const struct receive_way receive_way_trunc = {
	.receive = trunc_way__receive,
};
