/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP sockets: opening, options, the kernel's own counts. Knows nothing of messages or sessions. */
#ifndef LOADGEN_SOCK_H
#define LOADGEN_SOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "settings.h"

/*
 * Time after which a blocked send returns with EAGAIN or a part, so that the thread looks at its
 * orders. Long enough not to cut sends that merely wait for a slow peer.
 */
#define SOCK_SEND_TIMEOUT_MS 100

/*
 * Both return a descriptor or -errno. A buffer size of 0 and an empty congestion control leave the
 * system's. The latter is set before the connection is made: one that has begun with a pacing
 * congestion control stays paced whatever comes after it (sk_pacing_status is never taken back). A
 * connection is begun, on a non-blocking socket: writable means sock__connected() knows.
 */
int sock__connect(const struct endpoint *to, uint64_t sndbuf, const char *congestion);
int sock__connected(int fd); /* 0 or -errno */
int sock__listen(const struct endpoint *on, uint64_t rcvbuf, const char *congestion);

int sock__set(int fd, int level, int name, int value);    /* 0 or -errno */
uint64_t sock__get(int fd, int level, int name);          /* 0 when it cannot be read */
int sock__set_timeout(int fd, int name, unsigned int ms); /* name: SO_SNDTIMEO or SO_RCVTIMEO */
int sock__set_blocking(int fd, bool blocking);            /* 0 or -errno */
int sock__set_keepalive(int fd);                          /* a silent peer is gone after ~15 s */

/* How many descriptors this process may open. */
uint64_t sock__descriptors_max(void);

/* Our own or the peer's address, as text. */
int sock__address(int fd, bool peer, char *addr, size_t len, unsigned int *port);

/* All of len bytes, or -errno; -ECONNRESET at end of stream. Timeouts of the socket apply. */
int sock__write_all(int fd, const void *buf, size_t len);

/*
 * The congestion control of a socket, into name of len bytes; the same asked for: 0, -ENOENT when
 * the kernel has none of that name, -EPERM when only privileged programs may use it
 * (net.ipv4.tcp_allowed_congestion_control).
 */
int sock__congestion(int fd, char *name, socklen_t len);
int sock__try_congestion(const char *name);

int sock__cookie(int fd, uint64_t *cookie);

/* What TCP_INFO counts; known is false when this kernel's structure ends before a field. */
struct tcp_counts {
	bool known;
	uint64_t bytes_acked;
	uint64_t bytes_retrans;
	uint64_t bytes_received;
};

void tcp_counts__read(int fd, struct tcp_counts *c);
void tcp_counts__add_delta(struct tcp_counts *sum, const struct tcp_counts *end,
			   const struct tcp_counts *begin);

/* Bytes the peer has not acknowledged. */
uint64_t sock__unacked(int fd);

/* Waits until the peer has acknowledged everything, at most until deadline. */
void sock__wait_acked(int fd, uint64_t deadline);

#endif
