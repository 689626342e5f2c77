/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns reading TCP sockets by sock_diag, for kernels without the socket iterator. The kernel does
 * not read the counters under one lock: they are consistent only while the connection is idle.
 */
#ifndef HOST_SOCK_DIAG_H
#define HOST_SOCK_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/sockets.h"

/* The identity of a TCP socket. */
struct sock_name {
	uint64_t cookie;
	uint32_t inode; /* 0: no process holds the socket */
	uint16_t local_port, remote_port;
	bool listens;
};

/*
 * Passes each TCP socket of the caller's network namespace to take(), but for those in LISTEN or
 * TIME_WAIT. write_seq counts from snd_una, rcv_nxt from copied_seq; zckey and scatter_gather are
 * 0. 0 or -errno. Each socket gets a cookie by this.
 */
int sock_diag__pass(void (*take)(void *arg, const struct nio_socket *socket), void *arg);

/* Passes the identities of the same sockets, and of those in LISTEN. 0 or -errno. */
int sock_diag__names(void (*take)(void *arg, const struct sock_name *name), void *arg);

#endif
