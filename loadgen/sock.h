/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP sockets: open, set and read options, read kernel counters. */
#ifndef LOADGEN_SOCK_H
#define LOADGEN_SOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lg_options.h"

/* A blocked send returns after this time to check the stop flag. Most sends take less. */
#define SOCK_SEND_TIMEOUT_MS 100

/*
 * sock__connect() and sock__listen() return a descriptor or -errno. Size 0 and "" keep the system
 * default. Neither blocks. The congestion control is set before connect(): a pacing
 * one sets sk_pacing_status, which the kernel never resets.
 */
int sock__connect(const struct endpoint *to, uint64_t sndbuf, const char *congestion);
int sock__connected(int fd); /* 0 or -errno */
int sock__listen(const struct endpoint *on, uint64_t rcvbuf, const char *congestion);

void sock__loopback(struct endpoint *e, unsigned int port); /* 127.0.0.1; port 0: any */

int sock__set(int fd, int level, int name, int value);    /* 0 or -errno */
uint64_t sock__get(int fd, int level, int name);          /* 0: cannot be read */
int sock__set_timeout(int fd, int name, unsigned int ms); /* SO_SNDTIMEO or SO_RCVTIMEO */
int sock__set_blocking(int fd, bool blocking);            /* 0 or -errno */
int sock__set_keepalive(int fd);                          /* a silent peer is dropped after ~14 s */

/* RLIMIT_NOFILE; 0: unknown. */
uint64_t sock__descriptors_max(void);

/* Local address, or the peer's, as text. 0 or -errno. */
int sock__address(int fd, bool peer, char *addr, size_t len, unsigned int *port);

/* Sends all len bytes. 0; -ETIMEDOUT: the socket is full; other -errno. */
int sock__write_all(int fd, const void *buf, size_t len);

/*
 * Reads the congestion control into name[len]; 0 or -errno. sock__try_congestion(): 0; -ENOENT: the
 * kernel has no such name; -EPERM: only for privileged programs
 * (net.ipv4.tcp_allowed_congestion_control).
 */
int sock__congestion(int fd, char *name, socklen_t len);
int sock__try_congestion(const char *name);

int sock__cookie(int fd, uint64_t *cookie);

/* Sums of TCP_INFO over sockets. known: false if this kernel's struct tcp_info lacks a member. */
struct tcp_counts {
	bool known;
	uint64_t bytes_acked, bytes_retrans, bytes_received;
};

struct tcp_counts tcp_counts__read(const int *fds, uint32_t nr);
struct tcp_counts tcp_counts__delta(const struct tcp_counts *end, const struct tcp_counts *begin);

/* Bytes that the peer has not acknowledged (SIOCOUTQ); 0 on error. */
uint64_t sock__unacked(int fd);

/* Waits until the peer has acknowledged all bytes, at most until deadline. */
void sock__wait_acked(int fd, uint64_t deadline);

#endif
