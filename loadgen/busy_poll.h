/* SPDX-License-Identifier: GPL-2.0-only */
/* Polling before blocking (--spin): uses CPU time to save the wake-up, some microseconds. */
#ifndef LOADGEN_BUSY_POLL_H
#define LOADGEN_BUSY_POLL_H

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "clock.h"

/* As recv() on a blocking socket, after up to ns of non-blocking recv(). */
static inline ssize_t busy_poll__recv(int fd, void *buf, size_t len, uint64_t ns)
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

/* As epoll_wait() for ms, after up to ns of epoll_wait() with timeout 0. */
static inline int busy_poll__epoll(int fd, struct epoll_event *events, int max, int ms, uint64_t ns)
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

#endif
