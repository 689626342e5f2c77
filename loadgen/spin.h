/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking again for a while before sleeping (--spin): a wake-up costs the other side some
 * microseconds, and asking costs this one its CPU. Knows nothing of what is waited for.
 */
#ifndef LOADGEN_SPIN_H
#define LOADGEN_SPIN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/* recv() on a socket that blocks; before it does, asks for ns. As recv(). */
ssize_t spin__recv(int fd, void *buf, size_t len, uint64_t ns);

/* epoll_wait() for ms; before it sleeps, asks for ns. As epoll_wait(). */
int spin__epoll(int fd, struct epoll_event *events, int max, int ms, uint64_t ns);

#endif
