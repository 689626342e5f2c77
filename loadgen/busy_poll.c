/* SPDX-License-Identifier: GPL-2.0-only */
/* Polls without blocking for a time, then blocks. */
#include <errno.h>
#include <sys/socket.h>

#include "clock.h"
#include "busy_poll.h"

ssize_t busy_poll__recv(int fd, void *buf, size_t len, uint64_t ns)
{
	uint64_t until = ns ? clock__now() + ns : 0;

	while (ns) {
		ssize_t n = recv(fd, buf, len, MSG_DONTWAIT);

		if (n >= 0 || errno != EAGAIN)
			return n;
		if (clock__now() >= until)
			break;
	}
	return recv(fd, buf, len, 0);
}

int busy_poll__epoll(int fd, struct epoll_event *events, int max, int ms, uint64_t ns)
{
	uint64_t until = ns ? clock__now() + ns : 0;

	while (ns) {
		int n = epoll_wait(fd, events, max, 0);

		if (n)
			return n;
		if (clock__now() >= until)
			break;
	}
	return epoll_wait(fd, events, max, ms);
}
