/* SPDX-License-Identifier: GPL-2.0-only */
/* Polling before blocking (--spin): uses CPU time to save the wake-up, some microseconds. */
#ifndef LOADGEN_BUSY_POLL_H
#define LOADGEN_BUSY_POLL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/* As recv() on a blocking socket, after up to ns of non-blocking recv(). */
ssize_t busy_poll__recv(int fd, void *buf, size_t len, uint64_t ns);

/* As epoll_wait() for ms, after up to ns of epoll_wait() with timeout 0. */
int busy_poll__epoll(int fd, struct epoll_event *events, int max, int ms, uint64_t ns);

#endif
