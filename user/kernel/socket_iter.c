/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a pass over sockets; see socket_iter.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "socket_iter.h"

/*
 * Records read at once: what the kernel's own buffer for an iterator holds (bpf_seq_read: 8 pages).
 * A pass is then one read, as a rule, and goes on in the middle of no bucket: see
 * user/run/socket_snapshot.c for why that matters.
 */
#define RECORDS 512

int socket_iter__read(int fd, void (*take)(void *arg, const struct nio_socket *socket), void *arg)
{
	struct nio_socket sockets[RECORDS];
	char *buf = (char *)sockets;
	size_t held = 0;
	ssize_t len;

	while ((len = read(fd, buf + held, sizeof(sockets) - held)) != 0) {
		size_t whole;

		if (len < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (len < 0)
			return -errno;
		held += len;
		whole = held / sizeof(*sockets);
		for (size_t i = 0; i < whole; i++)
			take(arg, &sockets[i]);
		held -= whole * sizeof(*sockets);
		memmove(buf, &sockets[whole], held);
	}
	return 0;
}
