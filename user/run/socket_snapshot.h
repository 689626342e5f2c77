/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass over the watched sockets of both sides of the path, each in its network namespace: by the
 * session's iterator, or where that cannot be had by sock_diag.
 */
#ifndef RUN_SOCKET_SNAPSHOT_H
#define RUN_SOCKET_SNAPSHOT_H

#include "host/netpath.h"
#include "kernel/session.h"

struct sockets {
	struct session *session; /* NULL: the kernel is not watched, sock_diag is asked */
	const struct netpath *path;
	const uint64_t *cookies[NIO_SIDE_NR]; /* of the sockets of each side, in a fixed order */
	size_t nr[NIO_SIDE_NR];               /* 0: that side is not on this machine */
};

/*
 * Fills out, of each side. What cannot be had has no source, and a reason. still: nothing moves, so
 * a source that is not read under one lock will do, and a socket that was not met is looked for
 * again.
 */
void sockets__look(const struct sockets *s, struct socket_snapshot out[NIO_SIDE_NR], bool still);

#endif
