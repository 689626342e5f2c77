/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the watched sockets of both sides with the session's iterator over open files, or with
 * sock_diag, in each network namespace, if the kernel has no iterator.
 */
#ifndef RUN_SOCKET_SNAPSHOT_H
#define RUN_SOCKET_SNAPSHOT_H

#include "host/netpath.h"
#include "kernel/session.h"

struct sockets {
	struct session *session; /* NULL: the kernel is not watched; sock_diag is used */
	const struct netpath *path;
	pid_t processes[NIO_SIDE_NR];         /* that have the sockets of each side open */
	const uint64_t *cookies[NIO_SIDE_NR]; /* of the sockets of each side, in a fixed order */
	size_t nr[NIO_SIDE_NR];               /* 0: that side is not on this machine */
};

/*
 * Fills out[] for each side. A side that cannot be read has no source but a reason. still: no bytes
 * move, so sock_diag is exact enough.
 */
void sockets__read(const struct sockets *s, struct socket_snapshot out[NIO_SIDE_NR], bool still);

#endif
